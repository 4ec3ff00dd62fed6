import { groupBit } from './class-groups.ts';
import { type Measure, measureBlock } from './measure.ts';
import { attributeOf, type Block, type ElementNode, type Tree } from './nodes.ts';
import { HEADING_TAGS } from './tags.ts';

/** Everything about a page that several features share: measures of blocks, running sums, repeated structures, candidates. */
export interface Survey {
  tree: Tree;
  measures: Measure[];
  /** Running sums over blocks; entry `i` counts the blocks before `i`. */
  words: Float64Array;
  linkWords: Float64Array;
  paragraphs: Float64Array;
  sentences: Float64Array;
  /** By element order: the page-wide number of its kind, of the kind within its parent, and the kind itself. */
  kinds: Int32Array;
  kindCounts: Map<number, number>;
  siblings: Uint16Array;
  /** By block: the number of its structural path, and how often that recurs. */
  paths: Int32Array;
  pathCounts: Float64Array;
  /** By block: the last block that is a heading, itself included, or -1. */
  headings: Int32Array;
  candidate: ElementNode;
  marked: ElementNode;
}

export const PARAGRAPH_WORDS = 15;

/** Reads a page once and prepares what the features look up. */
export function surveyPage(tree: Tree): Survey {
  const measures = tree.blocks.map((block) => measureBlock(block));
  const kinds = new Int32Array(tree.elements.length);
  const kindCounts = new Map<number, number>();
  const siblings = countKinds(tree, kinds, kindCounts);
  const survey: Survey = {
    tree,
    measures,
    words: runningSum(measures, (measure) => measure.words),
    linkWords: runningSum(measures, (measure) => measure.words * measure.linkShare),
    paragraphs: runningSum(measures, (measure) => Number(isParagraph(measure))),
    sentences: runningSum(measures, (measure) => measure.sentences),
    kinds,
    kindCounts,
    siblings,
    ...countPaths(tree, kinds),
    headings: findHeadings(tree),
    candidate: tree.root,
    marked: tree.root,
  };
  survey.candidate = findCandidate(survey);
  survey.marked = findMarked(survey);
  return survey;
}

function findHeadings(tree: Tree): Int32Array {
  let last = -1;
  return Int32Array.from(tree.blocks, (block, index) => {
    if (headingOf(block.element) !== undefined) last = index;
    return last;
  });
}

/** The heading that an element is, or stands directly in. */
export function headingOf(start: ElementNode): ElementNode | undefined {
  let element: ElementNode | undefined = start;
  for (let level = 0; level < 3 && element !== undefined; level++) {
    if (HEADING_TAGS.has(element.tag)) return element;
    element = element.parent;
  }
  return undefined;
}

export const isParagraph = (measure: Measure): boolean =>
  measure.words >= PARAGRAPH_WORDS && measure.linkShare < 0.4;

/** The sum over the blocks of an element. */
export const within = (sums: Float64Array, element: ElementNode): number =>
  (sums[Math.min(element.end, sums.length - 1)] as number) - (sums[element.first] as number);

function runningSum(measures: Measure[], value: (measure: Measure) => number): Float64Array {
  const sums = new Float64Array(measures.length + 1);
  for (let index = 0; index < measures.length; index++)
    sums[index + 1] = (sums[index] as number) + value(measures[index] as Measure);
  return sums;
}

/** Elements of one tag and class are of one kind; cards of a grid and rows of a list show as siblings of one kind. */
function countKinds(tree: Tree, kinds: Int32Array, counts: Map<number, number>): Uint16Array {
  const names = new Map<string, number>();
  const families = new Map<number, number>();
  const elements = tree.elements;
  const keys = new Float64Array(elements.length);
  for (const [order, element] of elements.entries()) {
    const name = `${element.tag}.${attributeOf(element, 'class') ?? ''}`;
    let kind = names.get(name);
    if (kind === undefined) {
      kind = names.size + 1;
      names.set(name, kind);
    }
    kinds[order] = kind;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const key = ((element.parent?.order ?? -1) + 2) * 262_144 + kind;
    keys[order] = key;
    families.set(key, (families.get(key) ?? 0) + 1);
  }
  const siblings = new Uint16Array(elements.length);
  for (let order = 0; order < elements.length; order++)
    siblings[order] = Math.min(65_535, families.get(keys[order] as number) ?? 1);
  return siblings;
}

