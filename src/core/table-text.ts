/**
 * Tables that ship with the code as text in a module, so that bundlers carry them along: sorted words and arrays of numbers, no larger than
 * compressed files. `scripts/train/write-table.ts` writes what this reads.
 */
export interface TableReader {
  /** The next array, of numbers of `stride` bytes each. */
  bytes(count: number, stride: number): Uint8Array<ArrayBuffer>;
}

/**
 * Words in lower case, front coded: a capital letter says how many characters each shares with the one before it. That is read by a regular
 * expression, which is fast from the first word on.
 */
export function readWords(text: string): string[] {
  const words: string[] = [];
  let before = '';
  for (const part of text.match(/[A-Z][^A-Z]*/g) ?? []) {
    before = before.slice(0, part.charCodeAt(0) - SHARED_NONE) + part.slice(1);
    words.push(before);
  }
  return words;
}

/** The letter of a word that shares nothing. */
export const SHARED_NONE = 65;
export const SHARED_MAX = 25;

/** Printable ASCII without quote and backslash: two letters hold 13 bits. */
export const LETTERS = 91;
export const LETTER_BITS = 13;
export const letterOf = (value: number): number => value + (value > 56 ? 36 : 35);
const valueOf = (letter: number): number => letter - (letter > 92 ? 36 : 35);

export const CODE_BITS_MAX = 12;
const GAP_BITS_MAX = 9;
/** The text as bits, and the place of the next one. */
interface Bits {
  bytes: Uint8Array;
  at: number;
}

/** Opens arrays that were packed: every byte is written with a Huffman code of its place in a number. */
export function openTable(text: string): TableReader {
  const bits = { bytes: bytesOf(text), at: 0 };
  return {
    bytes: (count, stride) => {
      const symbol = readCodes(bits, stride);
      const out = new Uint8Array(count);
      for (let index = 0; index < count; index++) out[index] = symbol(index % stride);
      return out;
    },
  };
}

function bytesOf(text: string): Uint8Array {
  // A few more, because whole windows are read at the end.
  const bytes = new Uint8Array((text.length >> 1) * 2 + 8);
  let [held, count, end] = [0, 0, 0];
  for (let at = 0; at < text.length; at += 2) {
    held |= (valueOf(text.charCodeAt(at)) * LETTERS + valueOf(text.charCodeAt(at + 1))) << count;
    for (count += LETTER_BITS; count >= 8; count -= 8) {
      bytes[end++] = held;
      held >>= 8;
    }
  }
  bytes[end] = held;
  return bytes;
}

/** The next bits, at least 17 of them, the first one lowest. */
const peek = ({ bytes, at }: Bits): number => {
  const byte = at >> 3;
  return (
    ((bytes[byte] as number) | ((bytes[byte + 1] as number) << 8) | ((bytes[byte + 2] as number) << 16)) >>
    (at & 7)
  );
};

function take(bits: Bits, count: number): number {
  const value = peek(bits) & ((1 << count) - 1);
  bits.at += count;
  return value;
}

/** A number from 1 on: zeros say how many bits it has. */
function takeGap(bits: Bits): number {
  let zeros = 0;
  while (zeros < GAP_BITS_MAX && take(bits, 1) === 0) zeros += 1;
  return (1 << zeros) | take(bits, zeros);
}

/** Reads the codes of every place; a byte is then found by the next bits, with the length of its code. */
function readCodes(bits: Bits, places: number): (place: number) => number {
  const codes: Uint16Array[] = [];
  for (let place = 0; place < places; place++) codes.push(readCode(bits));
  return (place) => {
    const code = codes[place] as Uint16Array;
    const entry = code[peek(bits) & (code.length - 1)] as number;
    bits.at += entry & 15;
    return entry >> 4;
  };
}

function readCode(bits: Bits): Uint16Array {
  const byLength: number[][] = Array.from({ length: CODE_BITS_MAX + 1 }, () => []);
  let [symbol, longest] = [-1, 0];
  for (let rest = takeGap(bits) - 1; rest > 0; rest--) {
    symbol += takeGap(bits);
    const length = take(bits, 4);
    longest = Math.max(longest, length);
    byLength[length]?.push(symbol);
  }
  const table = new Uint16Array(1 << longest);
  // The codes of one length follow each other; in the table their first bit is the lowest.
  let code = 0;
  for (const [length, symbols] of byLength.entries()) {
    code <<= 1;
    for (const one of symbols) {
      let place = 0;
      for (let bit = 0; bit < length; bit++) place |= ((code >> bit) & 1) << (length - 1 - bit);
      for (; place < table.length; place += 1 << length) table[place] = (one << 4) | length;
      code += 1;
    }
  }
  return table;
}
