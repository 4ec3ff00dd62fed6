import type { Match } from '../core/outcome.ts';
import { backgroundShare } from './background.ts';
import { ASKING_WORDS, isStopWord, JOINING_CHARACTERS } from './stop-words.ts';
import { tokenise } from './tokenise.ts';

/**
 * How much of a question a text covers, independent of other results. Ranking scores only say which text is
 * the best of those found.
 */
export interface Cover {
  /** 0–1: the share of the question's content words that are in the texts together, rare words weighing more. */
  of(...texts: string[]): number;
  /** What the coverage of the best text means for the whole result. */
  matchOf(best: number): Match;
}

/** Below this nothing matches: unrelated texts share a common word or two with a question. */
export const NONE_BELOW = 0.2;

/**
 * From this on a question counts as answered. Texts about the subject that do not answer share about half of
 * the words. Japanese questions are worded like their answers; Korean ones are split into pairs of
 * characters, some of which are not words, and Vietnamese words into syllables, which many words share, as Thai ones are into parts.
 */
const ANSWERED_FROM = {
  spaced: 0.5,
  chinese: 0.55,
  paired: 0.35,
  japanese: 0.6,
  vietnamese: 0.65,
  thai: 0.6,
};

export function createCover(question: string): Cover {
  const wanted = wantedOf(question);
  const total = wanted.reduce((sum, { weight }) => sum + weight, 0);
  const answeredFrom = ANSWERED_FROM[scriptOf(question)];
  // Sentences are read alone and beside others.
  const read = new Map<string, string[]>();
  const termsOf = (text: string): string[] => {
    const known = read.get(text);
    if (known !== undefined) return known;
    const terms = tokenise(text);
    if (read.size < READ_MAX) read.set(text, terms);
    return terms;
  };
  return {
    of: (...texts) => {
      if (total === 0) return 0;
      const terms = new Set(termsOf(texts[0] ?? ''));
      for (const text of texts.slice(1)) for (const term of termsOf(text)) terms.add(term);
      let found = 0;
      for (const { term, pairs, weight } of wanted)
        found += weight * (pairs === undefined ? foundIn(term, terms, texts) : shareOf(pairs, terms));
      return found / total;
    },
    // A question without any word cannot be judged.
    matchOf: (best) =>
      total === 0 ? 'weak' : best < NONE_BELOW ? 'none' : best < answeredFrom ? 'weak' : 'answered',
  };
}

interface Wanted {
  term: string;
  /** The pairs of characters of a Chinese word. */
  pairs?: string[];
  weight: number;
}

/** The most texts whose words are kept. */
const READ_MAX = 500;

const foundIn = (term: string, terms: Set<string>, texts: string[]): number =>
  terms.has(term) || (term.length === 1 && texts.some((text) => text.includes(term)))
    ? 1
    : inflected(term, terms);

/** How much of a word a text has. */
const shareOf = (pairs: string[], terms: Set<string>): number =>
  pairs.filter((pair) => terms.has(pair)).length / Math.max(1, pairs.length);

const PAIRED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]/u;
/** The weight of a single character of a script that is split into pairs; it occurs in many texts. */
const SINGLE_WEIGHT = 0.5;

/** The content words of a question, or all of its words if it has none. */
function wantedOf(question: string): Wanted[] {
  const bare = question.replace(ASKING_WORDS, ' ').replace(JOINING_CHARACTERS, ' ');
  if (scriptOf(question) === 'chinese') {
    const words = chineseWords(bare);
    if (words.length > 0) return words;
  }
  const content = [...new Set(tokenise(bare))].filter(isContent);
  const terms = content.length > 0 ? content : [...new Set(tokenise(question))];
  return terms.map((term) => ({
    term,
    weight: rarityOf(term) * (PAIRED.test(term) && term.length === 1 ? SINGLE_WEIGHT : 1),
  }));
}

let segmenter: Intl.Segmenter | undefined;

/**
 * The words of a Chinese question, each of which counts once, however long it is: pairs of characters would count the name of the subject several
 * times and what is asked of it once.
 */
function chineseWords(question: string): Wanted[] {
  segmenter ??= new Intl.Segmenter('zh', { granularity: 'word' });
  const words: string[] = [];
  let isSingle = false;
  for (const { segment, isWordLike } of segmenter.segment(question)) {
    const isOne = isWordLike === true && segment.length === 1 && PAIRED.test(segment);
    // Names that the dictionary does not know are cut into single characters.
    if (isOne && isSingle) words.push(`${words.pop() ?? ''}${segment}`);
    else if (isWordLike === true) words.push(segment);
    isSingle = isOne;
  }
  // A single character is in many texts.
  return [...new Set(words)]
    .filter((word) => word.length > 1)
    .map((word) => {
      const pairs = tokenise(word);
      return { term: word, pairs, weight: Math.max(0, ...pairs.map(rarityOf)) };
    });
}

const isContent = (term: string): boolean =>
  PAIRED.test(term) || (!isStopWord(term) && (term.length > 1 || /\d/.test(term)));

const RAREST = 1 / 2_048;
/** 0–1. */
const rarityOf = (term: string): number => Math.log2(backgroundShare(term) + RAREST) / Math.log2(RAREST);

const PREFIX_CHARS_MIN = 5;
const PREFIX_SHARE = 0.7;
/** The weight of another inflection of a word. */
const INFLECTED = 0.7;

/**
 * True when a text has another inflection of a word: most of the beginning is the same. Stemming covers some of
 * them.
 */
function inflected(term: string, words: Set<string>): number {
  if (term.length < PREFIX_CHARS_MIN || /\d/.test(term) || PAIRED.test(term)) return 0;
  const start = term.slice(0, Math.max(PREFIX_CHARS_MIN, Math.ceil(term.length * PREFIX_SHARE)));
  for (const word of words)
    if (word.startsWith(start) || (word.length >= start.length && term.startsWith(word))) return INFLECTED;
  return 0;
}

function scriptOf(question: string): keyof typeof ANSWERED_FROM {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(question)) return 'japanese';
  if (/\p{Script=Hangul}/u.test(question)) return 'paired';
  if (/\p{Script=Thai}/u.test(question)) return 'thai';
  if (/[ăđơưẠ-ỹ]/iu.test(question)) return 'vietnamese';
  return /\p{Script=Han}/u.test(question) ? 'chinese' : 'spaced';
}
