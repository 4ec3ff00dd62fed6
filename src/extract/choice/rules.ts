import { groupBit } from '../parse/class-groups.ts';
import type { Measure } from '../features/measure.ts';
import { HEADING_TAGS } from '../parse/tags.ts';
import type { Block, ElementNode, Tree } from '../parse/nodes.ts';

const BOILERPLATE =
  groupBit('navigation') |
  groupBit('footer') |
  groupBit('sidebar') |
  groupBit('share') |
  groupBit('related') |
  groupBit('ads') |
  groupBit('newsletter') |
  groupBit('cookie') |
  groupBit('breadcrumb');
const BOILERPLATE_TAGS = new Set(['nav', 'footer', 'aside', 'form', 'button', 'noscript', 'dialog']);
const LEVELS_MAX = 16;
const CONTENT = groupBit('content') | groupBit('main');

/**
 * Chooses blocks by rules alone, for pages that are too large for the model. Text scores for itself, link
 * lists and boilerplate score against it; the subtree with the best score wins.
 */
export function keepByRules(tree: Tree, measures: Measure[]): Uint8Array {
  const scores = tree.blocks.map((block, index) => scoreBlock(block, measures[index] as Measure));
  const best = bestSubtree(tree, scores);
  const keep = new Uint8Array(tree.blocks.length);
  for (let index = best.first; index < best.end; index++) {
    const [before, after] = [scores[index - 1] ?? 0, scores[index + 1] ?? 0];
    const isBetween = before > 0 && after > 0 && (scores[index] as number) > -3;
    const isHeading = HEADING_TAGS.has((tree.blocks[index] as Block).element.tag) && after >= 0;
    keep[index] = (scores[index] as number) > 0 || isBetween || isHeading ? 1 : 0;
  }
  return keep;
}

function scoreBlock(block: Block, measure: Measure): number {
  if (block.element.hidden !== '') return -1;
  const text = measure.words * (1 - 2 * measure.linkShare) + 2 * measure.commas;
  const isShort = measure.words < 6 && !measure.endsSentence && !block.preformatted;
  const score = isShort ? -1 : text;
  return isBoilerplate(block.element) ? Math.min(-1, -score / 2) : score;
}

function isBoilerplate(start: ElementNode): boolean {
  let element: ElementNode | undefined = start;
  for (let level = 0; level < LEVELS_MAX && element !== undefined && element.tag !== 'body'; level++) {
    if (BOILERPLATE_TAGS.has(element.tag)) return true;
    if ((element.groups & CONTENT) !== 0 && level > 2) return false;
    if ((element.groups & BOILERPLATE) !== 0 && level < 5) return true;
    element = element.parent;
  }
  return false;
}

/** The element whose blocks have the largest sum; the smallest of several. */
function bestSubtree(tree: Tree, scores: number[]): { first: number; end: number } {
  const sums = [0];
  for (const score of scores) sums.push((sums.at(-1) ?? 0) + score);
  let best: { first: number; end: number } = tree.root;
  let most = (sums[tree.root.end] ?? 0) - (sums[0] ?? 0);
  for (const element of tree.elements) {
    if (!element.isBlock) continue;
    const sum = (sums[element.end] ?? 0) - (sums[element.first] ?? 0);
    if (sum > most || (sum === most && element.end - element.first < best.end - best.first)) {
      most = sum;
      best = element;
    }
  }
  return best;
}
