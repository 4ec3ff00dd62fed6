/** Strings that must not leave, in whatever common encoding. */
export interface KnownValues {
  /** The index of a value that one of the texts contains; undefined when none does. */
  find(texts: readonly string[]): number | undefined;
}

const CHARS_MIN = 8;
/** Of a random value, this many characters in a row are enough. */
const PART = 16;
const STEP = 4;
const WINDOW = PART - STEP;

/** The letters and digits of a text, in small letters. */
function squeezed(text: string): Buffer {
  const codes = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const small = code >= 65 && code <= 90 ? code + 32 : code;
    if ((small >= 97 && small <= 122) || (small >= 48 && small <= 57)) codes[length++] = small;
  }
  return codes.subarray(0, length);
}

/**
 * Finds values in texts. Only letters and digits count, in any case, so that dots, spaces or labels between them hide
 * nothing; the same for the value in base64, base32, hexadecimal numbers, rot13 and backwards.
 */
export function createKnownValues(values: readonly string[]): KnownValues {
  const needles = new Map<string, number>();
  const add = (needle: string, index: number, isPartEnough: boolean): void => {
    if (needle.length < CHARS_MIN) return;
    if (!isPartEnough || needle.length < PART) needles.set(needle, index);
    else
      for (let at = 0; at + WINDOW <= needle.length; at += STEP)
        needles.set(needle.slice(at, at + WINDOW), index);
  };
  for (const [index, value] of values.entries()) {
    const plain = squeezed(value).toString();
    const isPartEnough = isRandom(value);
    add(plain, index, isPartEnough);
    add([...plain].toReversed().join(''), index, isPartEnough);
    add(plain.replaceAll(/[a-z]/g, rotated), index, isPartEnough);
    for (const form of encodings(value)) add(squeezed(form).toString(), index, isPartEnough);
  }
  const lengths = [...new Set([...needles.keys()].map(({ length }) => length))].toSorted((a, b) => a - b);
  const heads = new Uint8Array(1 << 16);
  for (const needle of needles.keys()) heads[headOf(Buffer.from(needle), 0)] = 1;
  const findIn = (text: string): number | undefined => {
    const plain = squeezed(text);
    for (let at = 0; at + CHARS_MIN <= plain.length; at += 1) {
      if (heads[headOf(plain, at)] === 0) continue;
      for (const length of lengths) {
        const found = needles.get(plain.toString('latin1', at, at + length));
        if (found !== undefined) return found;
      }
    }
    return undefined;
  };
  return {
    find: (texts) => {
      if (needles.size === 0) return undefined;
      for (const text of texts) {
        const found = findIn(text);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

/** A number of 16 bits for four characters of a squeezed text. */
const headOf = (text: Buffer, at: number): number =>
  (Math.imul(text[at] ?? 0, 0x9e37) ^
    Math.imul(text[at + 1] ?? 0, 0x85eb) ^
    Math.imul(text[at + 2] ?? 0, 0xc2b3) ^
    Math.imul(text[at + 3] ?? 0, 0x27d5)) &
  0xffff;

const rotated = (letter: string): string =>
  String.fromCodePoint((((letter.codePointAt(0) ?? 97) - 97 + 13) % 26) + 97);

/** A value as it appears inside an encoded text, wherever it begins there; what depends on its neighbours is left out. */
export function* encodings(value: string): Generator<string> {
  const bytes = Buffer.from(value);
  yield bytes.toString('hex');
  for (const [size, bits] of [
    [3, 6],
    [5, 5],
  ] as const) {
    for (let before = 0; before < size; before += 1) {
      const padded = Buffer.concat([Buffer.alloc(before), bytes]);
      const first = Math.ceil((before * 8) / bits);
      const last = Math.floor((padded.length * 8) / bits);
      yield (size === 3 ? padded.toString('base64') : toBase32(padded)).slice(first, last);
    }
  }
}

function toBase32(bytes: Buffer): string {
  let [text, bits, held] = ['', 0, 0];
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0x1fff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += 'abcdefghijklmnopqrstuvwxyz234567'[(held >> (bits - 5)) & 31];
  }
  return text;
}

/** Whether a value is made of more than words, so that a part of it says which one it is. */
export const isRandom = (value: string): boolean =>
  (value.match(/[0-9]/g) ?? []).length >= 2 &&
  (value.match(/[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])/g) ?? []).length >= 3;
