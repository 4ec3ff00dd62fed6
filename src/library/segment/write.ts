import { randomBytes } from 'node:crypto';
import type { StoredDocument } from '../document.ts';
import { encodeRecord } from './records.ts';
import { createSegmentBuilder } from './build.ts';
import { docsFile, indexFile } from './segment.ts';
import type { SegmentStore } from './store.ts';

/**
 * A segment's name has its generation and a random part, because gateways that share a library may create one
 * at the same time.
 */
export const segmentName = (generation: number): string =>
  `segment-${String(generation).padStart(12, '0')}-${randomBytes(4).toString('hex')}`;

/** Writes documents to a new segment. It takes effect with a commit that lists it. */
export function writeSegment(store: SegmentStore, name: string, documents: StoredDocument[]): void {
  const builder = createSegmentBuilder();
  const records: Uint8Array[] = [];
  let offset = 0;
  for (const document of documents) {
    const record = encodeRecord(document);
    builder.add(document, offset);
    records.push(record);
    offset += record.length;
  }
  store.put(docsFile(name), records);
  store.put(indexFile(name), [builder.encode()]);
}
