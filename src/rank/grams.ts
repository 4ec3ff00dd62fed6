import { characterClasses, isToned, PAIRS, normalised } from './tokenise.ts';

/** Four characters tell stems apart and still bridge inflection and compounds. */
const BLANK = 0x20;

/**
 * The grams of four characters of a text's words, in order, as 30-bit numbers; collisions within a text are
 * very rare. Words are separated by one space, and the text begins and ends with one. Scripts that are
 * searched in pairs are left out.
 */
export function grams(text: string): number[] {
  const table = characterClasses();
  const folded = normalised(text).toLowerCase();
  const found: number[] = [];
  // The three characters before this one; -1 means none.
  let third = -1;
  let second = -1;
  let last = BLANK;
  for (let index = 0; index <= folded.length; index += 1) {
    const code = index === folded.length ? BLANK : folded.charCodeAt(index);
    const kind = table[code] ?? 0;
    const next = kind === 0 || kind === PAIRS ? BLANK : code;
    if (next === BLANK && last === BLANK) continue;
    if (third !== -1) found.push(gramOf(third, second, last, next));
    third = second;
    second = last;
    last = next;
  }
  return found;
}

function gramOf(first: number, second: number, third: number, fourth: number): number {
  let hash = Math.imul(first, 0x01000193) ^ second;
  hash = Math.imul(hash, 0x01000193) ^ third;
  hash = Math.imul(hash, 0x01000193) ^ fourth;
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 17)) & 0x3fffffff;
}

const PAIRED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/**
 * The single characters of Japanese, Chinese or Korean text: they match what pairs miss at the edges of
 * words.
 */
export const pairedCharacters = (text: string): string[] => text.match(PAIRED) ?? [];

/** The pairs of neighbouring syllables of Vietnamese text, whose words mostly have two, as numbers. */
export function pairedSyllables(text: string): number[] {
  if (!isToned(text)) return [];
  const table = characterClasses();
  const folded = normalised(text).toLowerCase();
  const found: number[] = [];
  let before = 0;
  let syllable = 0;
  for (let index = 0; index <= folded.length; index += 1) {
    const code = index === folded.length ? BLANK : folded.charCodeAt(index);
    if (table[code] !== 0) syllable = Math.imul(syllable ^ code, 0x01000193);
    else if (syllable !== 0) {
      if (before !== 0) found.push(gramOf(before, syllable, 0, 0));
      before = syllable;
      syllable = 0;
    }
  }
  return found;
}
