/**
 * A segment is two immutable files. `<name>.docs` has the documents as records; `<name>.index` has what is
 * computed from them: columns, terms and postings. Every part has a checksum. A damaged index is rebuilt from
 * the documents; a damaged record loses one document.
 */
import { crc32 } from 'node:zlib';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';

/** The last digit changes with the format or the terms: an index with another one is built again. */
const MAGIC = 'HGINDEX3';
const HEAD_BYTES = MAGIC.length + 8;
/** Typed arrays must begin at a multiple of their element size. */
const ALIGNMENT = 8;

/** The columns of an index by name, all little endian. */
export const COLUMNS = {
  /** Passages are the units of search; each is a range of its document's content. */
  unitDocument: Uint32Array,
  unitStart: Uint32Array,
  unitEnd: Uint32Array,
  /** The number of terms of the passage; those of title and headings count by their weight. */
  unitLength: Uint16Array,
  documentOffset: Float64Array,
  /** Hashes of IDs in ascending order, and the document of each. */
  idHash: Float64Array,
  idDocument: Uint32Array,
  contentHash: Float64Array,
  /** Days since the epoch, 0 when unknown. */
  publishedDay: Int32Array,
  /** Minutes since the epoch. */
  addedMinute: Uint32Array,
  /** Minutes since the epoch, 0 for never. */
  expiresMinute: Uint32Array,
  domain: Uint32Array,
  package: Uint32Array,
  kind: Uint8Array,
  /** Hashes of terms in ascending order, the start of their postings, and the number of passages. */
  termHash: Float64Array,
  termOffset: Float64Array,
  termCount: Uint32Array,
} as const;

export type Columns = { [Name in keyof typeof COLUMNS]: InstanceType<(typeof COLUMNS)[Name]> };

export interface IndexParts extends Columns {
  /** Distinct values that columns refer to by position; position 0 is the empty string. */
  domains: string[];
  packages: string[];
  /** Words of titles and names of packages, for spelling suggestions. */
  names: string[];
  postings: Uint8Array;
}

interface Head {
  lists: { domains: string[]; packages: string[] };
  parts: Record<string, { offset: number; length: number; crc: number }>;
}

export function encodeIndex(parts: IndexParts): Uint8Array {
  const bodies: [string, Uint8Array][] = Object.keys(COLUMNS).map((name) => {
    const { buffer, byteOffset, byteLength } = parts[name as keyof Columns];
    return [name, new Uint8Array(buffer, byteOffset, byteLength)];
  });
  bodies.push(['names', Buffer.from(parts.names.join('\n'))], ['postings', parts.postings]);
  const head: Head = { lists: { domains: parts.domains, packages: parts.packages }, parts: {} };
  let offset = 0;
  for (const [name, body] of bodies) {
    head.parts[name] = { offset, length: body.length, crc: crc32(body) };
    offset = aligned(offset + body.length);
  }
  const json = Buffer.from(JSON.stringify(head));
  const start = aligned(HEAD_BYTES + json.length);
  const file = new Uint8Array(start + offset);
  file.set(Buffer.from(MAGIC, 'latin1'));
  const view = new DataView(file.buffer);
  view.setUint32(MAGIC.length, json.length, true);
  view.setUint32(MAGIC.length + 4, crc32(json), true);
  file.set(json, HEAD_BYTES);
  for (const [name, body] of bodies) file.set(body, start + (head.parts[name]?.offset ?? 0));
  return file;
}

/** An open index: columns in memory, postings on disk. */
export interface OpenIndex extends Columns {
  domains: string[];
  packages: string[];
  names(): string[];
  readPostings(from: number, to: number): Uint8Array;
}

/** Reads `length` bytes at an offset of a file. */
export type ReadAt = (offset: number, length: number) => Uint8Array;

export function decodeIndex(name: string, size: number, readAt: ReadAt): OpenIndex {
  const head = readHead(name, size, readAt);
  const part = (of: string): { offset: number; length: number; crc: number } => {
    const found = head.json.parts[of];
    if (found === undefined || head.start + found.offset + found.length > size)
      throw damaged(name, `${of} is cut off`);
    return found;
  };
  const body = (of: string): Uint8Array => {
    const { offset, length, crc } = part(of);
    const bytes = readAt(head.start + offset, length);
    if (bytes.length !== length || crc32(bytes) !== crc)
      throw damaged(name, `${of} does not match its checksum`);
    return bytes;
  };
  const columns = Object.fromEntries(
    Object.entries(COLUMNS).map(([of, Column]) => {
      // A copy in its own buffer is aligned whatever the reader returned.
      const copy = Uint8Array.from(body(of));
      return [of, new Column(copy.buffer, 0, copy.length / Column.BYTES_PER_ELEMENT)];
    }),
  ) as unknown as Columns;
  const postings = part('postings');
  // Verified once when opened, in pieces, so that a search never reads a changed bit.
  if (checksumOf(readAt, head.start + postings.offset, postings.length) !== postings.crc) {
    throw damaged(name, 'postings do not match their checksum');
  }
  const names = Buffer.from(body('names')).toString();
  return {
    ...columns,
    domains: head.json.lists.domains,
    packages: head.json.lists.packages,
    names: () => (names === '' ? [] : names.split('\n')),
    readPostings: (from, to) => readAt(head.start + postings.offset + from, to - from),
  };
}

function readHead(name: string, size: number, readAt: ReadAt): { json: Head; start: number } {
  const first = Buffer.from(size < HEAD_BYTES ? [] : readAt(0, HEAD_BYTES));
  if (first.subarray(0, MAGIC.length).toString('latin1') !== MAGIC)
    throw damaged(
      name,
      first.subarray(0, MAGIC.length - 1).toString('latin1') === MAGIC.slice(0, -1)
        ? 'its index has the format of another version'
        : 'it does not begin as an index',
    );
  const length = first.readUInt32LE(MAGIC.length);
  const json = HEAD_BYTES + length > size ? new Uint8Array() : readAt(HEAD_BYTES, length);
  if (json.length !== length || crc32(json) !== first.readUInt32LE(MAGIC.length + 4)) {
    throw damaged(name, 'its head does not match its checksum');
  }
  return { json: JSON.parse(Buffer.from(json).toString()) as Head, start: aligned(HEAD_BYTES + length) };
}

const PIECE_BYTES = 4 * 1024 * 1024;

function checksumOf(readAt: ReadAt, offset: number, length: number): number {
  let crc = 0;
  for (let done = 0; done < length; done += PIECE_BYTES) {
    crc = crc32(readAt(offset + done, Math.min(PIECE_BYTES, length - done)), crc);
  }
  return crc;
}

export function damaged(name: string, what: string): HeadgateError {
  return new HeadgateError(
    'storage_unavailable',
    own`Segment ${named(name)} of the library is damaged: ${named(what)}.`,
    {
      remediation: 'Run `headgate library rebuild`.',
      data: { segment: name },
    },
  );
}

const aligned = (offset: number): number => Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
