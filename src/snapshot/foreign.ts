import { createHash } from 'node:crypto';
import { closeSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import { LIMITS } from '../core/limits.ts';
import { parseMessage, type KeptAnswer } from './http-message.ts';
import { exchangeRecords } from './recorder.ts';
import { canonicalKey, exactKey, type KeptRequest } from './request-key.ts';
import { knownSecrets, scrubAnswerHeaders, scrubBody, scrubUrl } from './scrub.ts';
import type { Entry, RecordPlace, WebSnapshot } from './entry.ts';
import { gzipRecord, parseRecord, RECORD_BYTES_MAX, recordsIn, type ReadRecord } from './warc.ts';
import { readAt } from './zip.ts';

// Web archives of other tools, read as they are. Their records are untrusted: every size is bounded, and what cannot be used is left out.

/** Where a record lies: in which bytes of the file, and behind how many bytes of what they unpack to. */
interface Spot extends RecordPlace {
  isPacked: boolean;
  inner: number;
}

/** What one record says of an answer, before it is known what was asked. */
interface Candidate {
  type: string;
  url: string;
  at: number;
  status: number;
  mime: string;
  spot: Spot;
  ids: (string | undefined)[];
  /** What a record refers to whose body is that of another. */
  same: (string | undefined)[];
}

interface Posted extends Pick<KeptRequest, 'method' | 'body'> {
  contentType: string | undefined;
}

interface ForeignEntry extends Entry {
  type: string;
  spot: Spot;
  /** Where the body is, if it is that of another record. */
  body: Spot | undefined;
  posted: Posted | undefined;
  nth: number;
}

/** An archive of another tool was not recorded with keys of ours. */
const NO_SECRETS = knownSecrets([]);
const RECORDS_MAX = 2_000_000;
const BROKEN_MAX = 100;
/** What an archive may unpack to: text shrinks to a twentieth, and nothing honest to a hundredth. */
const UNPACKED_FREE = 256_000_000;
const UNPACKED_RATIO = 100;

/** Opens archives inside a file, a record at a time. `unusable` makes the error for a file that cannot be used. */
export function* openForeign(
  file: number,
  path: string,
  archives: readonly RecordPlace[],
  unusable: (why: string) => Error,
): Generator<undefined, WebSnapshot> {
  const { entries, skipped } = yield* entriesOf(file, archives, unusable);
  let isOpen = true;
  const read = (spot: Spot): ReadRecord => {
    const record = isOpen ? recordAt(file, spot) : undefined;
    if (record === undefined) throw unusable('a record is damaged');
    return record;
  };
  const answer = (given: Entry): KeptAnswer => answerOf(given as ForeignEntry, read);
  const written = (given: Entry): [Buffer, Buffer] => {
    const { kind, method, url, at, nth, posted } = given as ForeignEntry;
    const kept = { kind, method, url, ...(posted?.body === undefined ? {} : { body: posted.body }) };
    const { contentType } = posted ?? {};
    const headers: Record<string, string> = contentType === undefined ? {} : { 'content-type': contentType };
    const [asked, answered] = exchangeRecords(kept, headers, answer(given), { at, nth });
    return [Buffer.concat(asked), Buffer.concat(answered)];
  };
  return {
    path,
    recording: undefined,
    entries,
    skipped,
    isOurs: false,
    answer,
    request: (entry) => parseRecord(written(entry)[0]) as ReadRecord,
    response: (entry) => parseRecord(written(entry)[1]) as ReadRecord,
    packed: (entry) => written(entry).map(gzipRecord) as [Buffer, Buffer],
    isWhole: (entry) => fits(read((entry as ForeignEntry).spot)),
    close: () => {
      isOpen = false;
      closeSync(file);
    },
  };
}

function* entriesOf(
  file: number,
  archives: readonly RecordPlace[],
  unusable: (why: string) => Error,
): Generator<undefined, { entries: ForeignEntry[]; skipped: number }> {
  const candidates: Candidate[] = [];
  const posted = new Map<string, Posted>();
  const bodies = new Map<string, Spot>();
  let [records, skipped, unpacked, packed] = [0, 0, 0, 0];
  for (const archive of archives)
    for (const found of recordsOf(file, archive)) {
      yield;
      records += 1;
      if (found === undefined) skipped += 1;
      if (records > RECORDS_MAX) throw unusable('it has too many records');
      if (skipped > BROKEN_MAX) throw unusable('too much of it is damaged');
      if (found === undefined) continue;
      const { spot, record } = found;
      unpacked += record.block.length;
      if (spot.inner === 0) packed += spot.length;
      if (unpacked > UNPACKED_FREE && unpacked > packed * UNPACKED_RATIO)
        throw unusable('it unpacks to far more than it holds');
      if (record.fields['warc-type'] === 'request') notePosted(record, posted);
      const candidate = candidateOf(record, spot);
      if (candidate === undefined) continue;
      candidates.push(candidate);
      if (candidate.type !== 'revisit') noteBody(record, spot, bodies);
    }
  const entries = candidates.flatMap((candidate) => entryOf(candidate, posted, bodies) ?? []);
  skipped += candidates.length - entries.length;
  entries.sort((a, b) => (a.exact < b.exact ? -1 : a.exact > b.exact ? 1 : a.at - b.at));
  for (const [index, entry] of entries.entries()) {
    const before = entries[index - 1];
    if (before?.exact === entry.exact) entry.nth = before.nth + 1;
  }
  return { entries, skipped };
}

/** The records of one archive, packed one by one, packed together, or plain; undefined for one that cannot be read. */
function* recordsOf(
  file: number,
  { offset, length }: RecordPlace,
): Generator<{ spot: Spot; record: ReadRecord } | undefined> {
  const end = offset + length;
  if (readAt(file, offset, 5).toString('latin1') === 'WARC/') {
    for (const place of recordsIn(file, end, offset)) {
      const spot = { ...place, isPacked: false, inner: 0 };
      const record = recordAt(file, spot);
      yield record && { spot, record };
    }
    return;
  }
  for (let at = offset; at < end;) {
    const member = unpackedAt(file, at, end);
    let inner = 0;
    for (let record; (record = member && parseRecord(member.bytes.subarray(inner))) !== undefined;) {
      const spot = { offset: at, length: member?.length ?? 0, isPacked: true, inner };
      yield { spot, record };
      inner += record.length;
    }
    if (inner === 0) yield undefined;
    at = member === undefined ? nextPacked(file, at + 1, end) : at + member.length;
  }
}

function recordAt(file: number, { offset, length, isPacked, inner }: Spot): ReadRecord | undefined {
  if (length > RECORD_BYTES_MAX) return undefined;
  const bytes = isPacked ? unpackedAt(file, offset, offset + length)?.bytes : readAt(file, offset, length);
  return bytes && parseRecord(bytes.subarray(inner));
}

const WINDOW = 1 << 16;

/** What begins here and is packed, and how many bytes it takes. */
function unpackedAt(file: number, at: number, end: number): { bytes: Buffer; length: number } | undefined {
  for (let size = WINDOW; ; size *= 8) {
    const window = readAt(file, at, Math.min(size, end - at));
    const start = gzipHead(window);
    if (start === undefined) return undefined;
    try {
      const { buffer, engine } = inflateRawSync(window.subarray(start), {
        info: true,
        maxOutputLength: RECORD_BYTES_MAX,
      }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
      return { bytes: buffer, length: start + engine.bytesWritten + 8 };
    } catch (thrown) {
      const isCut = (thrown as NodeJS.ErrnoException).code === 'Z_BUF_ERROR';
      if (!isCut || window.length === end - at || size > RECORD_BYTES_MAX) return undefined;
    }
  }
}

/** Where the packed bytes begin behind the head of a gzip member. */
function gzipHead(bytes: Buffer): number | undefined {
  if (bytes.length < 18 || bytes.readUIntBE(0, 3) !== 0x1f8b08) return undefined;
  const flags = bytes[3] ?? 0;
  let at = 10;
  if ((flags & 4) !== 0) at += 2 + bytes.readUInt16LE(at);
  for (const flag of [8, 16])
    if ((flags & flag) !== 0) {
      const end = bytes.indexOf(0, at);
      if (end < 0) return undefined;
      at = end + 1;
    }
  return at + ((flags & 2) === 0 ? 0 : 2);
}

/** The next place where a gzip member seems to begin. */
function nextPacked(file: number, from: number, end: number): number {
  for (let at = from; at < end; at += WINDOW) {
    const window = readAt(file, at, Math.min(WINDOW + 2, end - at));
    const found = window.indexOf(Buffer.from([0x1f, 0x8b, 8]));
    if (found >= 0) return at + found;
  }
  return end;
}

function notePosted({ fields, block }: ReadRecord, posted: Map<string, Posted>): void {
  const { first, headers, body } = parseMessage(block);
  const [method = 'GET'] = first.split(' ', 1);
  if (method === 'GET') return;
  const request = {
    method,
    body: scrubBody(body.toString(), NO_SECRETS),
    contentType: headers['content-type'],
  };
  for (const id of [fields['warc-record-id'], fields['warc-concurrent-to']])
    if (id !== undefined) posted.set(id, request);
}

function noteBody({ fields }: ReadRecord, spot: Spot, bodies: Map<string, Spot>): void {
  for (const name of [fields['warc-record-id'], fields['warc-payload-digest']])
    if (name !== undefined && !bodies.has(name)) bodies.set(name, spot);
}

function candidateOf({ fields, block }: ReadRecord, spot: Spot): Candidate | undefined {
  const type = fields['warc-type'] ?? '';
  const url = (fields['warc-target-uri'] ?? '').replace(/^<|>$/g, '');
  const at = Date.parse(fields['warc-date'] ?? '');
  if (!['response', 'revisit', 'resource'].includes(type) || !/^https?:\/\//i.test(url)) return undefined;
  if (URL.parse(url) === null || Number.isNaN(at)) return undefined;
  const isMessage = block.subarray(0, 5).toString('latin1') === 'HTTP/';
  const { first, headers } = isMessage ? parseMessage(block) : { first: '', headers: fields };
  const status = isMessage ? Number(first.split(' ')[1]) : 200;
  if (type === 'response' && !(isMessage && status >= 100 && status <= 599)) return undefined;
  return {
    type,
    url: scrubUrl(url, NO_SECRETS),
    at,
    status,
    mime: headers['content-type']?.split(';', 1)[0]?.trim() ?? '',
    spot,
    ids: [fields['warc-record-id'], fields['warc-concurrent-to']],
    same: [fields['warc-refers-to'], fields['warc-payload-digest']],
  };
}

function entryOf(
  candidate: Candidate,
  requests: Map<string, Posted>,
  bodies: Map<string, Spot>,
): ForeignEntry | undefined {
  const { type, url, at, status, mime, spot, ids, same } = candidate;
  const one = <Value>(map: Map<string, Value>, names: (string | undefined)[]): Value | undefined =>
    names
      .map((name) => (name === undefined ? undefined : map.get(name)))
      .find((value) => value !== undefined);
  const posted = one(requests, ids);
  const body = type === 'revisit' ? one(bodies, same) : undefined;
  const method = posted?.method ?? 'GET';
  if ((type === 'revisit' && body === undefined) || !['GET', 'POST', 'PUT'].includes(method))
    return undefined;
  const kept: KeptRequest = {
    kind: posted === undefined ? 'page' : 'provider',
    method,
    url,
    ...(posted?.body === undefined ? {} : { body: posted.body }),
  };
  const keys = { exact: exactKey(kept), canonical: canonicalKey(kept) };
  const { kind } = kept;
  return {
    ...keys,
    kind,
    method,
    url,
    at,
    status,
    mime,
    asked: spot,
    answered: spot,
    type,
    spot,
    body,
    posted,
    nth: 0,
  };
}

/** An answer as a client would have read it. */
function answerOf(
  { type, spot, body, status = 200 }: ForeignEntry,
  read: (spot: Spot) => ReadRecord,
): KeptAnswer {
  const { fields, block } = read(spot);
  if (type === 'resource')
    return { status: 200, headers: { 'content-type': fields['content-type'] ?? '' }, bytes: block };
  const own = parseMessage(block);
  const source = body === undefined ? own : parseMessage(read(body).block);
  const isEmpty = Object.keys(own.headers).length === 0;
  const chunked = /chunked/i.test(source.headers['transfer-encoding'] ?? '');
  const bytes = chunked ? joined(source.body) : source.body;
  const encoding = source.headers['content-encoding']?.trim().toLowerCase() ?? '';
  const plain = unpackedBody(bytes, encoding);
  return {
    status,
    headers: {
      ...scrubAnswerHeaders(isEmpty ? source.headers : own.headers, NO_SECRETS),
      ...(plain === undefined ? { 'content-encoding': encoding } : {}),
    },
    bytes: plain ?? bytes,
  };
}

/** A body without its chunks. Some tools join them and leave the header: what is not in chunks is taken as it is. */
function joined(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const end = body.indexOf('\r\n', at);
    const size = /^[0-9a-f]{1,8}(?=\s*(;|$))/i.exec(
      body.toString('latin1', at, end < 0 ? at : Math.min(end, at + 64)),
    );
    if (size === null) return at === 0 ? body : Buffer.concat(parts);
    const length = parseInt(size[0], 16);
    if (length === 0) break;
    parts.push(body.subarray(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
  return Buffer.concat(parts);
}

const DECODERS: Record<string, typeof gunzipSync> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** A body without its encoding; undefined where that is left to whoever reads it. Some tools unpack it and leave the header. */
function unpackedBody(bytes: Buffer, encoding: string): Buffer | undefined {
  if (encoding === '' || encoding === 'identity' || bytes.length === 0) return bytes;
  const decode = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (decode === undefined) return undefined;
  try {
    return decode(bytes, { maxOutputLength: LIMITS.fetchBytesMax });
  } catch (thrown) {
    const isTooLarge = (thrown as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    const isCut = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return isTooLarge || isCut ? undefined : bytes;
  }
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Whether a block has the sum that its record names, in hexadecimal or base32; one without a sum that we know is not wrong. */
function fits({ fields, block }: ReadRecord): boolean {
  const [name = '', expected = ''] = (fields['warc-block-digest'] ?? '').split(':');
  const algorithm = name.toLowerCase().replace('-', '');
  if (!['sha1', 'sha256', 'md5'].includes(algorithm)) return true;
  const hex = createHash(algorithm).update(block).digest('hex');
  if (expected.length === hex.length) return expected.toLowerCase() === hex;
  const bits = BigInt(`0x${hex}`)
    .toString(2)
    .padStart(hex.length * 4, '0');
  const base32 = (bits.match(/.{1,5}/g) ?? [])
    .map((five) => BASE32[parseInt(five.padEnd(5, '0'), 2)])
    .join('');
  return expected.replace(/=+$/, '').toUpperCase() === base32;
}
