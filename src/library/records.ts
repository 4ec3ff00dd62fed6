import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { StoredDocument } from './document.ts';
import { damaged, type ReadAt } from './segment-format.ts';

/** Length and checksum stand before each record. */
const HEAD_BYTES = 8;
/** No record is longer, so a damaged length cannot ask for gigabytes. */
const RECORD_BYTES_MAX = 64 * 1024 * 1024;

export function encodeRecord(document: StoredDocument): Uint8Array {
  // The fastest level: a library is written once and its texts are short.
  const body = deflateRawSync(Buffer.from(JSON.stringify(document)), { level: 1 });
  const record = new Uint8Array(HEAD_BYTES + body.length);
  const view = new DataView(record.buffer);
  view.setUint32(0, body.length, true);
  view.setUint32(4, crc32(body), true);
  record.set(body, HEAD_BYTES);
  return record;
}

export function decodeRecord(name: string, offset: number, readAt: ReadAt): StoredDocument {
  const found = readRecord(offset, readAt);
  if (found === undefined) throw damaged(name, `the document at ${offset} does not match its checksum`);
  return found.document;
}

/** Every intact record of a file with its offset, in order; `lost` is told of each stretch that cannot be read. */
export function* readRecords(
  size: number,
  readAt: ReadAt,
  lost: (offset: number) => void,
): Generator<[number, StoredDocument]> {
  let offset = 0;
  while (offset < size) {
    const found = readRecord(offset, readAt);
    if (found !== undefined) yield [offset, found.document];
    else lost(offset);
    const length = found?.length ?? lengthAt(offset, readAt);
    // Without a believable length there is no telling where the next record begins.
    if (length === undefined) return;
    offset += HEAD_BYTES + length;
  }
}

function readRecord(
  offset: number,
  readAt: ReadAt,
): { document: StoredDocument; length: number } | undefined {
  const length = lengthAt(offset, readAt);
  if (length === undefined) return undefined;
  const head = Buffer.from(readAt(offset, HEAD_BYTES));
  const body = readAt(offset + HEAD_BYTES, length);
  if (body.length !== length || crc32(body) !== head.readUInt32LE(4)) return undefined;
  return { document: JSON.parse(inflateRawSync(body).toString()) as StoredDocument, length };
}

function lengthAt(offset: number, readAt: ReadAt): number | undefined {
  const head = Buffer.from(readAt(offset, HEAD_BYTES));
  if (head.length < HEAD_BYTES) return undefined;
  const length = head.readUInt32LE(0);
  return length > RECORD_BYTES_MAX ? undefined : length;
}
