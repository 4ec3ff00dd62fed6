import { groupBit } from '../parse/class-groups.ts';
import { type Measure, measureBlock } from './measure.ts';
import { nameElements } from './name-elements.ts';
import { type Block, type ElementNode, isText, type Tree, type TreeNode } from '../parse/nodes.ts';
import { HEADING_TAGS } from '../parse/tags.ts';

/** Measurements of a page that several features and passes share. */
export interface Survey {
  tree: Tree;
  measures: Measure[];
  /** Running sums over blocks; entry `i` counts the blocks before `i`. */
  words: Float64Array;
  linkWords: Float64Array;
  paragraphs: Float64Array;
  sentences: Float64Array;
  /** By element order: its kind, and how many of the kind its parent has; by kind: how many the page has. */
  kinds: Int32Array;
  siblings: Uint16Array;
  kindCounts: number[];
  /** By block: the number of its structural path, and how often that recurs. */
  paths: Int32Array;
  pathCounts: Float64Array;
  /** By block: the last block that is a heading, itself included, or -1. */
  headings: Int32Array;
  candidate: ElementNode;
  marked: ElementNode;
}

export const PARAGRAPH_WORDS = 15;

/** Measures a page once, for all features and passes. */
export function surveyPage(tree: Tree): Survey {
  nameElements(tree);
  const measures = tree.blocks.map((block) => measureBlock(block));
  const repeats = countKinds(tree);
  const survey: Survey = {
    tree,
    measures,
    words: runningSum(measures, (measure) => measure.words),
    linkWords: runningSum(measures, (measure) => measure.words * measure.linkShare),
    paragraphs: runningSum(measures, (measure) => Number(isParagraph(measure))),
    sentences: runningSum(measures, (measure) => measure.sentences),
    ...repeats,
    ...countPaths(tree, repeats.kinds),
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

/** The heading that an element is or is directly in. */
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
export const sumOver = (sums: Float64Array, element: ElementNode): number =>
  (sums[Math.min(element.end, sums.length - 1)] as number) - (sums[element.first] as number);

function runningSum(measures: Measure[], value: (measure: Measure) => number): Float64Array {
  const sums = new Float64Array(measures.length + 1);
  for (let index = 0; index < measures.length; index++)
    sums[index + 1] = (sums[index] as number) + value(measures[index] as Measure);
  return sums;
}

/** Elements of one tag and class are of one kind; cards of a grid and rows of a list show as siblings of one kind. */
function countKinds(tree: Tree): Pick<Survey, 'kinds' | 'kindCounts' | 'siblings'> {
  const kinds = new Int32Array(tree.elements.length);
  const kindCounts = [0];
  const byTag = new Map<string, number[]>();
  for (const element of tree.elements) {
    let byClass = byTag.get(element.tag);
    if (byClass === undefined) byTag.set(element.tag, (byClass = []));
    // No class and an empty one are the same.
    const names = element.classNames;
    const place = names === undefined || names.isEmpty ? 0 : names.order + 1;
    const kind = (byClass[place] ??= kindCounts.push(0) - 1);
    kinds[element.order] = kind;
    kindCounts[kind] = (kindCounts[kind] as number) + 1;
  }
  const siblings = new Uint16Array(tree.elements.length);
  const family = new Uint32Array(kindCounts.length);
  countFamily(tree.root, kinds, family, siblings);
  for (const element of tree.elements) countFamily(element, kinds, family, siblings);
  return { kinds, kindCounts, siblings };
}

/** Notes for each child how many children are of its kind; `family` is all zeros before and after. */
function countFamily(
  { children }: ElementNode,
  kinds: Int32Array,
  family: Uint32Array,
  siblings: Uint16Array,
): void {
  for (const child of children) {
    if (!isPlaced(child)) continue;
    const kind = kindOf(child, kinds);
    family[kind] = (family[kind] as number) + 1;
  }
  for (const child of children)
    if (isPlaced(child)) siblings[child.order] = Math.min(65_535, family[kindOf(child, kinds)] as number);
  for (const child of children) if (isPlaced(child)) family[kindOf(child, kinds)] = 0;
}

const isPlaced = (node: TreeNode): node is ElementNode => !isText(node) && node.order >= 0;

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
  const words = sumOver(survey.words, element);
  return words === 0 ? 0 : sumOver(survey.linkWords, element) / words;
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
    const score = sumOver(survey.words, element) - 1.5 * sumOver(survey.linkWords, element);
    if (score > most || (score > 0.85 * most && element.depth > best.depth && isInside(element, best))) {
      most = Math.max(most, score);
      best = element;
    }
  }
  return best;
}

export const isInside = (inner: ElementNode, outer: ElementNode): boolean =>
  inner.first >= outer.first && inner.end <= outer.end;
