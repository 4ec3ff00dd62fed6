import { fold } from './tokenise.ts';

/** Four characters: long enough to tell stems apart, short enough to bridge inflection and compounds. */
export const GRAM_CHARS = 4;

/** A word with the blanks that mark its beginning and end. */
export const padded = (word: string): string => ` ${word} `;

/** Words only, one blank between them; characters of scripts that are ranked in pairs are left out. */
export function gramText(text: string): string {
  return padded(fold(text).replace(NOT_IN_WORDS, ' ').trim());
}

const NOT_IN_WORDS =
  /(?:[^\p{L}\p{N}\p{M}]|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30FC])+/gu;
const PAIRED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** All pieces of four characters, in order, as 30-bit numbers: two pieces of one text practically never share one. */
export function grams(text: string): Int32Array {
  const words = gramText(text);
  const found = new Int32Array(Math.max(0, words.length - GRAM_CHARS + 1));
  for (let index = 0; index < found.length; index += 1) found[index] = gramAt(words, index);
  return found;
}

/** The number of the piece that begins at an index. */
export function gramAt(words: string, index: number): number {
  let hash = words.charCodeAt(index);
  for (let next = index + 1; next < index + GRAM_CHARS; next += 1) {
    hash = Math.imul(hash, 0x01000193) ^ words.charCodeAt(next);
  }
  return (hash ^ (hash >>> 17)) & 0x3fffffff;
}

/** The single characters of a text in Japanese, Chinese or Korean: they catch what pairs miss at the edges of words. */
export const pairedCharacters = (text: string): string[] => text.match(PAIRED) ?? [];
