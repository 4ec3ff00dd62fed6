import {
  type Lexicon,
  nameTerms,
  orderNames,
  textScale,
  textTerms,
} from '../../src/extract/features/lexicon.ts';
import { LEXICAL_WIDTH } from '../../src/extract/features/features.ts';
import type { Survey } from '../../src/extract/features/survey.ts';
import { createRandom } from './gbdt.ts';

/** Weights as they were learned: names as terms with their bucket (`0:sidebar`). */
export interface LearnedLexicon {
  text: Map<string, number>;
  names: Map<string, number>;
}

export const NO_LEXICON: Lexicon = { text: new Map(), names: orderNames(new Map()) };

/** The terms of every block as numbers; text terms come first, `split` says how many. */
export interface TermTable {
  /** Every term, with `t` or `n` before it. */
  names: string[];
  /** By term: on how many hosts it was seen. */
  hosts: Int32Array;
  ids: Int32Array[];
  split: Uint8Array;
  /** By row: the row of the heading above it, or -1. */
  headings: Int32Array;
}

/** Blocks by their terms, with what is wanted of each. */
interface LabelledTerms {
  terms: TermTable;
  labels: Float32Array;
  weights: Float32Array;
}

const HOSTS_MIN = { text: 15, names: 8 };
/** Terms that say less are left out: the model stays small. */
const WEIGHT_MIN = { text: 0.4, names: 0.45 };

/** Collects the terms of pages in the order of their blocks. */
export function createTermCollector(): { add(survey: Survey, host: string): void; finish(): TermTable } {
  const numbers = new Map<string, number>();
  const hosts: number[] = [];
  const lastHost: string[] = [];
  const ids: Int32Array[] = [];
  const split: number[] = [];
  const headings: number[] = [];
  const numberOf = (term: string, host: string): number => {
    let number = numbers.get(term);
    if (number === undefined) {
      number = numbers.size;
      // A slice of the page would keep the whole page in memory.
      numbers.set(Buffer.from(term).toString(), number);
      hosts.push(0);
      lastHost.push('');
    }
    if (lastHost[number] !== host) {
      hosts[number] = (hosts[number] ?? 0) + 1;
      lastHost[number] = host;
    }
    return number;
  };
  return {
    add: (survey, host) => {
      const first = headings.length;
      for (const heading of survey.headings) headings.push(heading < 0 ? -1 : first + heading);
      for (const block of survey.tree.blocks) {
        const text = textTerms(block.text);
        const names = nameTerms(block.element);
        split.push(text.length);
        ids.push(
          Int32Array.from([...text.map((term) => `t${term}`), ...names.map((term) => `n${term}`)], (term) =>
            numberOf(term, host),
          ),
        );
      }
    },
    finish: () => ({
      names: [...numbers.keys()],
      hosts: Int32Array.from(hosts),
      ids,
      split: Uint8Array.from(split),
      headings: Int32Array.from(headings),
    }),
  };
}

const EPOCHS = 4;
const RATE = 0.15;
const DECAY = 2e-5;

/** Logistic regression over the terms by AdaGrad: the weights become the lexicon. Deterministic. */
export function trainLexicon(data: LabelledTerms, rows: Int32Array): LearnedLexicon {
  const { names, hosts, ids, split } = data.terms;
  const usable = Uint8Array.from(names, (name, term) =>
    Number((hosts[term] as number) >= (name.startsWith('t') ? HOSTS_MIN.text : HOSTS_MIN.names)),
  );
  const weights = new Float64Array(names.length);
  const squares = new Float64Array(names.length).fill(1e-3);
  const random = createRandom(3);
  const order = Int32Array.from(rows);
  let bias = -1;
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    shuffle(order, random);
    for (const row of order) {
      const terms = ids[row] as Int32Array;
      const first = split[row] as number;
      const scale = textScale(first);
      let score = bias;
      for (let place = 0; place < terms.length; place++)
        score += (weights[terms[place] as number] as number) * (place < first ? scale : 1);
      const error =
        (1 / (1 + Math.exp(-score)) - (data.labels[row] as number)) *
        Math.min(4, data.weights[row] as number);
      bias -= 0.002 * error;
      for (let place = 0; place < terms.length; place++) {
        const term = terms[place] as number;
        const gradient = error * (place < first ? scale : 0.5) + DECAY * (weights[term] as number);
        squares[term] = (squares[term] as number) + gradient * gradient;
        weights[term] =
          (weights[term] as number) - ((usable[term] as number) * RATE * gradient) / Math.sqrt(squares[term]);
      }
    }
  }
  const lexicon: LearnedLexicon = { text: new Map(), names: new Map() };
  for (const [term, name] of names.entries()) {
    const weight = weights[term] as number;
    const kind = name.startsWith('t') ? 'text' : 'names';
    if (usable[term] === 1 && Math.abs(weight) > WEIGHT_MIN[kind]) lexicon[kind].set(name.slice(1), weight);
  }
  return lexicon;
}

function shuffle(order: Int32Array, random: () => number): void {
  for (let index = order.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    const kept = order[index] as number;
    order[index] = order[other] as number;
    order[other] = kept;
  }
}

/** The lexical features of rows `first` to `first + count`, as the product computes them. */
export function scoreLexical(
  data: Pick<LabelledTerms, 'terms'>,
  lexicon: LearnedLexicon,
  first: number,
  count: number,
  out: Float32Array,
): void {
  const { names, ids, split, headings } = data.terms;
  const width = LEXICAL_WIDTH;
  for (let row = first; row < first + count; row++) {
    const terms = ids[row] as Int32Array;
    const texts = split[row] as number;
    for (let place = 0; place < terms.length; place++) {
      const name = (names[terms[place] as number] as string).slice(1);
      const column = place < texts ? 0 : 2 + (name.charCodeAt(0) - 48);
      const weight = (place < texts ? lexicon.text.get(name) : lexicon.names.get(name)) ?? 0;
      out[row * width + column] =
        (out[row * width + column] as number) + weight * (place < texts ? textScale(texts) : 1);
    }
    out[row * width + 1] = out[(headings[row] as number) * width] ?? 0;
  }
}
