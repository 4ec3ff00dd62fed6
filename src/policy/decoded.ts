import { gunzipSync, inflateSync } from 'node:zlib';

/** A text that was read from a part of another one, and where that part is in the original. */
export interface DecodedPart {
  text: string;
  from: number;
  to: number;
}

const DEPTH = 2;
/** Texts that leave are bounded, and what they decode to is smaller, unless it was packed. */
const UNPACKED_MAX = 64_000;
const CHARS_MAX = 1_000_000;

/** Runs that may be encoded: parts of an address with escapes, and characters of base64, base32 and hexadecimal numbers. */
const PART = /[^\s/?&=#,;"'<>]+/g;
const RUN = /[A-Za-z0-9+/_-]{16,}={0,6}/g;

/**
 * Everything that a text may say in another encoding: percent escapes, base64, base32, hexadecimal numbers, and any of
 * these inside another. Only what decodes to readable text is kept.
 */
export function decodedParts(text: string): DecodedPart[] {
  const found: DecodedPart[] = [];
  let chars = 0;
  const walk = (part: DecodedPart, depth: number): void => {
    const add = (text: string, run: RegExpMatchArray & { index: number }): void => {
      if (chars > CHARS_MAX) return;
      chars += text.length;
      const at = { from: run.index, to: run.index + run[0].length };
      const inner = { ...part, ...(depth === 0 ? at : {}), text };
      found.push(inner);
      if (depth + 1 < DEPTH) walk(inner, depth + 1);
    };
    if (part.text.includes('%'))
      for (const run of part.text.matchAll(PART)) {
        const plain = unescaped(run[0]);
        if (plain !== run[0]) add(plain, run);
      }
    for (const run of part.text.matchAll(RUN)) for (const text of readings(run[0])) add(text, run);
  };
  walk({ text, from: 0, to: text.length }, 0);
  return found;
}

const unescaped = (text: string): string =>
  text.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString(),
  );

type Decode = (text: string) => Buffer;
const fromBase64: Decode = (text) => Buffer.from(text, 'base64');

function* readings(run: string): Generator<string> {
  if (/^[0-9a-f]+$/i.test(run)) yield* readable(run, (text) => Buffer.from(text, 'hex'));
  if (/^[a-z2-7]+=*$/i.test(run)) yield* readable(run, fromBase32);
  yield* readable(run, fromBase64);
  // The parts of an address are joined by slashes, which base64 also has.
  if (!run.includes('/')) return;
  for (const piece of run.split('/')) if (piece.length >= 16) yield* readings(piece);
}

/** The decoded text; nothing when it is no text. Most runs are words that decode to noise: their beginning tells. */
function* readable(run: string, decode: Decode): Generator<string> {
  const head = decode(run.slice(0, 16));
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  const isPacked = isGzip || head[0] === 0x78;
  if (!isPacked && !isPlain(head)) return;
  const bytes = decode(run);
  const text = (isPacked ? inflated(bytes, isGzip) : bytes).toString();
  if (isPlain(Buffer.from(text.slice(0, 8)))) yield text;
}

const isPlain = (bytes: Buffer): boolean =>
  bytes.every((byte) => (byte >= 0x20 && byte <= 0x7e) || byte === 0x09 || byte === 0x0a || byte === 0x0d);

function inflated(bytes: Buffer, isGzip: boolean): Buffer {
  try {
    return (isGzip ? gunzipSync : inflateSync)(bytes, { maxOutputLength: UNPACKED_MAX });
  } catch {
    return bytes;
  }
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

function fromBase32(text: string): Buffer {
  const bytes: number[] = [];
  let [bits, held] = [0, 0];
  for (const letter of text.toLowerCase().replace(/=+$/, '')) {
    held = ((held << 5) | BASE32.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 0xff);
  }
  return Buffer.from(bytes);
}

/** Letters of other alphabets that look like Latin ones. */
const LOOKALIKES = new Map(
  [
    'аaсcеeоoрpхxуyіiјjѕsһhԁdԛqԝwԍgӏlьb',
    'АAВBЕEКKМMНHОOРPСCТTХXУYІIЈJЅSԌGԚQԜW',
    'αaοoνvρpκkιiτtυu',
    'ΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧX',
  ]
    .join('')
    .match(/../gu)
    ?.map((pair): [string, string] => [pair.slice(0, 1), pair.slice(1)]),
);

/** Characters that may hide others: invisible ones, Greek and Cyrillic letters, and copies of Latin ones. */
const MASKS = /[\p{DI}\u0370-\u052f\uff01-\uff5e\u{1d400}-\u{1d7ff}]/u;
const NOT_ASCII = /[^\u0001-\u007f]/;
const INVISIBLE = /\p{DI}/u;

/**
 * A text as it is meant: without characters that nobody sees, and with Latin letters for those that only look like them.
 * `at` has the place of every character in the original, and is absent when the text was plain.
 */
export function unmasked(text: string): { text: string; at?: number[] } {
  // Most text is plain, and costs one look.
  if (!NOT_ASCII.test(text) || !MASKS.test(text)) return { text };
  let plain = '';
  const at: number[] = [];
  let index = 0;
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0;
    const seen = code < 0x80 ? letter : seenAs(letter, code);
    plain += seen;
    for (let each = 0; each < seen.length; each += 1) at.push(index);
    index += letter.length;
  }
  at.push(index);
  return { text: plain, at };
}

function seenAs(letter: string, code: number): string {
  // Tags are invisible copies of ASCII.
  if (code >= 0xe0020 && code <= 0xe007e) return String.fromCodePoint(code - 0xe0000);
  const alike = LOOKALIKES.get(letter);
  if (alike !== undefined) return alike;
  if (INVISIBLE.test(letter)) return '';
  return code > 0xff00 ? letter.normalize('NFKC') : letter;
}
