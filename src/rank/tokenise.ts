import { isVietnamese } from './language.ts';
import { lightStem } from './light-stem.ts';
import { stem } from './stem.ts';
import type { TermFilter } from './term-filter.ts';

/**
 * Splits a text into terms, in order: stems, light ones outside the Latin script, pairs of characters for
 * scripts without spaces (Japanese, Chinese, Korean), dictionary words for Thai and similar languages.
 * Case is folded, and accents where they do not tell words apart. Identifiers yield themselves and their
 * parts (`readFileSync` → `readfilesync`, `read`, `file`, `sync`); numbers stay whole (`3.14`). With a
 * filter, irrelevant words are skipped.
 */
export function tokenise(text: string, filter?: TermFilter): string[] {
  return termsOf(normalised(text), filter);
}

/** A text with its accents folded, where they do not tell words apart. */
export function normalised(text: string): string {
  const one = textOf(text);
  return (one.folded ??= one.toned ? text.normalize('NFKC') : withoutMarks(text));
}

/** The same terms with all accents folded. */
export const tokeniseFolded = (text: string, filter?: TermFilter): string[] =>
  termsOf(withoutMarks(text), filter);

/**
 * The same terms as `tokeniseFolded`, one by one, for text in another language than English: Latin words are
 * marked and have light stems, or their tones in Vietnamese.
 */
export const tokeniseForeign = (text: string, filter?: TermFilter): string[] =>
  isToned(text)
    ? termsOf(text.normalize('NFKC'), filter, tonedTerm, new Map())
    : termsOf(withoutMarks(text), filter, foreignTerm, knownForeign);

/** Marks the terms of languages whose stems differ from those of English. */
export const foreignTerm = (word: string): string =>
  isLatin(word) && !/\d/.test(word) ? `~${lightStem(word)}` : lightStem(word);

const tonedTerm = (word: string): string => (isLatin(word) && !/\d/.test(word) ? `~${word}` : word);
const englishTerm = (word: string): string => (isLatin(word) ? stem(word) : lightStem(word));
const isLatin = (word: string): boolean => word.charCodeAt(0) < 0x370 || word.charCodeAt(0) >= 0x1e00;

/** True for text whose accents tell words apart. */
export const isToned = (text: string): boolean => textOf(text).toned;

/** The last text is kept, because every view of a text needs both. */
function textOf(text: string): typeof last {
  if (text !== last.text) last = { text, toned: !ASCII.test(text) && isVietnamese(text) };
  return last;
}
let last: { text: string; toned: boolean; folded?: string } = { text: '', toned: false };
const withoutMarks = (text: string): string => (ASCII.test(text) ? text : foldMarks(text));

type TermOf = (word: string) => string;
type Known = Map<string, string | string[]>;

function termsOf(folded: string, filter?: TermFilter, termOf: TermOf = englishTerm, cache = known): string[] {
  const terms: string[] = [];
  forEachWord(folded, filter, (word, kind) => addTerms(terms, word, kind, termOf, cache));
  return terms;
}

/** Normalises letters: lower case, compatibility forms and accents folded. The length may change. */
export function fold(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : foldMarks(text).toLowerCase();
}

const ASCII = /^[\u0000-\u007F]*$/;
const SEPARATOR = 0;
/** Characters of scripts that separate words by spaces. */
const WORD = 1;
/** Characters of scripts that are searched in pairs. */
export const PAIRS = 2;
const SEGMENTED = 3;

/** Calls back for each run of word characters, case kept, with the class of its script. */
function forEachWord(
  folded: string,
  filter: TermFilter | undefined,
  callback: (word: string, kind: number) => void,
): void {
  const table = characterClasses();
  const length = folded.length;
  let index = 0;
  while (index < length) {
    const kind = table[folded.charCodeAt(index)] ?? SEPARATOR;
    const start = index;
    index += 1;
    if (kind === SEPARATOR) continue;
    while (index < length && continues(table, folded, index, kind)) index += 1;
    if (kind === WORD && index < length) index = extendSign(folded, start, index);
    if (kind === WORD && filter?.(folded, start, index) === false) continue;
    callback(folded.slice(start, index), kind);
  }
}

function continues(table: Uint8Array, text: string, index: number, kind: number): boolean {
  const code = text.charCodeAt(index);
  if (table[code] === kind) return true;
  if (kind !== WORD) return false;
  // A point or comma between digits, an apostrophe between letters and an underscore belong to the word.
  if (code === 0x5f) return true;
  if (code === 0x2e || code === 0x2c) return isDigit(text, index - 1) && isDigit(text, index + 1);
  if (code === 0x27 || code === 0x2019) return table[text.charCodeAt(index + 1)] === WORD;
  return false;
}

/** Keeps the signs of `c++` and `c#`. */
function extendSign(text: string, start: number, end: number): number {
  if (end - start > 2) return end;
  if (text.startsWith('++', end)) return end + 2;
  return text[end] === '#' ? end + 1 : end;
}

const isDigit = (text: string, index: number): boolean => {
  const code = text.charCodeAt(index);
  return code >= 0x30 && code <= 0x39;
};

