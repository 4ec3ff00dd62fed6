import { decodeCharset } from '../../core/decode-charset.ts';

/** Decoded text, with the charset and whether it was a guess. */
export interface Decoded {
  text: string;
  charset: string;
  isGuess: boolean;
}

const PRESCAN_BYTES = 4_096;
const SAMPLE_BYTES = 64 * 1024;

/**
 * Decodes bytes: by byte order mark, then by the server's charset, then by the page's, then by the bytes. A
 * declared charset that contradicts the bytes is ignored.
 */
export function decodeBytes(bytes: Uint8Array, contentType = ''): Decoded {
  const marked = byMark(bytes);
  if (marked !== undefined) return { text: decodeCharset(bytes, marked), charset: marked, isGuess: false };
  const declared = knownCharset(charsetIn(contentType)) ?? knownCharset(declaredInPage(bytes));
  const isUtf8 = isValidUtf8(bytes);
  if (declared === 'utf-8' && isUtf8)
    return { text: decodeCharset(bytes, declared), charset: declared, isGuess: false };
  // Latin-1 fits any bytes, so it is only believed where UTF-8 is impossible.
  if (
    declared !== undefined &&
    declared !== 'utf-8' &&
    !(isUtf8 && declared.startsWith('windows-125') && hasHighBytes(bytes))
  )
    return { text: decodeCharset(bytes, declared), charset: declared, isGuess: false };
  const guess = guessCharset(bytes, isUtf8);
  const isPlain = isUtf8 && declared === undefined && !hasHighBytes(bytes);
  return { text: decodeCharset(bytes, guess), charset: guess, isGuess: !isPlain };
}

function byMark(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}

function charsetIn(text: string): string | undefined {
  return /charset\s*=\s*["']?([\w.:-]{2,40})/i.exec(text)?.[1];
}

/** `<meta charset>`, `<meta http-equiv>` and `<?xml encoding?>` in the first bytes. */
function declaredInPage(bytes: Uint8Array): string | undefined {
  const start = decodeCharset(bytes.subarray(0, PRESCAN_BYTES), 'latin1');
  const xml = /^\s*<\?xml[^>]{0,200}encoding\s*=\s*["']([\w.:-]{2,40})/i.exec(start)?.[1];
  const meta = /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w.:-]{2,40})/i.exec(start)?.[1];
  const found = meta ?? xml;
  // A page that could be read this far is not UTF-16, whatever it says.
  return found !== undefined && /^utf-?16/i.test(found) ? 'utf-8' : found;
}

/** The standard name of a charset that the platform can read. */
function knownCharset(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  try {
    return new TextDecoder(name).encoding;
  } catch {
    // A name nobody knows says nothing.
    return undefined;
  }
}

function isValidUtf8(bytes: Uint8Array): boolean {
  return fits(bytes, 'utf-8') !== undefined;
}

function fits(bytes: Uint8Array, charset: string): string | undefined {
  try {
    return decodeCharset(bytes, charset, { fatal: true });
  } catch {
    // The bytes are not in this charset: the answer, not an error.
    return undefined;
  }
}

const hasHighBytes = (bytes: Uint8Array): boolean => bytes.some((byte) => byte >= 0x80);

/** Signs of the language that a multi-byte charset would be for, to tell real text from bytes that merely fit. */
const MULTIBYTE: [string, RegExp][] = [
  ['shift_jis', /[\u3040-\u30FA]/g],
  ['euc-jp', /[\u3040-\u30FA]/g],
  ['euc-kr', /[\uAC00-\uD7A3]/g],
  ['gb18030', /[\u4E00-\u9FFF]/g],
  ['big5', /[\u4E00-\u9FFF]/g],
];

function guessCharset(bytes: Uint8Array, isUtf8: boolean): string {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const wide = guessUtf16(sample);
  if (wide !== undefined) return wide;
  if (isUtf8) return 'utf-8';
  // A few broken bytes do not make a UTF-8 page Latin-1.
  const loose = decodeCharset(sample, 'utf-8');
  const broken = count(loose, /\uFFFD/g);
  const intact = count(loose, /[\u0080-\uFFFC]/g);
  if (intact > 10 * broken) return 'utf-8';
  const even = sample.subarray(0, sample.length - 1);
  for (const [charset, signs] of MULTIBYTE) {
    const text = fits(sample, charset) ?? fits(even, charset);
    if (text === undefined) continue;
    const foreign = count(text, /[^\u0000-\u007F]/g);
    if (foreign > 4 && count(text, signs) > 0.3 * foreign) return charset;
  }
  return 'windows-1252';
}

/** Western text in UTF-16 has a zero in every other byte. */
function guessUtf16(sample: Uint8Array): string | undefined {
  let [even, odd] = [0, 0];
  for (let index = 0; index < sample.length; index++) {
    if (sample[index] !== 0) continue;
    if (index % 2 === 0) even += 1;
    else odd += 1;
  }
  if (odd > sample.length * 0.2 && even < odd / 10) return 'utf-16le';
  if (even > sample.length * 0.2 && odd < even / 10) return 'utf-16be';
  return undefined;
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
