import { backgroundShare, gramShare, isCommon } from './background.ts';
import { grams, pairedCharacters } from './grams.ts';
import { characterClasses, tokenise, WORD } from './tokenise.ts';

export const K1 = 1.2;
export const B = 0.75;

/** A term in the title of a passage counts this often. */
export const TITLE_TIMES = 3;

/** What the query's terms weigh against: this many passages of ordinary web text are added to the candidates. */
const BACKGROUND_PASSAGES = 300;

/** One way of looking at a text. A passage's score is the weighted sum of its BM25 scores over all views. */
interface View<Term extends string | number = string | number> {
  weight: number;
  terms(text: string): ArrayLike<Term>;
  queryTerms(query: string): ArrayLike<Term>;
  /** How common a term is elsewhere; undefined when nobody counted it. */
  share?(term: Term): number;
}

const WORDS = defineView({ weight: 1, terms: tokenise, queryTerms: tokenise, share: backgroundShare });

/** Words of the query that stand side by side in a text, too. Its terms are those of the words, looked at two by two. */
const NEIGHBOURS = defineView({ weight: 0.4, terms: tokenise, queryTerms: neighbours });

const VIEWS = [
  WORDS,
  NEIGHBOURS,
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

export const termsOf = (text: string): Terms => cut(text, () => true);

/** Cuts a text for the views that are wanted; words are cut once for both views of them. */
function cut(text: string, isWanted: (view: View) => boolean): Terms {
  const words = isWanted(WORDS) ? WORDS.terms(text) : [];
  return VIEWS.map((view) => {
    if (view === WORDS || view === NEIGHBOURS) return words;
    return isWanted(view) ? view.terms(text) : [];
  });
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
      // A view that has nothing to say about the query is not computed.
      const isWanted = (view: View) => wanted.some((terms) => terms.view === view && terms.order.length > 0);
      const terms = typeof text === 'string' ? cut(text, isWanted) : text;
      const counted = wanted.map((one, at) => {
        if (one.order.length === 0) return { length: 0, frequencies: new Float64Array(0) };
        return one.view === NEIGHBOURS
          ? countNeighbours(one, terms[at] ?? [], times)
          : countTerms(one, terms[at] ?? [], times);
      });
      return {
        lengths: counted.map(({ length }) => length),
        frequencies: counted.map(({ frequencies }) => frequencies),
      };
    },
    score: (pool) => {
      const scores = new Float64Array(pool.length);
      for (const [at, terms] of wanted.entries()) addScores(scores, pool, at, terms);
      return scores;
    },
  };
}

/** The counts of several texts put together, as if they were one. */
export function addCounts(parts: Counts[]): Counts {
  return {
    lengths: VIEWS.map((_, at) => parts.reduce((sum, part) => sum + (part.lengths[at] ?? 0), 0)),
    frequencies: VIEWS.map((_, at) => {
      const sum = new Float64Array(parts[0]?.frequencies[at]?.length ?? 0);
      for (const part of parts) {
        part.frequencies[at]?.forEach((count, term) => {
          sum[term] = (sum[term] ?? 0) + count;
        });
      }
      return sum;
    }),
  };
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
  /** Says of a number, by its last bits, or of two words, whether it can be among the terms at all: most lookups end here. */
  maybe: Uint8Array;
}

const MAYBE_SIZE = 4_096;

function wantedTerms(view: View, query: string): Wanted {
  const order = [...new Set(Array.from(view.queryTerms(query)))];
  const maybe = new Uint8Array(MAYBE_SIZE);
  for (const term of order) maybe[slotOf(view, term)] = 1;
  return { view, order, index: new Map(order.map((term, at) => [term, at])), maybe };
}

function slotOf(view: View, term: string | number): number {
  if (typeof term === 'number') return term % MAYBE_SIZE;
  const [first = '', second = ''] = view === NEIGHBOURS ? term.split(' ') : [];
  return pairSlot(first, second);
}

function countTerms({ order, index, maybe }: Wanted, terms: ArrayLike<string | number>, times: number) {
  const frequencies = new Float64Array(order.length);
  for (let place = 0; place < terms.length; place += 1) {
    const term = terms[place] as string | number;
    if (typeof term === 'number' && maybe[term % MAYBE_SIZE] === 0) continue;
    const at = index.get(term);
    if (at !== undefined) frequencies[at] = (frequencies[at] ?? 0) + times;
  }
  return { length: terms.length * times, frequencies };
}

/** Pairs are only spelled out where both words begin like words of the query: nearly nowhere. */
function countNeighbours({ order, index, maybe }: Wanted, terms: ArrayLike<string | number>, times: number) {
  const frequencies = new Float64Array(order.length);
  let before = '';
  for (let place = 0; place < terms.length; place += 1) {
    const term = terms[place] as string;
    const at = maybe[pairSlot(before, term)] === 0 ? undefined : index.get(`${before} ${term}`);
    if (at !== undefined) frequencies[at] = (frequencies[at] ?? 0) + times;
    before = term;
  }
  return { length: Math.max(0, terms.length - 1) * times, frequencies };
}

const pairSlot = (first: string, second: string): number =>
  (first.charCodeAt(0) * 31 + second.charCodeAt(0) + first.length * 1_021 + second.length * 97) % MAYBE_SIZE;

/** Words side by side, where words are parted by spaces: characters in pairs overlap anyway. */
function neighbours(query: string): string[] {
  const words = tokenise(query);
  const isWord = (word: string) => characterClasses()[word.charCodeAt(0)] === WORD;
  return words.slice(1).flatMap((word, at) => {
    const before = words[at] ?? '';
    return isWord(before) && isWord(word) ? [`${before} ${word}`] : [];
  });
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
