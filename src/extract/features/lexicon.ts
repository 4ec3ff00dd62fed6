import type { Names } from '../parse/class-groups.ts';
import type { ElementNode } from '../parse/nodes.ts';
import { wordsOf } from './words.ts';

/** Learned weights of words in a block's text and in the class names around it. */
export interface Lexicon {
  /** By word hash. */
  text: Map<number, number>;
  names: NameWeights;
}

const NOTHING: string[] = [];
/** The number of characters of a block that are read word by word. */
export const OPENING_CHARS_MAX = 200;
const TEXT_WORDS_MAX = 20;
const LEVELS_MAX = 8;
/** Levels of ancestors that share a weight. */
const BUCKETS = [0, 0, 1, 1, 2, 2, 2, 2];
export const BUCKET_COUNT = 3;

/** The words at the beginning of a block, each once. */
export function textTerms(text: string): string[] {
  const terms: string[] = [];
  for (const word of wordsOf(text.slice(0, OPENING_CHARS_MAX)).slice(0, TEXT_WORDS_MAX))
    if (!terms.includes(word)) terms.push(word);
  return terms;
}

/** The factor that normalises the score of a text by its number of words. */
export const textScale = (count: number): number => 1 / Math.sqrt(Math.max(1, count));

/** The words in the class and id of an element, each once. */
function readNames({ classNames, idNames }: ElementNode): string[] {
  if (classNames === undefined) return idNames === undefined ? NOTHING : idNames.words;
  if (idNames === undefined) return classNames.words;
  return [...new Set([...classNames.words, ...idNames.words])];
}

/** The names around a block as terms, nearest first, each once per bucket. */
export function nameTerms(start: ElementNode): string[] {
  const terms = new Set<string>();
  let element: ElementNode | undefined = start;
  for (let level = 0; level < LEVELS_MAX && element !== undefined; level++) {
    for (const word of readNames(element)) terms.add(`${BUCKETS[level]}:${word}`);
    element = element.parent;
  }
  return [...terms];
}

/** Scores the first words of a block in log odds: the sum over `textTerms`, by word hash. */
export function scoreText(lexicon: Lexicon, words: number[]): number {
  let [sum, count] = [0, 0];
  for (let index = 0; index < words.length && index < TEXT_WORDS_MAX; index++) {
    const word = words[index] as number;
    if (words.indexOf(word) < index) continue;
    sum += lexicon.text.get(word) ?? 0;
    count += 1;
  }
  return sum * textScale(count);
}

/**
 * Creates a function that scores the class names around a block by bucket: the sum over `nameTerms`, without
 * building the strings.
 */
export function createNameScorer(lexicon: NameWeights): (start: ElementNode) => Float64Array {
  const numbersOf: (number[] | undefined)[] = [];
  const seen = new Int32Array(lexicon.weights.length);
  const sums = new Float64Array(BUCKET_COUNT);
  let visit = 0;
  const add = (names: Names, bucket: number): void => {
    for (const number of (numbersOf[names.order] ??= numbersIn(names, lexicon))) {
      const term = number * BUCKET_COUNT + bucket;
      if (seen[term] === visit) continue;
      seen[term] = visit;
      sums[bucket] = (sums[bucket] as number) + (lexicon.weights[term] as number);
    }
  };
  return (start) => {
    sums.fill(0);
    visit += 1;
    let element: ElementNode | undefined = start;
    for (let level = 0; level < LEVELS_MAX && element !== undefined; level++) {
      const bucket = BUCKETS[level] as number;
      if (element.classNames !== undefined) add(element.classNames, bucket);
      if (element.idNames !== undefined) add(element.idNames, bucket);
      element = element.parent;
    }
    return sums;
  };
}

const NO_NUMBERS: number[] = [];

function numbersIn({ words }: Names, { numbers }: NameWeights): number[] {
  let found = NO_NUMBERS;
  for (const word of words) {
    const number = numbers.get(word);
    if (number === undefined) continue;
    if (found === NO_NUMBERS) found = [number];
    else found.push(number);
  }
  return found;
}

/** The weights of names, ordered for summing: `weights[number of the word × buckets + bucket]`. */
export interface NameWeights {
  numbers: Map<string, number>;
  weights: Float64Array;
}

export function orderNames(names: Map<string, number>): NameWeights {
  const numbers = new Map<string, number>();
  for (const term of names.keys()) {
    const word = term.slice(2);
    if (!numbers.has(word)) numbers.set(word, numbers.size);
  }
  const weights = new Float64Array(numbers.size * BUCKET_COUNT);
  for (const [term, weight] of names)
    weights[(numbers.get(term.slice(2)) as number) * BUCKET_COUNT + Number(term[0])] = weight;
  return { numbers, weights };
}