const COMPOUND = /_|[a-z0-9][A-Z]|[A-Z]{2}[a-z]|\d[.,]\d|['’]/;

/**
 * Caches the terms of short words, which pages repeat. Longer ones are slices that would keep their whole
 * text in memory.
 */
const known: Known = new Map();
const knownForeign: Known = new Map();
const KNOWN_MAX = 100_000;
const KNOWN_CHARS_MAX = 12;
/** Only this much of a word is searched. */
const WORD_CHARS_MAX = 200;

function addTerms(terms: string[], word: string, kind: number, termOf: TermOf, cache: Known): void {
  if (kind === PAIRS) addPairs(terms, word);
  else if (kind === SEGMENTED) addSegments(terms, word);
  else {
    const found =
      word.length <= KNOWN_CHARS_MAX
        ? knownTerms(word, termOf, cache)
        : termsOfWord(word.slice(0, WORD_CHARS_MAX), termOf);
    if (typeof found === 'string') terms.push(found);
    else terms.push(...found);
  }
}

function knownTerms(word: string, termOf: TermOf, cache: Known): string | string[] {
  const before = cache.get(word);
  if (before !== undefined) return before;
  if (cache.size >= KNOWN_MAX) cache.clear();
  const found = termsOfWord(word, termOf);
  cache.set(word, found);
  return found;
}

function termsOfWord(word: string, termOf: TermOf): string | string[] {
  if (!COMPOUND.test(word)) return termOf(word.toLowerCase());
  const terms: string[] = [];
  addCompound(terms, word, termOf);
  return terms;
}

/** Numbers and versions; `v1.2.3` equals `1.2.3`. */
const NUMBER = /^v?\d[\d.,]*$/i;

/** `Ankara'nın`, where a suffix follows a name. `don't` and `we're` are words of their own. */
const SUFFIXED = /^([\p{Script=Latin}\d]{3,})['’](?!(?:s|t|re|ll|ve|d|m)$)\p{Ll}{1,6}$/u;
/** `l'homme`, `dell'anno`. */
const ELIDED =
  /^(?!o['’])(?:\p{Script=Latin}{1,2}|(?:de|ne|a|da|su|co|que)ll|un|qu)['’](\p{Script=Latin}{3,})$/iu;

function addCompound(terms: string[], word: string, termOf: TermOf): void {
  if (NUMBER.test(word)) {
    terms.push(word.replace(/^v|,(?=\d{3}(?!\d))/gi, ''));
    return;
  }
  const bare = ELIDED.exec(word)?.[1] ?? SUFFIXED.exec(word)?.[1] ?? word;
  const plain = bare.replace(/['’]s?$|['’]s(?=_)/gi, '').replace(/['’]/g, '');
  const parts = plain
    .replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3_$2')
    .split(/[_.,]+/)
    .filter(Boolean);
  if (parts.length === 1) terms.push(termOf(parts.join('').toLowerCase()));
  if (parts.length < 2) return;
  terms.push(parts.join('').toLowerCase());
  // Identifiers are the same in every language.
  for (const part of parts) terms.push(englishTerm(part.toLowerCase()));
}

function addPairs(terms: string[], run: string): void {
  if (run.length === 1) terms.push(run);
  for (let index = 0; index + 1 < run.length; index += 1) terms.push(run.slice(index, index + 2));
}

let segmenter: Intl.Segmenter | undefined;

function addSegments(terms: string[], run: string): void {
  segmenter ??= new Intl.Segmenter('th', { granularity: 'word' });
  for (const { segment } of segmenter.segment(run)) terms.push(segment);
}

const LETTERS: Record<string, string> = {
  ß: 'ss',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ı: 'i',
  æ: 'ae',
  Æ: 'Ae',
  œ: 'oe',
  Œ: 'Oe',
  ς: 'σ',
  // At the end of a word it would become ς.
  Σ: 'σ',
  ة: 'ه',
  ى: 'ي',
};

const MARKS = /(?:[\u0300-\u036F\u0591-\u05BD]|\u0640|[\u064B-\u065F]|\u0670)+/g;

/**
 * Removes marks from Latin, Greek, Cyrillic, Hebrew and Arabic letters. Marks of Indic and Japanese letters
 * carry meaning and stay.
 */
function foldMarks(text: string): string {
  return text
    .normalize('NFKD')
    .replace(MARKS, '')
    .replace(/[ßøØłŁđĐıæÆœŒςΣةى]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFC');
}

let classes: Uint8Array | undefined;

/**
 * The class of every UTF-16 unit, 0 for non-word characters. Computed on first use, so that commands that
 * rank nothing do not pay for it.
 */
export const characterClasses = (): Uint8Array => (classes ??= buildClasses());

function buildClasses(): Uint8Array {
  const table = new Uint8Array(0x10000);
  const word = /[\p{L}\p{N}\p{M}]/u;
  const pairs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30FC]/u;
  const segmented = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
  for (let code = 0; code < 0x10000; code += 1) {
    // Surrogates are emoji and rare letters, which are not searched.
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCharCode(code);
    if (!word.test(character)) continue;
    table[code] = pairs.test(character) ? PAIRS : segmented.test(character) ? SEGMENTED : WORD;
  }
  return table;
}
