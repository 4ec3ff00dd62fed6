import { findBody } from './context.ts';
import type { Block, ElementNode } from '../parse/nodes.ts';
import { isForum } from './refine.ts';
import { headingOf, isParagraph, type Survey } from '../features/survey.ts';

const WORDS_MIN = 120;
const PROSE_MIN = 0.7;
/** Outside the body a block must be this sure to be a part of it. */
const SURE = 0.45;

/**
 * A page of prose is one piece. Its title, which is returned on its own, the captions of its pictures, and what stands apart from its body
 * without being surely a part of it (teasers, boxes, bylines) are left out.
 */
export function tidyProse(
  survey: Survey,
  chances: Float32Array,
  url: string | undefined,
  keep: Uint8Array,
): void {
  if (isForum(survey, url) || !isProse(survey, keep)) return;
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
