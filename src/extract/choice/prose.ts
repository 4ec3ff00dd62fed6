import { findBody } from './context.ts';
import type { Block, ElementNode } from '../parse/nodes.ts';
import { isForum } from './refine.ts';
import { headingOf, isParagraph, type Survey } from '../features/survey.ts';

const ARTICLE_TYPE = /"@type"\s*:\s*\[?\s*"(\w*Article|BlogPosting|Report)"/;
const WORDS_MIN = 120;
const PROSE_MIN = 0.7;
/** Outside the body a block must be this sure to be part of it: of an article more than of a page that only reads like one. */
const SURE = { article: 0.85, prose: 0.4 };

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
  const sure = saysArticle(survey) ? SURE.article : SURE.prose;
  const body = findBody(survey, chances);
  const title = survey.tree.blocks.findIndex(({ element }) => headingOf(element)?.tag === 'h1');
  for (const [index, block] of survey.tree.blocks.entries()) {
    const isApart = index < body.first || index >= body.end;
    if (index === title || isCaption(block) || (isApart && (chances[index] as number) < sure))
      keep[index] = 0;
  }
}

/** Many sites call every page an article in `og:type`; only articles say when they were published. */
function saysArticle({ tree: { head } }: Survey): boolean {
  return (
    head.metas.some(({ name }) => name.startsWith('article:published')) ||
    head.linkedData.some((text) => ARTICLE_TYPE.test(text))
  );
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

function isCaption({ element }: Block): boolean {
  let above: ElementNode | undefined = element;
  for (let level = 0; level < 3 && above !== undefined; level++) {
    if (above.tag === 'figcaption') return true;
    above = above.parent;
  }
  return false;
}
