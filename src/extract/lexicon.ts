import { readAttribute } from './attributes.ts';
import type { ElementNode, Tree } from './nodes.ts';
import { wordsOf } from './words.ts';

/** Learned weights of words in a block's text and in the class names around it. */
export interface Lexicon {
  text: Map<string, number>;
  names: NameWeights;
}

const NOTHING: string[] = [];
const TEXT_CHARS_MAX = 200;
const TEXT_WORDS_MAX = 20;
const LEVELS_MAX = 8;
/** Levels of ancestors that share a weight. */
const BUCKETS = [0, 0, 1, 1, 2, 2, 2, 2];
export const BUCKET_COUNT = 3;

/** The words at the beginning of a block, each once. */
export function textTerms(text: string): string[] {
  const terms: string[] = [];
  for (const word of wordsOf(text.slice(0, TEXT_CHARS_MAX)).slice(0, TEXT_WORDS_MAX))
    if (!terms.includes(word)) terms.push(word);
  return terms;
}

/** Every word is worth less in a longer text. */
export const textScale = (count: number): number => 1 / Math.sqrt(Math.max(1, count));

/** Reads the words in the class and id of an element. */
export function createNameReader(tree: Pick<Tree, 'splitNames'>): (element: ElementNode) => string[] {
  return ({ attributes }) => {
    if (attributes.length === 0) return NOTHING;
    const [names, id] = [readAttribute(attributes, 'class'), readAttribute(attributes, 'id')];
    if (names === undefined) return id === undefined ? NOTHING : tree.splitNames(id);
    if (id === undefined) return tree.splitNames(names);
    return [...new Set([...tree.splitNames(names), ...tree.splitNames(id)])];
  };
}

/** The names around a block as terms, nearest first, each once per bucket. */
export function nameTerms(start: ElementNode, readNames: (element: ElementNode) => string[]): string[] {
  const terms = new Set<string>();
  let element: ElementNode | undefined = start;
  for (let level = 0; level < LEVELS_MAX && element !== undefined; level++) {
    for (const word of readNames(element)) terms.add(`${BUCKETS[level]}:${word}`);
    element = element.parent;
  }
  return [...terms];
}

/** What the words of a block say for it being content, in log odds. */
export function scoreText(lexicon: Lexicon, text: string): number {
  const terms = textTerms(text);
  let sum = 0;
  for (const term of terms) sum += lexicon.text.get(term) ?? 0;
  return sum * textScale(terms.length);
}

/** What the names around a block say, by bucket: the sum over `nameTerms`, without spelling the terms out. */
export function createNameScorer(
  lexicon: NameWeights,
  tree: Pick<Tree, 'splitNames'>,
): (start: ElementNode) => Float64Array {
  const readNames = createNameReader(tree);
  const numbersOf = new Map<ElementNode, number[]>();
  const seen = new Int32Array(lexicon.weights.length);
  const sums = new Float64Array(BUCKET_COUNT);
  let visit = 0;
  const known = (element: ElementNode): number[] => {
    let found = numbersOf.get(element);
    if (found === undefined) {
      found = readNames(element)
        .map((word) => lexicon.numbers.get(word) ?? -1)
        .filter((number) => number >= 0);
      numbersOf.set(element, found);
    }
    return found;
  };
  return (start) => {
    sums.fill(0);
    visit += 1;
    let element: ElementNode | undefined = start;
    for (let level = 0; level < LEVELS_MAX && element !== undefined; level++) {
      const bucket = BUCKETS[level] as number;
      for (const number of known(element)) {
        const term = number * BUCKET_COUNT + bucket;
        if (seen[term] === visit) continue;
        seen[term] = visit;
        sums[bucket] = (sums[bucket] as number) + (lexicon.weights[term] as number);
      }
      element = element.parent;
    }
    return sums;
  };
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
