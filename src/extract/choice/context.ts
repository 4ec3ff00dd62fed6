import type { Measure } from '../features/measure.ts';
import type { Block, ElementNode } from '../parse/nodes.ts';
import { type FeatureTable, put, type Row } from '../features/row.ts';
import { containerOf, type Survey } from '../features/survey.ts';

const LEVELS = [0, 1, 2, 3, 4, 6, 8].map((level) => ({ level, name: `chance.level[${level}]` }));
const OFFSETS = [-4, -3, -2, -1, 1, 2, 3, 4].map((offset) => ({ offset, name: `chance.near[${offset}]` }));
const WINDOWS = [4, 10, 25].map((size) => ({
  size,
  before: `chance.before[${size}]`,
  after: `chance.after[${size}]`,
}));
/**
 * The block itself, its neighbours, windows, ancestors, two subtrees, the page, and blocks of the same
 * structure.
 */
export const CONTEXT_WIDTH = 1 + OFFSETS.length + WINDOWS.length * 2 + LEVELS.length + 2 * 3 + 8 + 4;

/** Adds the features of the second stage to each row: the first stage's probabilities of the blocks around it. */
export function addContext(survey: Survey, table: FeatureTable, chances: Float32Array): void {
  const { values, width } = table;
  const sums = sumChances(survey, chances);
  const best = { ...BEST, element: bestSubtree(survey, sums, 0.5) };
  const wide = { ...WIDE, element: bestSubtree(survey, sums, BODY_PRICE) };
  const span = findSpan(chances, survey);
  const alike = meansOfPaths(survey, chances);
  const ends = sectionEnds(survey.headings);
  const names = [...table.names];
  const row: Row = { values, at: 0, names };
  for (let index = 0; index < chances.length; index++) {
    row.at = (index + 1) * width - CONTEXT_WIDTH;
    writeChances(row, survey, sums, chances, index);
    writeSubtree(row, survey, sums, best, index);
    writeSubtree(row, survey, sums, wide, index);
    writeSpan(row, survey, sums, span, index);
    put(row, 'chance.same_path', alike[survey.paths[index] as number] as number);
    const heading = survey.headings[index] as number;
    put(row, 'chance.heading', heading < 0 ? -1 : (chances[heading] as number));
    put(row, 'chance.section', mean(sums, Math.max(0, heading), ends[index] as number));
    put(row, 'section.blocks', (ends[index] as number) - Math.max(0, heading));
    row.names = undefined;
  }
  table.names = names;
}

/** By structural path: the mean probability of its blocks. */
function meansOfPaths(survey: Survey, chances: Float32Array): Float64Array {
  const kept = new Float64Array(chances.length);
  const weight = new Float64Array(chances.length);
  for (const [index, path] of survey.paths.entries()) {
    const words = (survey.measures[index] as Measure).words + 1;
    kept[path] = (kept[path] as number) + words * (chances[index] as number);
    weight[path] = (weight[path] as number) + words;
  }
  return kept.map((sum, path) => sum / Math.max(1, weight[path] as number));
}

/** By block: where the section below its heading ends. */
function sectionEnds(headings: Int32Array): Int32Array {
  const ends = new Int32Array(headings.length);
  let end = headings.length;
  for (let index = headings.length - 1; index >= 0; index--) {
    ends[index] = end;
    if (headings[index] !== headings[index - 1]) end = index;
  }
  return ends;
}

/** Finds the smallest element that holds most of the content. */
export const findBody = (survey: Survey, chances: Float32Array): ElementNode =>
  bestSubtree(survey, sumChances(survey, chances), BODY_PRICE);

/** The probability above which adding a word improves an element. */
const BODY_PRICE = 0.3;

interface Sums {
  /** Running sums of probability × words, and of words. Every block weighs at least one. */
  kept: Float64Array;
  weight: Float64Array;
}

function sumChances(survey: Survey, chances: Float32Array): Sums {
  const kept = new Float64Array(chances.length + 1);
  const weight = new Float64Array(chances.length + 1);
  for (const [index, measure] of survey.measures.entries()) {
    const words = measure.words + 1;
    kept[index + 1] = (kept[index] as number) + words * (chances[index] as number);
    weight[index + 1] = (weight[index] as number) + words;
  }
  return { kept, weight };
}

