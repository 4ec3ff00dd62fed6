import type { ContentFormat } from '../core/query.ts';

/** A document for the library. Adding one with the same ID replaces it. */
export interface LibraryDocument {
  id: string;
  /** Where a reader finds it: a web address, a `file:` URL, or `npm:name@version/path`. */
  url: string;
  title: string;
  content: string;
  format: ContentFormat;
  kind: DocumentKind;
  /** ISO 8601. */
  publishedDate?: string;
  package?: string;
  version?: string;
  /** Milliseconds since the epoch; after that the document is not found any more. */
  expiresAt?: number;
}

export const DOCUMENT_KINDS = ['file', 'page', 'package'] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** A document as it is stored. */
export interface StoredDocument extends LibraryDocument {
  addedAt: number;
  /** Changes when the content, the title or any other field changes. */
  hash: number;
}

/** Which documents a search may return. Absent filters do not restrict. */
export interface LibraryFilters {
  /** Hosts, with their subdomains. */
  includeDomains?: string[] | undefined;
  excludeDomains?: string[] | undefined;
  /** `YYYY-MM-DD`, both inclusive. Undated documents are excluded when one is set. */
  startDate?: string | undefined;
  endDate?: string | undefined;
  packages?: string[] | undefined;
  kinds?: DocumentKind[] | undefined;
}
