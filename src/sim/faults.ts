import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { SimResponse } from './upstream.ts';
import type { SimulatedApi } from './wire.ts';

/**
 * How one request fails. `times` (default 1) is the number of matching requests. All fields are plain JSON.
 */
export type Fault = FaultKind & { times?: number | 'always' };

type FaultKind =
  | { kind: 'pass' }
  | { kind: 'status'; status: number; headers?: Record<string, string>; body?: string }
  | { kind: 'delay'; ms: number }
  | { kind: 'redirect'; location: string; status?: number }
  /** The correct body under another type. */
  | { kind: 'type'; contentType: string }
  /** A text body of exactly this many bytes. */
  | { kind: 'size'; bytes: number }
  | { kind: 'empty' | 'hang' | 'reset' | 'cut' | 'endless' | 'not-http' | 'http-09' }
  | { kind: 'drip-head' | 'drip-body' | 'interim-flood'; everyMs?: number }
  | { kind: 'huge-header' | 'many-headers'; bytes?: number }
  | { kind: 'length-over' | 'length-under' | 'length-twice' | 'length-and-chunked' }
  | { kind: 'bad-chunk' | 'cut-chunk' }
  | { kind: 'gzip' | 'gzip-twice' | 'gzip-twice-hidden' | 'gzip-cut' | 'gzip-broken' }
  | { kind: 'gzip-bomb' | 'brotli-bomb'; bytes?: number };

type Player<Kind extends FaultKind['kind']> = (
  wire: SimulatedApi,
  answer: SimResponse,
  fault: Extract<FaultKind, { kind: Kind }>,
) => void;

const MIB = 1024 * 1024;

/** One entry per kind; a new fault is one line in the union and one here. */
const PLAYERS: { [Kind in FaultKind['kind']]: Player<Kind> } = {
  pass: (wire, answer) => wire.respond(answer),
  status: (wire, _answer, { status, headers, body }) =>
    wire.respond({ status, headers: headers ?? {}, body: body ?? '' }),
  delay: (wire, answer, { ms }) => wire.later(ms, () => wire.respond(answer)),
  redirect: (wire, _answer, { location, status }) =>
    wire.respond({ status: status ?? 302, headers: { location }, body: '' }),
  type: (wire, answer, { contentType }) =>
    wire.respond({ ...answer, headers: { ...answer.headers, 'content-type': contentType } }),
  size: (wire, _answer, { bytes }) => wire.respond(text(Buffer.alloc(bytes, 'a'))),
  empty: (wire, answer) => wire.respond({ ...answer, body: '' }),

  hang: () => {},
  reset: (wire, answer) => {
    wire.write(head(answer, bytesOf(answer).length), half(answer));
    wire.later(5, () => wire.reset());
  },
  cut: (wire, answer) => wire.end(head(answer, bytesOf(answer).length), half(answer)),
  endless: (wire, answer) => {
    wire.write(head(answer));
    wire.flood(Buffer.alloc(64 * 1024, 'a'));
  },
  'not-http': (wire) => wire.end('SSH-2.0-OpenSSH_9.6\r\n'),
  'http-09': (wire, answer) => wire.end(bytesOf(answer)),

  'drip-head': (wire, answer, { everyMs }) => wire.drip(head(answer, 1), everyMs ?? 10),
  'drip-body': (wire, answer, { everyMs }) => {
    wire.write(head(answer, bytesOf(answer).length));
    wire.drip(bytesOf(answer), everyMs ?? 10);
  },
  'interim-flood': (wire, _answer, { everyMs }) =>
    wire.every(everyMs ?? 1, 'HTTP/1.1 102 Processing\r\n\r\n'),
  'huge-header': (wire, answer, { bytes }) =>
    wire.end(head(answer, 0, `x-padding: ${'a'.repeat(bytes ?? MIB)}\r\n`)),
  'many-headers': (wire, answer) =>
    wire.end(head(answer, 0, Array.from({ length: 5_000 }, (_, index) => `x-${index}: a\r\n`).join(''))),

  'length-over': (wire, answer) => wire.end(head(answer, bytesOf(answer).length + 100), bytesOf(answer)),
  'length-under': (wire, answer) =>
    wire.end(head(answer, Math.floor(bytesOf(answer).length / 2)), bytesOf(answer)),
  'length-twice': (wire, answer) => {
    const { length } = bytesOf(answer);
    wire.end(head(answer, length, `content-length: ${length + 7}\r\n`), bytesOf(answer));
  },
  'length-and-chunked': (wire, answer) =>
    wire.end(head(answer, 3, 'transfer-encoding: chunked\r\n'), chunk(bytesOf(answer)), '0\r\n\r\n'),
  'bad-chunk': (wire, answer) => wire.end(chunked(answer), chunk(bytesOf(answer)), 'zz\r\nnonsense\r\n'),
  'cut-chunk': (wire, answer) => wire.end(chunked(answer), chunk(bytesOf(answer)), '40\r\nonly this'),

  gzip: (wire, answer) => wire.respond(encoded(answer, 'gzip', gzipSync(bytesOf(answer)))),
  'gzip-twice': (wire, answer) =>
    wire.respond(encoded(answer, 'gzip, gzip', gzipSync(gzipSync(bytesOf(answer))))),
  'gzip-twice-hidden': (wire, answer) =>
    wire.respond(encoded(answer, 'gzip', gzipSync(gzipSync(bytesOf(answer))))),
  'gzip-cut': (wire, answer) => {
    const bytes = gzipSync(bytesOf(answer));
    wire.respond(encoded(answer, 'gzip', bytes.subarray(0, Math.ceil(bytes.length / 2))));
  },
  'gzip-broken': (wire, answer) =>
    wire.respond(encoded(answer, 'gzip', Buffer.from('this was never compressed'))),
  'gzip-bomb': (wire, answer, { bytes }) =>
    wire.respond(encoded(answer, 'gzip', gzipBomb(bytes ?? 1024 * MIB))),
  'brotli-bomb': (wire, answer, { bytes }) => {
    const zeros = Buffer.alloc(bytes ?? 64 * MIB);
    const bomb = brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } });
    wire.respond(encoded(answer, 'br', bomb));
  },
};

