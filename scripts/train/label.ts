const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}`;
const WORD = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{N}_])+`, 'gu');

/** The words of a text as the benchmarks count them, but the characters of scripts without spaces, whose runs differ by a comma. */
export const tokenize = (text: string): string[] => text.toLowerCase().match(WORD) ?? [];

const GRAM = 3;

/** What the labels need to know of a block. */
export interface LabelledBlock {
  tokens: string[];
  text: string;
  /** A hidden block is never kept, so it takes no words of the gold text. */
  isHidden: boolean;
  /** Whether the text is kept each time it stands on the page. */
  mayRepeat: boolean;
}

/**
 * How much of each block is in the gold text. A long block: the share of its word triples. What long blocks leave of the gold text's words is
 * given to short ones, first to those among content: one word of a menu is somewhere in every text, and is not content for that.
 */
export function labelByGold(blocks: LabelledBlock[], gold: string): number[] {
  const shares = shareInGold(blocks, gold);
  const support = supportOf(blocks, shares);
  const left = new Map<string, number>();
  for (const word of tokenize(gold)) left.set(word, (left.get(word) ?? 0) + 1);
  const labels = shares.slice();
  labelLong(blocks, support, left, labels);
  labelShort(blocks, support, left, labels);
  return labels;
}

function shareInGold(blocks: LabelledBlock[], gold: string): number[] {
  const words = tokenize(gold);
  const triples = grams(words, GRAM);
  const pairs = grams(words, 2);
  const singles = new Set(words);
  const lines = new Set(gold.split('\n').map((line) => tokenize(line).join(' ')));
  return blocks.map(({ tokens }) => {
    if (tokens.length === 0) return 0;
    if (tokens.length >= GRAM) return shareIn(tokens, triples);
    if (lines.has(tokens.join(' '))) return 1;
    const isThere = tokens.length === 2 ? pairs.has(tokens.join(' ')) : singles.has(tokens[0] as string);
    return isThere ? 0.5 : 0;
  });
}

const REACH = 6;
const WORDS_MAX = 30;

/** By block: how much of the long blocks around it is in the gold text; where there are none, of the page. */
function supportOf(blocks: LabelledBlock[], shares: number[]): number[] {
  const weights = blocks.map(({ tokens, isHidden }) =>
    isHidden || tokens.length < GRAM ? 0 : Math.min(WORDS_MAX, tokens.length),
  );
  const mean = (first: number, end: number, without: number): number | undefined => {
    let [sum, weight] = [0, 0];
    for (let index = first; index < end; index++) {
      if (index === without) continue;
      sum += (weights[index] as number) * (shares[index] as number);
      weight += weights[index] as number;
    }
    return weight === 0 ? undefined : sum / weight;
  };
  const whole = mean(0, blocks.length, -1) ?? 0;
  return blocks.map(
    (_, index) =>
      mean(Math.max(0, index - REACH), Math.min(blocks.length, index + REACH + 1), index) ?? whole,
  );
}

const REPEAT_WORDS_MIN = 6;
/** A block that takes fewer of its words from what is left is there more often than in the gold text. */
const TAKEN_MIN = 0.7;
const TAKES_FROM = 0.3;

/** Long blocks take their words from the gold text, the surest first; a text that is kept once takes them once. */
function labelLong(
  blocks: LabelledBlock[],
  support: number[],
  left: Map<string, number>,
  labels: number[],
): void {
  const rank = (index: number): number => (labels[index] as number) * (0.3 + (support[index] as number));
  const ranks = blocks.map((_, index) => rank(index));
  const order = [...blocks.keys()]
    .filter((index) => (blocks[index] as LabelledBlock).tokens.length >= GRAM)
    .sort((a, b) => (ranks[b] as number) - (ranks[a] as number) || a - b);
  const known = new Map<string, number>();
  for (const index of order) {
    const { tokens, text, isHidden, mayRepeat } = blocks[index] as LabelledBlock;
    const earlier = known.get(text);
    const share = labels[index] as number;
    if (isHidden || share === 0) continue;
    if (earlier !== undefined && !mayRepeat && tokens.length >= REPEAT_WORDS_MIN) {
      labels[index] = earlier;
      continue;
    }
    const taken = countAvailable(tokens, left) / tokens.length;
    const label = taken < TAKEN_MIN ? Math.min(share, taken) : share;
    if (label > TAKES_FROM) take(tokens, left);
    labels[index] = label;
    known.set(text, label);
  }
}

const SUPPORT_MIN = 0.15;
const SUPPORT_SURE = 0.4;

/** Short blocks share what is left, pairs before single words, those among content before others. */
function labelShort(
  blocks: LabelledBlock[],
  support: number[],
  left: Map<string, number>,
  labels: number[],
): void {
  const order = [...blocks.keys()]
    .filter((index) => {
      const { tokens, isHidden } = blocks[index] as LabelledBlock;
      return !isHidden && tokens.length > 0 && tokens.length < GRAM && (labels[index] as number) > 0;
    })
    .sort(
      (a, b) =>
        (blocks[b] as LabelledBlock).tokens.length - (blocks[a] as LabelledBlock).tokens.length ||
        (support[b] as number) - (support[a] as number) ||
        a - b,
    );
  for (const index of order) {
    const { tokens } = blocks[index] as LabelledBlock;
    const isLine = labels[index] === 1;
    const isFree = countAvailable(tokens, left) === tokens.length;
    if (isFree && (isLine || (support[index] as number) > SUPPORT_MIN)) {
      labels[index] = isLine || (support[index] as number) > SUPPORT_SURE ? 1 : 0.6;
      take(tokens, left);
    } else labels[index] = 0;
  }
}

function countAvailable(tokens: string[], left: Map<string, number>): number {
  const used = new Map<string, number>();
  let count = 0;
  for (const word of tokens) {
    const before = used.get(word) ?? 0;
    used.set(word, before + 1);
    if (before < (left.get(word) ?? 0)) count += 1;
  }
  return count;
}

function take(tokens: string[], left: Map<string, number>): void {
  for (const word of tokens) left.set(word, Math.max(0, (left.get(word) ?? 0) - 1));
}

function shareIn(tokens: string[], triples: Set<string>): number {
  let found = 0;
  const count = tokens.length - GRAM + 1;
  for (let index = 0; index < count; index++)
    if (triples.has(tokens.slice(index, index + GRAM).join(' '))) found += 1;
  return found / count;
}

function grams(words: string[], size: number): Set<string> {
  const out = new Set<string>();
  for (let index = 0; index + size <= words.length; index++)
    out.add(words.slice(index, index + size).join(' '));
  return out;
}

/** Labels from a few marked passages: 1 for blocks with a wanted one, 0 with an unwanted one, undefined where nothing is known. */
export function labelBySegments(
  texts: string[],
  wanted: string[],
  unwanted: string[],
): (number | undefined)[] {
  const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();
  const [yes, no] = [wanted.map(plain), unwanted.map(plain)];
  return texts.map((raw) => {
    const text = plain(raw);
    const matches = (segment: string): boolean =>
      text.includes(segment) || (text.length >= 25 && segment.includes(text));
    const isWanted = yes.some(matches);
    const isUnwanted = no.some(matches);
    if (isWanted === isUnwanted) return undefined;
    return isWanted ? 1 : 0;
  });
}
