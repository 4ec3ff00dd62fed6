import { estimateChances } from '../choice/estimate.ts';
import { surveyPage } from '../features/survey.ts';
import type { Tree } from '../parse/nodes.ts';
import { affordances } from './affordances.ts';
import { admonitions, codeBetween, definitionTerms } from './between.ts';
import { classifier } from './classifier.ts';
import { codeLabels } from './code-labels.ts';
import { comments } from './comments.ts';
import { embeddedData } from './embedded-data.ts';
import type { Explainer } from './explain.ts';
import { hiddenText } from './hidden-text.ts';
import { countedLines, lineNumbers } from './line-numbers.ts';
import type { Pass, PassPage } from './pass.ts';
import { price } from './price.ts';
import { prose } from './prose.ts';
import { repeats } from './repeats.ts';
import { sectionHeads } from './section-heads.ts';
import { tableHeads, tableRows } from './table-rows.ts';
import { unseenText } from './unseen-text.ts';

/**
 * Everything that is done to a page between parsing and writing, in order. A new rule is an entry here. Rules that need
 * the source as it is read (ruby, formulas, missing spaces) are part of the parser, and rules about Markdown of the writer.
 */
const PASSES: readonly Pass[] = [
  // The choice, and what must never be chosen.
  classifier,
  hiddenText,
  comments,
  prose,
  // What belongs to the blocks that are kept now.
  codeBetween,
  admonitions,
  definitionTerms,
  price,
  sectionHeads,
  repeats,
  // After the repeats: a row stays whole, even if one of its cells repeats something.
  tableRows,
  tableHeads,
  unseenText,
  // From here on the page may be another tree.
  embeddedData,
  // Tidying inside blocks. Code labels are compared with code that has lost its line numbers.
  affordances,
  lineNumbers,
  countedLines,
  codeLabels,
];

interface MainOptions {
  /** Training gives its own, so that it judges what the product would extract. */
  estimate?: typeof estimateChances;
  explainer?: Explainer | undefined;
}

/** Finds the content of a page. */
export function readMain(tree: Tree, url: string | undefined, options: MainOptions = {}): PassPage {
  const { estimate = estimateChances, explainer } = options;
  const survey = surveyPage(tree);
  const page: PassPage = {
    tree,
    url,
    survey,
    chances: estimate(survey, url, explainer?.seeFeatures),
    keep: new Uint8Array(tree.blocks.length),
    words: 0,
    hiddenChars: 0,
    removed: [],
    warnings: [],
  };
  for (const pass of PASSES) {
    if (explainer === undefined) pass.run(page);
    else explainer.run(pass, page);
  }
  return page;
}