export function playFault(fault: FaultKind, wire: SimulatedApi, answer: SimResponse): void {
  const player = PLAYERS[fault.kind] as Player<FaultKind['kind']>;
  player(wire, answer, fault);
}

/** Validates faults that come over HTTP. */
export const isFault = (value: unknown): value is Fault =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  Object.hasOwn(PLAYERS, String(value.kind));

export const FAULT_KINDS: string[] = Object.keys(PLAYERS);

const bytesOf = (answer: SimResponse): Buffer => Buffer.from(answer.body);
const half = (answer: SimResponse): Buffer =>
  bytesOf(answer).subarray(0, Math.ceil(bytesOf(answer).length / 2));
const text = (body: Buffer): SimResponse => ({
  status: 200,
  headers: { 'content-type': 'text/plain' },
  body,
});
const chunk = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
const chunked = (answer: SimResponse): string => head(answer, undefined, 'transfer-encoding: chunked\r\n');

function head(answer: SimResponse, length?: number, more = ''): string {
  const headers = Object.entries(answer.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
  const declared = length === undefined ? '' : `content-length: ${length}\r\n`;
  return `HTTP/1.1 ${answer.status} Simulated\r\n${headers.join('')}${declared}${more}\r\n`;
}

const encoded = (answer: SimResponse, encoding: string, body: Buffer): SimResponse => ({
  status: answer.status,
  headers: { ...answer.headers, 'content-encoding': encoding },
  body,
});

/** Repeated gzip members of 16 MiB of zeros: a gigabyte fits into a megabyte and is built at once. */
function gzipBomb(bytes: number): Buffer {
  const member = gzipSync(Buffer.alloc(16 * MIB), { level: 9 });
  return Buffer.concat(Array.from({ length: Math.ceil(bytes / (16 * MIB)) }, () => member));
}
