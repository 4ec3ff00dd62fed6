import type { DocumentKind } from '../document.ts';
import type { Snapshot } from './snapshot.ts';

export interface ListOptions {
  offset?: number | undefined;
  limit?: number | undefined;
}

export interface ListedDocument {
  id: string;
  url: string;
  title: string;
  kind: DocumentKind;
  chars: number;
  addedAt: number;
  package?: string;
  version?: string;
  expiresAt?: number;
}

export interface LibraryStats {
  documents: number;
  passages: number;
  segments: number;
  bytes: number;
  packages: number;
  domains: number;
  /** Segments that cannot be opened. */
  damaged: string[];
}

const LIST_MAX = 1_000;

/** Lists documents in the order in which they were added. */
export function listDocuments(
  { collection }: Snapshot,
  { offset = 0, limit = 100 }: ListOptions,
): ListedDocument[] {
  const listed: ListedDocument[] = [];
  let skip = Math.max(0, offset);
  for (const segment of collection.segments) {
    for (let place = 0; place < segment.documents && listed.length < Math.min(limit, LIST_MAX); place += 1) {
      if (segment.deleted[place] === 1) continue;
      skip -= 1;
      if (skip >= 0) continue;
      const {
        content,
        hash: _hash,
        format: _format,
        publishedDate: _date,
        ...rest
      } = segment.document(place);
      listed.push({ ...rest, chars: content.length });
    }
  }
  return listed;
}

export function statsOf({ manifest, collection, damaged }: Snapshot, bytes: number): LibraryStats {
  const distinct = (values: string[][]) => new Set(values.flat().filter((value) => value !== '')).size;
  return {
    documents: manifest.segments.reduce((sum, entry) => sum + entry.documents - entry.deleted.length, 0),
    passages: collection.units,
    segments: manifest.segments.length,
    bytes,
    packages: distinct(collection.segments.map(({ index }) => index.packages)),
    domains: distinct(collection.segments.map(({ index }) => index.domains)),
    damaged: damaged.map(({ entry }) => entry.name),
  };
}
