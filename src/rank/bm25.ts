import { backgroundShare, gramShare, isCommon } from './background.ts';
import { grams, pairedCharacters } from './grams.ts';
import { tokenise } from './tokenise.ts';

export const K1 = 1.2;
export const B = 0.75;

/** A term in the title of a passage counts this often. */
export const TITLE_TIMES = 3;

/** What the query's terms weigh against: this many passages of ordinary web text are added to the candidates. */
export const BACKGROUND_PASSAGES = 300;

/** One way of looking at a text. A passage's score is the weighted sum of its BM25 scores over all views. */
interface View<Term extends string | number = string | number> {
  weight: number;
  /** Its terms, from the text or from the words of it. */
  terms(text: string, words: string[]): ArrayLike<Term>;
  queryTerms(query: string): ArrayLike<Term>;
  /** How common a term is elsewhere; undefined when nobody counted it. */
  share?(term: Term): number;
}

/** A passage says at its beginning what it is about: a title, a definition, the name of a function and its comment. */
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
];

/** A text cut into the terms of every view; keep it to ask several queries of one text. */
export type Terms = ArrayLike<string | number>[];

export function termsOf(text: string): Terms {
  const words = tokenise(text);
  return VIEWS.map((view) => view.terms(text, words));
}

/** What one text contributes: per view its length and how often each of the query's terms stands in it. */
export interface Counts {
  lengths: number[];
  frequencies: Float64Array[];
}

/** A query made ready to be counted in many texts and scored over them. */
export interface QueryModel {
  /** Counts the query's terms in a text, each `times` times. */
  count(text: string | Terms, times?: number): Counts;
  /** One score per text; the texts are the pool from which term weights and mean lengths come. */
  score(pool: Counts[]): Float64Array;
}

export function createQueryModel(query: string): QueryModel {
  const wanted = VIEWS.map((view) => wantedTerms(view, query));
  return {
    count: (text, times = 1) => {
      const words = typeof text === 'string' ? tokenise(text) : [];
      const lengths = VIEWS.map(() => 0);
      const frequencies = wanted.map((one, at) => {
        // A view that has nothing to say about the query is not computed.
        if (one.order.length === 0) return NOTHING;
        const terms = typeof text === 'string' ? one.view.terms(text, words) : (text[at] ?? []);
        lengths[at] = terms.length * times;
        return countTerms(one, terms, times);
      });
      return { lengths, frequencies };
    },
    score: (pool) => {
      const scores = new Float64Array(pool.length);
      for (const [at, terms] of wanted.entries()) addScores(scores, pool, at, terms);
      return scores;
    },
  };
}

const NOTHING = new Float64Array(0);

/** The counts of several texts put together, as if they were one. */
export function addCounts(parts: Counts[]): Counts {
  const [first, ...others] = parts;
  const sum: Counts = {
    lengths: VIEWS.map((_, at) => first?.lengths[at] ?? 0),
    frequencies: VIEWS.map((_, at) => first?.frequencies[at]?.slice() ?? NOTHING),
  };
  for (const { lengths, frequencies } of others) {
    for (const [at, counts] of frequencies.entries()) {
      sum.lengths[at] = (sum.lengths[at] ?? 0) + (lengths[at] ?? 0);
      const into = sum.frequencies[at] ?? NOTHING;
      for (let term = 0; term < counts.length; term += 1)
        into[term] = (into[term] ?? 0) + (counts[term] ?? 0);
    }
  }
  return sum;
}

/** The weight of a term found in `found` of `total` texts. */
export const inverseFrequency = (found: number, total: number): number =>
  Math.log(1 + (total - found + 0.5) / (found + 0.5));

function defineView<Term extends string | number>(view: View<Term>): View {
  return view;
}

/** The distinct terms of the query in one view; a repeated word does not weigh more. */
interface Wanted {
  view: View;
  order: (string | number)[];
  index: Map<string | number, number>;
  /** Says of a term whether it can be among these at all: most lookups end here. */
  maybe: Uint8Array;
}

const MAYBE_SIZE = 4_096;

function wantedTerms(view: View, query: string): Wanted {
  const order = [...new Set(Array.from(view.queryTerms(query)))];
  const maybe = new Uint8Array(MAYBE_SIZE);
  for (const term of order) maybe[slotOf(term)] = 1;
  return { view, order, index: new Map(order.map((term, at) => [term, at])), maybe };
}

/** Numbers by their last bits, words by their ends and length. */
function slotOf(term: string | number): number {
  if (typeof term === 'number') return term % MAYBE_SIZE;
  const { length } = term;
  return (term.charCodeAt(0) * 31 + term.charCodeAt(length - 1) * 523 + length * 97) % MAYBE_SIZE;
}

function countTerms({ order, index, maybe }: Wanted, terms: ArrayLike<string | number>, times: number) {
  const frequencies = new Float64Array(order.length);
  for (let place = 0; place < terms.length; place += 1) {
    const term = terms[place] as string | number;
    if (maybe[slotOf(term)] === 0) continue;
    const at = index.get(term);
    if (at !== undefined) frequencies[at] = (frequencies[at] ?? 0) + times;
  }
  return frequencies;
}

function addScores(scores: Float64Array, pool: Counts[], at: number, { view, order }: Wanted): void {
  const lengthMean = pool.reduce((sum, counts) => sum + (counts.lengths[at] ?? 0), 0) / pool.length || 1;
  const norms = pool.map((counts) => K1 * (1 - B + (B * (counts.lengths[at] ?? 0)) / lengthMean));
  const background = view.share === undefined ? 0 : BACKGROUND_PASSAGES;
  const column = new Float64Array(pool.length);
  for (const [index, term] of order.entries()) {
    let found = 0;
    for (let text = 0; text < pool.length; text += 1) {
      const frequency = pool[text]?.frequencies[at]?.[index] ?? 0;
      column[text] = frequency;
      if (frequency > 0) found += 1;
    }
    if (found === 0) continue;
    const weight = inverseFrequency(found + background * (view.share?.(term) ?? 0), pool.length + background);
    for (let text = 0; text < column.length; text += 1) {
      const frequency = column[text] ?? 0;
      if (frequency === 0) continue;
      const gain = (frequency * (K1 + 1)) / (frequency + (norms[text] ?? K1));
      scores[text] = (scores[text] ?? 0) + view.weight * weight * gain;
    }
  }
}

/** The pieces of words such as `how` and `which` would match half of all texts. */
function withoutCommon(query: string): string {
  const rare = query.split(/\s+/).filter((word) => !tokenise(word).every(isCommon));
  return rare.join(' ');
}
