import type { ContentFormat } from '../core/query.ts';

/** What can be put into a library. The id says which document it is: adding it again replaces it. */
export interface LibraryDocument {
  id: string;
  /** How a reader finds it: an address of the web, a `file:` URL, or `npm:name@version/path`. */
  url: string;
  title: string;
  content: string;
  format: ContentFormat;
  kind: DocumentKind;
  /** ISO 8601. */
  publishedDate?: string;
  package?: string;
  version?: string;
  /** Milliseconds since the epoch; the document is not found any more after it. */
  expiresAt?: number;
}

export const DOCUMENT_KINDS = ['file', 'page', 'package'] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** A document as it is stored. */
export interface StoredDocument extends LibraryDocument {
  addedAt: number;
  /** Tells whether content, title or any other field has changed. */
  hash: number;
}

/** Which documents a search may return; what is absent does not matter. */
export interface LibraryFilters {
  /** Hosts, with their subdomains. */
  includeDomains?: string[] | undefined;
  excludeDomains?: string[] | undefined;
  /** `YYYY-MM-DD`, both inclusive; documents without a date are left out when one is given. */
  startDate?: string | undefined;
  endDate?: string | undefined;
  packages?: string[] | undefined;
  kinds?: DocumentKind[] | undefined;
}