function countPaths(tree: Tree, kinds: Int32Array): Pick<Survey, 'paths' | 'pathCounts'> {
  const numbers = new Map<number, number>();
  const counts: number[] = [];
  const paths = Int32Array.from(tree.blocks, (block) => {
    const key = pathKey(block.element, kinds);
    let path = numbers.get(key);
    if (path === undefined) {
      path = numbers.size;
      numbers.set(key, path);
      counts.push(0);
    }
    counts[path] = (counts[path] as number) + 1;
    return path;
  });
  return { paths, pathCounts: Float64Array.from(paths, (path) => counts[path] as number) };
}

const kindOf = (element: ElementNode | undefined, kinds: Int32Array): number =>
  element === undefined || element.order < 0 ? 0 : (kinds[element.order] as number);

function pathKey(element: ElementNode, kinds: Int32Array): number {
  const parent = element.parent;
  return (
    (kindOf(element, kinds) * 100_003 + kindOf(parent, kinds)) * 1_009 +
    (kindOf(parent?.parent, kinds) % 1_009)
  );
}

/** The nearest block-level element around a block. */
export function containerOf(block: Block): ElementNode {
  let element = block.element;
  while (!element.isBlock && element.parent !== undefined) element = element.parent;
  return element;
}

/** Paragraphs vote for their parents and grandparents; links count against them: Readability's idea of the main element. */
function findCandidate(survey: Survey): ElementNode {
  const { tree, measures } = survey;
  const scores = new Float64Array(tree.elements.length);
  for (const [index, block] of tree.blocks.entries()) {
    const measure = measures[index] as Measure;
    if (measure.chars < 25 || block.element.hidden !== '') continue;
    const score = 1 + measure.commas + Math.min(3, measure.chars / 100);
    const parent = containerOf(block).parent;
    if (parent === undefined || parent.order < 0) continue;
    scores[parent.order] = (scores[parent.order] as number) + score;
    const grandparent = parent.parent;
    if (grandparent !== undefined && grandparent.order >= 0)
      scores[grandparent.order] = (scores[grandparent.order] as number) + score / 2;
  }
  let best = tree.root;
  let most = 0;
  for (const element of tree.elements) {
    const score = (scores[element.order] as number) * (1 - linkShareOf(survey, element));
    if (score > most) {
      most = score;
      best = element;
    }
  }
  return best;
}

export function linkShareOf(survey: Survey, element: ElementNode): number {
  const words = within(survey.words, element);
  return words === 0 ? 0 : within(survey.linkWords, element) / words;
}

const MAIN =
  groupBit('content') | groupBit('main') | groupBit('docs') | groupBit('thread') | groupBit('product');

/** The element that the page itself calls its content: the deepest one that still holds nearly all of the best one's text. */
function findMarked(survey: Survey): ElementNode {
  let best = survey.tree.root;
  let most = 0;
  for (const element of survey.tree.elements) {
    const isMarked = element.tag === 'article' || element.tag === 'main' || (element.groups & MAIN) !== 0;
    if (!isMarked || !element.isBlock || element.hidden !== '') continue;
    const score = within(survey.words, element) - 1.5 * within(survey.linkWords, element);
    if (score > most || (score > 0.85 * most && element.depth > best.depth && isInside(element, best))) {
      most = Math.max(most, score);
      best = element;
    }
  }
  return best;
}

export const isInside = (inner: ElementNode, outer: ElementNode): boolean =>
  inner.first >= outer.first && inner.end <= outer.end;
