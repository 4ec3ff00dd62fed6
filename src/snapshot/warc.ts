import { createHash, hash } from 'node:crypto';
import { readSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

// Records of WARC 1.1. Their names are made of their content, so that the same recording gives the same bytes.

export interface WarcRecord {
  /** Its name, where it keeps one. */
  id?: string | undefined;
  type: 'warcinfo' | 'request' | 'response' | 'metadata' | 'conversion';
  /** The address that was asked for. */
  target?: string | undefined;
  at: number;
  contentType: string;
  /** Its content, in pieces. */
  block: readonly Buffer[];
  /** The body inside the block, where it is an HTTP message. */
  payload?: Buffer;
  /** The record that belongs to it. */
  concurrentTo?: string | undefined;
  /** Tells apart records that are otherwise the same. */
  nth?: number | string;
  /** Fields of ours. */
  extra?: Record<string, string>;
}

/** A record as bytes, in pieces, and its name. */
export function writeRecord(record: WarcRecord): { id: string; pieces: Buffer[] } {
  const { type, target, at, contentType, block, payload, concurrentTo, nth = 0, extra = {} } = record;
  const sum = digest(...block);
  const id =
    record.id ?? nameOf([type, target ?? '', concurrentTo ?? '', String(at), String(nth), sum].join('\n'));
  const lines = [
    'WARC/1.1',
    `WARC-Type: ${type}`,
    `WARC-Record-ID: ${id}`,
    ...(target === undefined ? [] : [`WARC-Target-URI: ${target}`]),
    `WARC-Date: ${new Date(at).toISOString()}`,
    ...(concurrentTo === undefined ? [] : [`WARC-Concurrent-To: ${concurrentTo}`]),
    `WARC-Block-Digest: ${sum}`,
    ...(payload === undefined ? [] : [`WARC-Payload-Digest: ${digest(payload)}`]),
    ...Object.entries(extra).map(([name, value]) => `${name}: ${value}`),
    `Content-Type: ${contentType}`,
    `Content-Length: ${block.reduce((bytes, piece) => bytes + piece.length, 0)}`,
  ];
  return { id, pieces: [Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), ...block, END] };
}

const END = Buffer.from('\r\n\r\n');

/** The sum of bytes, which may come in pieces. */
export function digest(...pieces: Buffer[]): string {
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined) return `sha256:${hash('sha256', only)}`;
  const sum = createHash('sha256');
  for (const piece of pieces) sum.update(piece);
  return `sha256:${sum.digest('hex')}`;
}

/** A name-based UUID. */
function nameOf(text: string): string {
  const hex = hash('sha256', text);
  const variant = ((parseInt(hex[16] ?? '0', 16) & 3) | 8).toString(16);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ];
  return `<urn:uuid:${parts.join('-')}>`;
}

/** A record as it was read. */
export interface ReadRecord {
  fields: Record<string, string>;
  block: Buffer;
}

const HEAD_BYTES_MAX = 65_536;
/** One record, unpacked. */
export const RECORD_BYTES_MAX = 64_000_000;

/** Takes one record apart; undefined for what is none or is cut off. */
export function parseRecord(bytes: Buffer): (ReadRecord & { length: number }) | undefined {
  const end = bytes.indexOf(END);
  if (end < 0 || end > HEAD_BYTES_MAX || !bytes.subarray(0, 7).equals(Buffer.from('WARC/1.')))
    return undefined;
  const fields = warcFields(bytes.toString('utf8', 0, end));
  const size = Number(fields['content-length']);
  const start = end + END.length;
  const length = start + size + END.length;
  if (!Number.isSafeInteger(size) || size < 0 || length > bytes.length) return undefined;
  return { fields, block: bytes.subarray(start, start + size), length };
}

/** Name and value of each line after the first; names in lower case. */
export const warcFields = (head: string): Record<string, string> =>
  Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
  );

/** Where the records of an uncompressed file are. What a killed process left behind at its end is not among them. */
export function* recordsIn(
  file: number,
  size: number,
  from = 0,
): Generator<{ offset: number; length: number }> {
  const head = Buffer.alloc(HEAD_BYTES_MAX);
  for (let offset = from; offset < size;) {
    const window = head.subarray(0, readSync(file, head, 0, head.length, offset));
    const end = window.indexOf(END);
    const length = end < 0 ? NaN : Number(warcFields(window.toString('utf8', 0, end))['content-length']);
    const whole = end + END.length + length + END.length;
    if (!Number.isSafeInteger(length) || length < 0 || offset + whole > size) return;
    yield { offset, length: whole };
    offset += whole;
  }
}

/** Compressed the same on every system. */
export function gzipRecord(bytes: Buffer): Buffer {
  const made = gzipSync(bytes, { level: 9 });
  made[9] = 255;
  return made;
}
