import { find, hash53 } from './bytes.ts';
import type { StoredDocument } from '../document.ts';
import type { Postings } from './postings.ts';
import { createPostingsCache } from './postings-cache.ts';
import { decodeRecord } from './records.ts';
import { decodeIndex, type OpenIndex } from './format.ts';
import type { SegmentEntry, SegmentStore } from './store.ts';

/** An open segment. */
export interface Segment {
  name: string;
  index: OpenIndex;
  units: number;
  documents: number;
  /** 1 for documents that were replaced or removed. */
  deleted: Uint8Array;
  /** The number of terms of all passages. */
  length: number;
  /** Whether any document expires. */
  expires: boolean;
  /** The position of a term in the columns, or -1. */
  termAt(hash: number): number;
  postings(at: number): Postings;
  /** The position of the document with this ID, unless it was deleted. */
  placeOf(id: string): number | undefined;
  document(place: number): StoredDocument;
  /** The size of a document on disk. */
  bytesOf(place: number): number;
  close(): void;
}

export const docsFile = (name: string): string => `${name}.docs`;
export const indexFile = (name: string): string => `${name}.index`;

export function openSegment(store: SegmentStore, entry: SegmentEntry): Segment {
  const { name } = entry;
  const indexHandle = store.open(indexFile(name));
  const docsHandle = store.open(docsFile(name));
  try {
    const index = decodeIndex(name, indexHandle.size, indexHandle.readAt);
    const documents = index.documentOffset.length;
    const deleted = new Uint8Array(documents);
    const endOf = (place: number) => index.documentOffset[place + 1] ?? docsHandle.size;
    for (const place of entry.deleted) deleted[place] = 1;
    return {
      name,
      index,
      documents,
      deleted,
      units: index.unitDocument.length,
      length: index.unitLength.reduce((sum, length) => sum + length, 0),
      expires: index.expiresMinute.some((minute) => minute !== 0),
      termAt: (hash) => find(index.termHash, hash),
      postings: createPostingsCache((at) => postingsAt(index, at)),
      placeOf: (id) => {
        const at = find(index.idHash, hash53(id));
        const place = at === -1 ? undefined : index.idDocument[at];
        return place === undefined || deleted[place] === 1 ? undefined : place;
      },
      document: (place) =>
        decodeRecord(name, index.documentOffset[place] ?? 0, endOf(place), docsHandle.readAt),
      bytesOf: (place) => endOf(place) - (index.documentOffset[place] ?? 0),
      close: () => {
        indexHandle.close();
        docsHandle.close();
      },
    };
  } catch (thrown) {
    indexHandle.close();
    docsHandle.close();
    throw thrown;
  }
}

export function postingsAt(index: OpenIndex, at: number): Postings {
  const from = index.termOffset[at] ?? 0;
  return {
    count: index.termCount[at] ?? 0,
    bytes: index.readPostings(from, index.termOffset[at + 1] ?? from),
  };
}
