import {
  CODE_BITS_MAX,
  LETTER_BITS,
  letterOf,
  LETTERS,
  SHARED_MAX,
  SHARED_NONE,
} from '../../src/core/table-text.ts';

/** Writes arrays that `openTable` in `src/core/table-text.ts` reads, in the same order. */
export interface TableWriter {
  bytes(array: ArrayBufferView, stride: number): void;
  text(): string;
}

type Sent = [place: number, byte: number];

export function createTableWriter(): TableWriter {
  const bits: number[] = [];
  return {
    bytes: (array, stride) => {
      const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
      writeSymbols(
        bits,
        Array.from(bytes, (byte, index): Sent => [index % stride, byte]),
        stride,
      );
    },
    text: () => lettersOf(bits),
  };
}

/** Sorted words as `readWords` reads them. */
export function wordsText(words: string[]): string {
  return words
    .map((word, index) => {
      const before = words[index - 1] ?? '';
      if (/[A-Z]/.test(word) || (index > 0 && before >= word)) throw new Error(`"${word}" is not in order.`);
      let shared = 0;
      while (shared < Math.min(before.length, SHARED_MAX) && before[shared] === word[shared]) shared += 1;
      return String.fromCharCode(SHARED_NONE + shared) + word.slice(shared);
    })
    .join('');
}

function writeSymbols(bits: number[], sent: Sent[], places: number): void {
  const counts = Array.from({ length: places }, () => new Map<number, number>());
  for (const [place, byte] of sent) counts[place]?.set(byte, (counts[place].get(byte) ?? 0) + 1);
  const codes = counts.map((count) => writeCode(bits, lengthsOf(count)));
  for (const [place, byte] of sent) for (const bit of codes[place]?.get(byte) ?? '') bits.push(Number(bit));
}

/** Writes which bytes a place has and how long their codes are; that fixes the codes. */
function writeCode(bits: number[], lengths: Map<number, number>): Map<number, string> {
  const low = (value: number, count: number): void => {
    for (let index = 0; index < count; index++) bits.push((value >> index) & 1);
  };
  const gap = (value: number): void => {
    const zeros = Math.floor(Math.log2(value));
    low(0, zeros);
    bits.push(1);
    low(value - (1 << zeros), zeros);
  };
  const symbols = [...lengths.keys()].sort((a, b) => a - b);
  gap(symbols.length + 1);
  for (const [index, symbol] of symbols.entries()) {
    gap(symbol - (symbols[index - 1] ?? -1));
    low(lengths.get(symbol) as number, 4);
  }
  const codes = new Map<number, string>();
  let [code, last] = [0, 0];
  for (const symbol of symbols.sort((a, b) => (lengths.get(a) as number) - (lengths.get(b) as number))) {
    const length = lengths.get(symbol) as number;
    code <<= length - last;
    last = length;
    // A byte that is always the same needs no bit.
    codes.set(symbol, length === 0 ? '' : code.toString(2).padStart(length, '0'));
    code += 1;
  }
  return codes;
}

/** The lengths of Huffman codes; rare symbols count as less rare until no code is too long. */
function lengthsOf(counts: Map<number, number>): Map<number, number> {
  const lengths = new Map([...counts.keys()].map((symbol) => [symbol, 0]));
  let queue = [...counts].map(([symbol, count]) => ({ count, symbols: [symbol] }));
  while (queue.length > 1) {
    queue.sort((a, b) => a.count - b.count);
    const [one, two, ...rest] = queue as [(typeof queue)[0], (typeof queue)[0]];
    const symbols = [...one.symbols, ...two.symbols];
    for (const symbol of symbols) lengths.set(symbol, (lengths.get(symbol) as number) + 1);
    queue = [...rest, { count: one.count + two.count, symbols }];
  }
  return Math.max(0, ...lengths.values()) <= CODE_BITS_MAX
    ? lengths
    : lengthsOf(new Map([...counts].map(([symbol, count]) => [symbol, Math.ceil(count / 2)])));
}

function lettersOf(bits: number[]): string {
  let text = '';
  for (let at = 0; at < bits.length; at += LETTER_BITS) {
    const value = bits.slice(at, at + LETTER_BITS).reduce((sum, bit, index) => sum | (bit << index), 0);
    text += String.fromCharCode(letterOf(Math.floor(value / LETTERS)), letterOf(value % LETTERS));
  }
  return text;
}
