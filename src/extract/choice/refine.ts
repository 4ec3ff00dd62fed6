import { FORUM_ADDRESS, FORUM_TYPE } from '../features/forum.ts';
import type { Measure } from '../features/measure.ts';
import { isManualSection } from './manual-section.ts';
import { attributeOf, type Block, type ElementNode } from '../parse/nodes.ts';
import type { Survey } from '../features/survey.ts';

const REPEAT_WORDS_MIN = 6;
const REPEATS_ALLOWED = new Set(['td', 'th', 'pre', 'code']);

/** Cells and code say the same thing twice and mean it. */
export const mayRepeat = (block: Block): boolean =>
  block.preformatted || REPEATS_ALLOWED.has(block.element.tag);

/** A single word or number right after itself may be a score. */
const DOUBLE_WORDS_MIN = 2;
/** A shorter one that stands alone may be true of two things: `Toxic to cats and dogs` is of many plants. */
const ALONE_WORDS_MIN = 10;
const ITEMS = new Set(['li', 'dt', 'dd']);
/** Two things may have two facts in common; a list that is there twice has more. */
const ITEMS_AROUND_MIN = 2;

/**
 * Pages show one text several times: for wide and narrow screens, as a teaser, in a quote. Once is enough, where it is a part of something that is repeated, or
 * long; so it is of short ones side by side.
 */
export function dropRepeats({ tree, measures }: Survey, keep: Uint8Array): void {
  const { blocks } = tree;
  const kept = Array.from(blocks.keys()).filter((index) => keep[index] === 1);
  const textAt = (place: number): string | undefined => blocks[kept[place] ?? -1]?.text;
  const places = new Map<string, number>();
  let last = '';
  for (const [place, index] of kept.entries()) {
    const block = blocks[index] as Block;
    if (mayRepeat(block)) {
      last = '';
      continue;
    }
    const { words } = measures[index] as Measure;
    const first = places.get(block.text);
    if (words >= DOUBLE_WORDS_MIN && block.text === last) keep[index] = 0;
    else if (first === undefined) places.set(block.text, place);
    else if (words >= REPEAT_WORDS_MIN) {
      const isItem = ITEMS.has(block.element.tag);
      const isSame = (side: number): boolean =>
        textAt(place + side) !== undefined && textAt(place + side) === textAt(first + side);
      const around = countRun(isSame, -1) + countRun(isSame, 1);
      if (isItem ? around >= ITEMS_AROUND_MIN : around > 0 || words >= ALONE_WORDS_MIN) keep[index] = 0;
    }
    last = block.text;
  }
}

/** How many texts on one side of a repeated one are repeated with it, of the nearest two. */
const countRun = (isSame: (side: number) => boolean, side: number): number =>
  isSame(side) ? (isSame(2 * side) ? 2 : 1) : 0;

/** Leaves out what no reader sees and returns how many characters that were. */
export function dropHidden({ tree }: Pick<Survey, 'tree'>, keep: Uint8Array): number {
  let removed = tree.hiddenChars;
  for (const [index, block] of tree.blocks.entries()) {
    if (block.element.hidden === '') continue;
    removed += block.text.length;
    keep[index] = 0;
  }
  return removed;
}

const COMMENTS =
  /(^|[\s_-])(comments?|commentlist|disqus|respond)([\s_-]|$)|comment-?(body|content|list|text|area|section)/i;
const ARTICLE_WORDS_MIN = 150;

/** Whether a page calls itself a discussion. */
export const isForum = ({ tree }: Survey, url: string | undefined): boolean =>
  FORUM_ADDRESS.test(url ?? '') || tree.head.linkedData.some((text) => FORUM_TYPE.test(text));

/** What readers wrote below an article is not the article; on a forum it is the page. */
export function dropComments(survey: Survey, url: string | undefined, keep: Uint8Array): void {
  if (isForum(survey, url)) return;
  const { tree, measures } = survey;
  const known = new Uint8Array(tree.elements.length);
  const comments: number[] = [];
  let words = 0;
  for (const [index, block] of tree.blocks.entries()) {
    if (keep[index] !== 1) continue;
    if (isComment(block.element, known)) comments.push(index);
    else words += (measures[index] as Measure).words;
  }
  if (words >= ARTICLE_WORDS_MIN) for (const index of comments) keep[index] = 0;
}

const [UNKNOWN, OTHER, COMMENT] = [0, 1, 2];

/** Whether an element or one above it is named for comments; remembered, because blocks share what is above them. */
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
