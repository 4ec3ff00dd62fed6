import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { StoredDocument } from '../document.ts';
import { damaged, type ReadAt } from './format.ts';

/** Length and checksum precede each record; the highest bit of the length means that it is deflated. */
const HEAD_BYTES = 8;
const DEFLATED = 0x80000000;
/** Shorter records are not compressed: that would cost more than it saves. */
const DEFLATE_CHARS_MIN = 8_192;
/** The longest record, so that a damaged length cannot request gigabytes. */
const RECORD_BYTES_MAX = 64 * 1024 * 1024;

export function encodeRecord(document: StoredDocument): Uint8Array {
  const plain = Buffer.from(JSON.stringify(document));
  const deflated = plain.length >= DEFLATE_CHARS_MIN;
  const body = deflated ? deflateRawSync(plain, { level: 1 }) : plain;
  const record = Buffer.allocUnsafe(HEAD_BYTES + body.length);
  record.writeUInt32LE((body.length | (deflated ? DEFLATED : 0)) >>> 0, 0);
  record.writeUInt32LE(crc32(body), 4);
  body.copy(record, HEAD_BYTES);
  return record;
}

/** Decodes the record between two offsets. */
export function decodeRecord(name: string, offset: number, end: number, readAt: ReadAt): StoredDocument {
  const bytes = bufferOf(readAt(offset, Math.min(end - offset, HEAD_BYTES + RECORD_BYTES_MAX)));
  const found = readRecord(0, (start, length) => bytes.subarray(start, start + length));
  if (found === undefined) throw damaged(name, `the document at ${offset} does not match its checksum`);
  return found.document;
}

/**
 * Every intact record of a file with its offset, in order. `lost` is called for each range that cannot be
 * read.
 */
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
    // Without a plausible length the start of the next record is unknown.
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
  const head = bufferOf(readAt(offset, HEAD_BYTES));
  const body = readAt(offset + HEAD_BYTES, length);
  if (body.length !== length || crc32(body) !== head.readUInt32LE(4)) return undefined;
  const plain = (head.readUInt32LE(0) & DEFLATED) === 0 ? bufferOf(body) : inflateRawSync(body);
  return { document: JSON.parse(plain.toString()) as StoredDocument, length };
}

function lengthAt(offset: number, readAt: ReadAt): number | undefined {
  const head = bufferOf(readAt(offset, HEAD_BYTES));
  if (head.length < HEAD_BYTES) return undefined;
  const length = head.readUInt32LE(0) & ~DEFLATED;
  return length > RECORD_BYTES_MAX ? undefined : length;
}

/** The same bytes, not a copy. */
const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
