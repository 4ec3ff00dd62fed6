import { keepPrice } from './choice/price.ts';
import type { OwnText } from '../core/text.ts';
import { warned } from '../core/own-text.ts';
import { tidyProse } from './choice/prose.ts';
import { keepBetween } from './choice/between.ts';
import { chooseBlocks } from './choice/choose.ts';
import { estimateChances } from './choice/estimate.ts';
import { dropComments, dropHidden, dropRepeats } from './choice/refine.ts';
import { type Survey, surveyPage } from './features/survey.ts';
import type { Tree } from './parse/nodes.ts';
import { buildTree } from './parse/tree.ts';
import { rescueHtml } from './rescue.ts';
import { keepSectionHeads } from './section-heads.ts';
import { keepTableHeads, keepWholeRows } from './table-rows.ts';

/** What of a page is its content. */
export interface Main {
  tree: Tree;
  keep: Uint8Array;
  /** Words kept, and words on the page. */
  words: number;
  wordsAll: number;
  hidden: number;
  warnings: OwnText[];
}

const RESCUE_BELOW_WORDS = 40;
const RESCUE_WORDS_MIN = 30;

/**
 * The visible content, or, where there is next to none, what the page's data holds. Training gives its own `estimate`, so that it is judged by
 * what the product would make of it.
 */
export function readMain(tree: Tree, url: string | undefined, estimate = estimateChances): Main {
  const survey = surveyPage(tree);
  const chances = estimate(survey, url);
  const keep = chooseBlocks(visibleWords(survey), chances);
  const hidden = dropHidden(survey, keep);
  dropComments(survey, url, keep);
  tidyProse(survey, chances, url, keep);
  keepBetween(survey, keep);
  keepPrice(tree, keep);
  keepSectionHeads(survey, chances, keep);
  dropRepeats(survey, keep);
  keepWholeRows(tree, keep);
  keepTableHeads(tree, keep);
  const words = survey.measures.reduce(
    (sum, measure, index) => sum + (keep[index] === 1 ? measure.words : 0),
    0,
  );
  const wordsAll = survey.words[tree.blocks.length] as number;
  const main = { tree, keep, words, wordsAll, hidden, warnings: [] };
  return words >= RESCUE_BELOW_WORDS ? main : rescue(main);
}

/** What is hidden is left out whatever is chosen, so it must not weigh in the choice. */
const visibleWords = ({ tree, measures }: Survey): Float64Array =>
  Float64Array.from(measures, ({ words }, index) => (tree.blocks[index]?.element.hidden === '' ? words : 0));

function rescue(main: Main): Main {
  const rescued = rescueHtml(main.tree.head, Math.max(RESCUE_WORDS_MIN, 1.3 * main.words));
  if (rescued === undefined) return main;
  const tree = buildTree(rescued);
  const keep = new Uint8Array(tree.blocks.length).fill(1);
  const hidden = main.hidden + dropHidden({ tree }, keep);
  const warnings = [warned`rescued: the text comes from data embedded in the page, because it shows none`];
  return { ...main, tree, keep, words: RESCUE_WORDS_MIN, hidden, warnings };
}
