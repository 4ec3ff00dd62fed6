import type { Match } from '../core/outcome.ts';
import { backgroundShare } from './background.ts';
import { isEnglish } from './language.ts';
import { ASKING_WORDS, isEnglishStopWord, isStopWord, JOINING_CHARACTERS } from './stop-words.ts';
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
  // Sentences are read alone and beside others, so what a text has of each term is kept.
  const read = new Map<string, Float64Array>();
  const foundIn = (text: string): Float64Array => {
    const known = read.get(text);
    if (known !== undefined) return known;
    const terms = new Set(tokenise(text));
    const found = Float64Array.from(
      wanted.flatMap(({ parts, isInflected }) => parts.map((part) => partIn(part, terms, text, isInflected))),
    );
    if (read.size < READ_MAX) read.set(text, found);
    return found;
  };
  return {
    of: (...texts) => {
      if (total === 0) return 0;
      const founds = texts.map(foundIn);
      let place = 0;
      let sum = 0;
      for (const { parts, weight } of wanted)
        for (let left = parts.length; left > 0; left -= 1) {
          let most = 0;
          for (const found of founds) most = Math.max(most, found[place] ?? 0);
          sum += (weight * most) / parts.length;
          place += 1;
        }
      return sum / total;
    },
    // A question without any word cannot be judged.
    matchOf: (best) =>
      total === 0 ? 'weak' : best < NONE_BELOW ? 'none' : best < answeredFrom ? 'weak' : 'answered',
  };
}

interface Wanted {
  /** The term, or the pairs of characters of a Chinese word. */
  parts: string[];
  /** True when another inflection counts too. */
  isInflected: boolean;
  weight: number;
}

/** The most texts that are kept. */
const READ_MAX = 5_000;

/** How much of a part of the question a text has. */
function partIn(part: string, terms: Set<string>, text: string, isInflected: boolean): number {
  if (terms.has(part)) return 1;
  if (!isInflected) return 0;
  return part.length === 1 && text.includes(part) ? 1 : inflected(part, terms);
}

const PAIRED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]/u;
/** Words that few languages but English have. */
const ASKS_IN_ENGLISH = /\b(?:the|of|what|which|how|when|where|why|who|does|did|is|are|were)\b/i;
/** The weight of a single character of a script that is split into pairs; it occurs in many texts. */
const SINGLE_WEIGHT = 0.5;

/** The content words of a question, or all of its words if it has none. */
function wantedOf(question: string): Wanted[] {
  const bare = question.replace(ASKING_WORDS, ' ').replace(JOINING_CHARACTERS, ' ');
  if (scriptOf(question) === 'chinese') {
    const words = chineseWords(bare);
    if (words.length > 0) return words;
  }
  const isStop = ASKS_IN_ENGLISH.test(question) && isEnglish(question) ? isEnglishStopWord : isStopWord;
  const isContent = (term: string): boolean =>
    PAIRED.test(term) || (!isStop(term) && (term.length > 1 || /\d/.test(term)));
  const content = [...new Set(tokenise(bare))].filter(isContent);
  const terms = content.length > 0 ? content : [...new Set(tokenise(question))];
  return terms.map((term) => ({
    parts: [term],
    isInflected: true,
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
      const parts = tokenise(word);
      return { parts, isInflected: false, weight: Math.max(0, ...parts.map(rarityOf)) };
    });
}

const RAREST = 1 / 2_048;
/** How rare a term is in general, 0–1. */
export const rarityOf = (term: string): number =>
  Math.log2(backgroundShare(term) + RAREST) / Math.log2(RAREST);

const PREFIX_CHARS_MIN = 5;
const PREFIX_SHARE = 0.7;
/** What the inflections of a word have in common. */
export const sharedBeginning = (term: string): string =>
  term.slice(0, Math.max(PREFIX_CHARS_MIN, Math.ceil(term.length * PREFIX_SHARE)));

/** The weight of another inflection of a word. */
const INFLECTED = 0.7;

/**
 * True when a text has another inflection of a word: most of the beginning is the same. Stemming covers some of
 * them.
 */
function inflected(term: string, words: Set<string>): number {
  if (term.length < PREFIX_CHARS_MIN || /\d/.test(term) || PAIRED.test(term)) return 0;
  const start = sharedBeginning(term);
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
