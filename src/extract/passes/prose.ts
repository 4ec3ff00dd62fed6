import { findBody } from '../choice/context.ts';
import { isForum } from '../features/forum.ts';
import type { Block, ElementNode } from '../parse/nodes.ts';
import { headingOf, isParagraph, type Survey } from '../features/survey.ts';
import type { Pass, PassPage } from './pass.ts';

const WORDS_MIN = 120;
const PROSE_MIN = 0.7;
/** Outside the body a block must be this sure to be a part of it. */
const SURE = 0.45;

/** Drops the title, captions, and what is outside the body of the article without surely being a part of it: teasers, boxes, bylines. */
export const prose = {
  name: 'prose',
  why: 'An article is one piece: its title is a field of its own, and captions, teasers and boxes are not its text.',
  madeFor: 'articles and other pages of running text',
  run: tidyProse,
} satisfies Pass;

function tidyProse({ survey, chances, url, keep }: PassPage): void {
  if (isForum(survey.tree, url) || !isProse(survey, keep)) return;
  const body = findBody(survey, chances);
  const title = survey.tree.blocks.findIndex(({ element }) => headingOf(element)?.tag === 'h1');
  for (const [index, block] of survey.tree.blocks.entries()) {
    const isApart = index < body.first || index >= body.end;
    if (index === title || isCaption(survey, block) || (isApart && (chances[index] as number) < SURE))
      keep[index] = 0;
  }
}

function isProse({ measures }: Survey, keep: Uint8Array): boolean {
  let [words, prose] = [0, 0];
  for (const [index, measure] of measures.entries()) {
    if (keep[index] !== 1) continue;
    words += measure.words;
    if (isParagraph(measure)) prose += measure.words;
  }
  return words > WORDS_MIN && prose > PROSE_MIN * words;
}

const CAPTION_WORDS_MAX = 80;

/** Old and new sites mark captions by a class; one on an element with much text means something else. */
function isCaption({ words }: Survey, { element }: Block): boolean {
  let above: ElementNode | undefined = element;
  for (let level = 0; level < 3 && above !== undefined; level++) {
    if (above.tag === 'figcaption') return true;
    const isNamed = above.classNames?.words.some((word) => word.endsWith('caption')) ?? false;
    if (isNamed && (words[above.end] as number) - (words[above.first] as number) <= CAPTION_WORDS_MAX)
      return true;
    above = above.parent;
  }
  return false;
}
