import { backgroundShare, gramShare, isCommon } from './background.ts';
import { grams, pairedCharacters, pairedSyllables } from './grams.ts';
import { isEnglish } from './language.ts';
import { isStopWord } from './stop-words.ts';
import { tokenise } from './tokenise.ts';

export const K1 = 1.2;
export const B = 0.75;

/** The weight of a term in the title of a passage. */
export const TITLE_TIMES = 3;

/** Smoothing: this many passages of ordinary web text are added to the candidates when terms are weighed. */
export const BACKGROUND_PASSAGES = 300;

/** One representation of a text. A passage's score is the weighted sum of its BM25 scores over all views. */
interface View<Term extends string | number = string | number> {
  weight: number;
  /** Its terms, from the text or from its words. */
  terms(text: string, words: string[]): ArrayLike<Term>;
  queryTerms(query: string): ArrayLike<Term>;
  /** How common a term is in general; undefined when that was not counted. */
  share?(term: Term): number;
}

/**
 * The number of words at the beginning of a passage that often say what it is about: a title, a definition, a
 * function's name.
 */
const HEAD_WORDS = 12;

const VIEWS = [
  defineView({ weight: 1, terms: (_, words) => words, queryTerms: tokenise, share: backgroundShare }),
  defineView({
    weight: 0.3,
    terms: (_, words) => words.slice(0, HEAD_WORDS),
    queryTerms: tokenise,
    share: backgroundShare,
  }),
  defineView({
    weight: 0.4,
    terms: grams,
    queryTerms: (query) => grams(withoutCommon(query)),
    share: gramShare,
  }),
  defineView({ weight: 0.3, terms: pairedCharacters, queryTerms: pairedCharacters }),
  defineView({ weight: 0.6, terms: pairedSyllables, queryTerms: pairedSyllables }),
];

/** Enough for that many words. */
const HEAD_CHARS = 150;

/**
 * What the words of a whole text do not say: its beginning and its pieces. A search index that has already
 * weighed the words is refined by these alone.
 */
export const SURFACE_VIEWS = [
  defineView({
    weight: 0.3,
    terms: (text) => tokenise(text.slice(0, HEAD_CHARS)).slice(0, HEAD_WORDS),
    queryTerms: tokenise,
    share: backgroundShare,
  }),
  ...VIEWS.slice(2),
];

/** A text split into the terms of every view. Keep it to run several queries on one text. */
export type Terms = ArrayLike<string | number>[];

export function termsOf(text: string): Terms {
  const words = tokenise(text);
  return VIEWS.map((view) => view.terms(text, words));
}

/**
 * The counts of one text: per view its length, and the frequency of each query term, for all views in a row.
 */
export interface Counts {
  lengths: number[];
  frequencies: Float64Array;
}

/** A query that is prepared to be counted in many texts and scored over them. */
export interface QueryModel {
  /** Counts the query's terms in a text, each with weight `times`. */
  count(text: string | Terms, times?: number): Counts;
  /** One score per text. Term weights and mean lengths are computed over the given texts. */
  score(pool: Counts[]): Float64Array;
}

export function createQueryModel(query: string, views = VIEWS): QueryModel {
  const wanted = wantedOf(query, views);
  const size = wanted.reduce((sum, { order }) => sum + order.length, 0);
  return {
    count: (text, times = 1) => {
      const words = typeof text === 'string' && views === VIEWS ? tokenise(text) : [];
      const frequencies = new Float64Array(size);
      const lengths = wanted.map((one, at) => {
        // Views without a term of the query are skipped.
        if (one.order.length === 0) return 0;
        const terms = typeof text === 'string' ? one.view.terms(text, words) : (text[at] ?? []);
        addFrequencies(frequencies, one, terms, times);
        return terms.length * times;
      });
      return { lengths, frequencies };
    },
    score: (pool) => {
      const scores = new Float64Array(pool.length);
      const weights = weightsOf(wanted, size, pool);
      for (const [at, { from, order }] of wanted.entries())
        addScores(scores, pool, at, weights.subarray(from, from + order.length), from);
      return scores;
    },
  };
}

