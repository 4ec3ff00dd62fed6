import { isForum } from '../features/forum.ts';
import type { Measure } from '../features/measure.ts';
import { attributeOf, type ElementNode } from '../parse/nodes.ts';
import { isManualSection } from './manual-section.ts';
import type { Pass, PassPage } from './pass.ts';

const COMMENTS =
  /(^|[\s_-])(comments?|commentlist|disqus|respond)([\s_-]|$)|comment-?(body|content|list|text|area|section)/i;
const ARTICLE_WORDS_MIN = 150;

/** What readers wrote below an article is not the article; on a forum it is the page. */
export const comments = {
  name: 'comments',
  why: 'What readers wrote below an article is not the article; on a forum it is the page.',
  madeFor: 'articles with comments',
  run: dropComments,
} satisfies Pass;

function dropComments({ survey, url, keep }: Pick<PassPage, 'survey' | 'url' | 'keep'>): void {
  const { tree, measures } = survey;
  if (isForum(tree, url)) return;
  const known = new Uint8Array(tree.elements.length);
  const found: number[] = [];
  let words = 0;
  for (const [index, block] of tree.blocks.entries()) {
    if (keep[index] !== 1) continue;
    if (isComment(block.element, known)) found.push(index);
    else words += (measures[index] as Measure).words;
  }
  if (words >= ARTICLE_WORDS_MIN) for (const index of found) keep[index] = 0;
}

const [UNKNOWN, OTHER, COMMENT] = [0, 1, 2];

/** Whether an element or an ancestor has a class for comments. Cached, because blocks share ancestors. */
function isComment(element: ElementNode | undefined, known: Uint8Array): boolean {
  if (element === undefined || element.order < 0) return false;
  if (known[element.order] !== UNKNOWN) return known[element.order] === COMMENT;
  const answer = isNamedForComments(element) || isComment(element.parent, known);
  known[element.order] = answer ? COMMENT : OTHER;
  return answer;
}

function isNamedForComments(element: ElementNode): boolean {
  const names = `${attributeOf(element, 'class') ?? ''} ${attributeOf(element, 'id') ?? ''}`.slice(0, 300);
  if (!COMMENTS.test(names) || /no-?comments/i.test(names)) return false;
  return COMMENTS.test((attributeOf(element, 'class') ?? '').slice(0, 300)) || !isManualSection(element);
}