function mean(sums: Sums, first: number, end: number): number {
  const weight = (sums.weight[end] as number) - (sums.weight[first] as number);
  return weight === 0 ? 0 : ((sums.kept[end] as number) - (sums.kept[first] as number)) / weight;
}

function writeChances(row: Row, survey: Survey, sums: Sums, chances: Float32Array, index: number): void {
  put(row, 'chance', chances[index] as number);
  for (const { offset, name } of OFFSETS) put(row, name, chances[index + offset] ?? -1);
  for (const { size, before, after } of WINDOWS) {
    put(row, before, mean(sums, Math.max(0, index - size), index));
    put(row, after, mean(sums, index + 1, Math.min(chances.length, index + 1 + size)));
  }
  let element: ElementNode = containerOf(survey.tree.blocks[index] as Block);
  let level = 0;
  for (const { level: wanted, name } of LEVELS) {
    while (level < wanted && element.parent !== undefined) {
      element = element.parent;
      level += 1;
    }
    put(row, name, mean(sums, element.first, Math.min(element.end, chances.length)));
  }
}

/**
 * The element with the best score if it is kept whole, where each word scores its probability minus `price`.
 */
function bestSubtree(survey: Survey, sums: Sums, price: number): ElementNode {
  let best = survey.tree.root;
  let most = -Infinity;
  const last = survey.tree.blocks.length;
  for (const element of survey.tree.elements) {
    if (!element.isBlock) continue;
    const end = Math.min(element.end, last);
    const gain =
      (sums.kept[end] as number) -
      (sums.kept[element.first] as number) -
      price * ((sums.weight[end] as number) - (sums.weight[element.first] as number));
    if (gain >= most) {
      most = gain;
      best = element;
    }
  }
  return best;
}

interface Subtree {
  element: ElementNode;
  distance: string;
  depth: string;
  mean: string;
}

const subtreeNames = (name: string): Omit<Subtree, 'element'> => ({
  distance: `${name}.distance`,
  depth: `${name}.depth`,
  mean: `${name}.chance`,
});
const BEST = subtreeNames('best_subtree');
const WIDE = subtreeNames('wide_subtree');

function writeSubtree(row: Row, survey: Survey, sums: Sums, subtree: Subtree, index: number): void {
  const { element } = subtree;
  const isIn = index >= element.first && index < element.end;
  const last = survey.tree.blocks.length;
  put(
    row,
    subtree.distance,
    isIn ? 0 : index < element.first ? index - element.first : index - element.end + 1,
  );
  put(row, subtree.depth, isIn ? (survey.tree.blocks[index] as Block).element.depth - element.depth : -1);
  put(row, subtree.mean, mean(sums, element.first, Math.min(element.end, last)));
}

interface Span {
  first: number;
  last: number;
  longest: number;
}

/** The first and last block that are likely content, and the most likely long one. */
function findSpan(chances: Float32Array, survey: Survey): Span {
  const span = { first: 0, last: chances.length, longest: 0 };
  let most = 0;
  let isFirst = true;
  for (const [index, measure] of survey.measures.entries()) {
    const chance = chances[index] as number;
    if (chance * measure.words > most) {
      most = chance * measure.words;
      span.longest = index;
    }
    if (chance < 0.6 || measure.words < 8) continue;
    if (isFirst) span.first = index;
    isFirst = false;
    span.last = index;
  }
  return span;
}

function writeSpan(row: Row, survey: Survey, sums: Sums, span: Span, index: number): void {
  const count = survey.tree.blocks.length;
  const all = Math.max(1, sums.kept[count] as number);
  put(row, 'span.from_first', index - span.first);
  put(row, 'span.from_last', index - span.last);
  put(row, 'span.from_longest', index - span.longest);
  put(row, 'chance.page', mean(sums, 0, count));
  put(row, 'chance.page_words', all);
  put(row, 'chance.words_before', (sums.kept[index] as number) / all);
  put(row, 'chance.all_before', mean(sums, 0, index));
  put(row, 'chance.all_after', mean(sums, index, count));
}