/** Adds the counts of several texts, as if they were one. */
export function addCounts([first, ...others]: [Counts, ...Counts[]]): Counts {
  if (others.length === 0) return first;
  const lengths = [...first.lengths];
  const frequencies = first.frequencies.slice();
  for (const other of others) {
    for (const [at, length] of other.lengths.entries()) lengths[at] = (lengths[at] ?? 0) + length;
    for (let term = 0; term < frequencies.length; term += 1)
      frequencies[term] = (frequencies[term] ?? 0) + (other.frequencies[term] ?? 0);
  }
  return { lengths, frequencies };
}

/** The inverse document frequency of a term that is in `found` of `total` texts. */
export const inverseFrequency = (found: number, total: number): number =>
  Math.log(1 + (total - found + 0.5) / (found + 0.5));

function defineView<Term extends string | number>(view: View<Term>): View {
  return view;
}

/** The distinct terms of the query in one view; a repeated word has no more weight. */
interface Wanted {
  view: View;
  order: (string | number)[];
  /** The index of the first of them among the terms of all views; the others follow. */
  from: number;
  places: Map<string | number, number>;
  /** A filter that rejects most terms without a look-up. */
  maybe: Uint8Array;
}

/** A power of two. */
const MAYBE_SIZE = 4_096;

function wantedOf(query: string, views: View[]): Wanted[] {
  let from = 0;
  return views.map((view) => {
    const order = [...new Set(Array.from(view.queryTerms(query)))];
    const maybe = new Uint8Array(MAYBE_SIZE);
    for (const term of order) maybe[slotOf(term)] = 1;
    const start = from;
    from += order.length;
    return { view, order, from: start, places: new Map(order.map((term, at) => [term, start + at])), maybe };
  });
}

/** Numbers by their last bits, words by their ends and length. */
function slotOf(term: string | number): number {
  if (typeof term === 'number') return term & (MAYBE_SIZE - 1);
  const { length } = term;
  return (term.charCodeAt(0) * 31 + term.charCodeAt(length - 1) * 523 + length * 97) & (MAYBE_SIZE - 1);
}

function addFrequencies(
  frequencies: Float64Array,
  { places, maybe }: Wanted,
  terms: ArrayLike<string | number>,
  times: number,
): void {
  for (let index = 0; index < terms.length; index += 1) {
    const term = terms[index] as string | number;
    if (maybe[slotOf(term)] === 0) continue;
    const place = places.get(term);
    if (place !== undefined) frequencies[place] = (frequencies[place] ?? 0) + times;
  }
}

/** The weight of each term over these texts. */
function weightsOf(wanted: Wanted[], size: number, pool: Counts[]): Float64Array {
  const found = new Float64Array(size);
  for (const { frequencies } of pool) {
    for (let term = 0; term < size; term += 1)
      if ((frequencies[term] ?? 0) > 0) found[term] = (found[term] ?? 0) + 1;
  }
  const weights = new Float64Array(size);
  for (const { view, order, from } of wanted) {
    const background = view.share === undefined ? 0 : BACKGROUND_PASSAGES;
    for (const [at, term] of order.entries()) {
      const everywhere = (found[from + at] ?? 0) + background * (view.share?.(term) ?? 0);
      weights[from + at] = view.weight * inverseFrequency(everywhere, pool.length + background);
    }
  }
  return weights;
}

/** Adds the scores of one view, whose terms have these `weights` and begin at `from`. */
function addScores(
  scores: Float64Array,
  pool: Counts[],
  view: number,
  weights: Float64Array,
  from: number,
): void {
  const lengthMean = pool.reduce((sum, { lengths }) => sum + (lengths[view] ?? 0), 0) / pool.length || 1;
  for (const [text, { lengths, frequencies }] of pool.entries()) {
    const norm = K1 * (1 - B + (B * (lengths[view] ?? 0)) / lengthMean);
    let score = 0;
    for (let term = 0; term < weights.length; term += 1) {
      const frequency = frequencies[from + term] ?? 0;
      if (frequency > 0) score += ((weights[term] ?? 0) * frequency * (K1 + 1)) / (frequency + norm);
    }
    scores[text] = (scores[text] ?? 0) + score;
  }
}

/**
 * Removes words such as `how` and `which`, whose grams would match half of all texts. In English they are those of the background table,
 * which has few words of other languages: a list of function words takes its place there.
 */
function withoutCommon(query: string): string {
  const isEmpty = isEnglish(query) ? isCommon : (term: string) => isCommon(term) || isStopWord(term);
  const rare = query.split(/\s+/).filter((word) => !tokenise(word).every(isEmpty));
  return rare.join(' ');
}
