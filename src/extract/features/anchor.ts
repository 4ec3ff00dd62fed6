import type { Block, ElementNode } from '../parse/nodes.ts';
import { put, type Row } from './row.ts';
import { containerOf, headingOf, type Survey } from './survey.ts';
import { wordNumbers } from './words.ts';

/** Where a page's own title stands in it, where prices are, which texts it repeats, and its large headings: worked out once per page. */
export interface Anchors {
  /** The block of the title, or -1. */
  title: number;
  titleElement: ElementNode | undefined;
  /** By block: how often its text stands on the page, and how often it stood before. */
  counts: Uint16Array;
  ranks: Uint16Array;
  /** By block: how many blocks away the nearest price is. */
  prices: Uint16Array;
  /** By block: how many large headings come before it. */
  sections: Uint16Array;
}

const FAR = 60;
const COUNT_MAX = 60_000;

export function findAnchors(survey: Survey, titleWords: Set<number>): Anchors {
  const { blocks } = survey.tree;
  const title = findTitle(survey, titleWords);
  return {
    title,
    titleElement: title < 0 ? undefined : containerOf(blocks[title] as Block),
    ...countTexts(blocks),
    prices: findPrices(blocks),
    sections: countSections(survey),
  };
}

/** The first heading of the first rank with the most words of the document's title. */
function findTitle(survey: Survey, titleWords: Set<number>): number {
  let best = -1;
  let most = -1;
  for (const [index, block] of survey.tree.blocks.entries()) {
    // Blocks below a heading know it; only the heading itself is one.
    if (survey.headings[index] !== index || block.element.hidden !== '') continue;
    const tag = headingOf(block.element)?.tag;
    if (tag !== 'h1' && tag !== 'h2') continue;
    const words = wordNumbers(block.text);
    const shared = words.filter((word) => titleWords.has(word)).length / Math.max(1, words.length);
    const score = tag === 'h1' ? 0.5 + shared : shared - 0.5;
    if (score > most && score > 0) {
      most = score;
      best = index;
    }
  }
  return best;
}

function countTexts(blocks: Block[]): Pick<Anchors, 'counts' | 'ranks'> {
  const seen = new Map<string, number>();
  const ranks = Uint16Array.from(blocks, ({ text }) => {
    const before = seen.get(text) ?? 0;
    seen.set(text, before + 1);
    return Math.min(COUNT_MAX, before);
  });
  return { ranks, counts: Uint16Array.from(blocks, ({ text }) => Math.min(COUNT_MAX, seen.get(text) ?? 1)) };
}

const PRICE_CHARS_MAX = 40;
const PRICE = /[$€£¥₹]\s?\d|\d\s?(€|USD|EUR|kr)\b/;

function findPrices(blocks: Block[]): Uint16Array {
  const distances = Uint16Array.from(blocks, ({ text }) =>
    text.length < PRICE_CHARS_MAX && PRICE.test(text) ? 0 : FAR,
  );
  for (let index = 1; index < distances.length; index++)
    distances[index] = Math.min(distances[index] as number, (distances[index - 1] as number) + 1);
  for (let index = distances.length - 2; index >= 0; index--)
    distances[index] = Math.min(distances[index] as number, (distances[index + 1] as number) + 1);
  return distances;
}

function countSections(survey: Survey): Uint16Array {
  let count = 0;
  return Uint16Array.from(survey.tree.blocks, ({ element }, index) => {
    const tag = survey.headings[index] === index ? headingOf(element)?.tag : undefined;
    if (tag === 'h1' || tag === 'h2') count += 1;
    return Math.min(COUNT_MAX, count);
  });
}

const ADDRESS_CHARS_MAX = 300;

/** Where the block stands from the title and from prices, and whether its text is repeated or an address. */
export function writeAnchors(row: Row, survey: Survey, anchors: Anchors, index: number): void {
  const { text } = survey.tree.blocks[index] as Block;
  put(row, Math.min(FAR, anchors.counts[index] as number));
  put(row, Math.min(FAR, anchors.ranks[index] as number));
  put(row, text.length < ADDRESS_CHARS_MAX && text.includes('/') && !text.includes(' ') ? 1 : 0);
  put(row, anchors.prices[index] as number);
  put(row, anchors.sections[index] as number);
  writeTitlePlace(row, survey, anchors, index);
}

const LEVELS_MAX = 14;
const NO_TITLE = -9_999;

function writeTitlePlace(row: Row, survey: Survey, anchors: Anchors, index: number): void {
  const { title, titleElement } = anchors;
  if (titleElement === undefined) {
    for (let field = 0; field < 5; field++) put(row, NO_TITLE);
    return;
  }
  const total = Math.max(1, survey.words[survey.tree.blocks.length] as number);
  let element = containerOf(survey.tree.blocks[index] as Block);
  let levels = 0;
  while (
    levels < LEVELS_MAX &&
    element.parent !== undefined &&
    (title < element.first || title >= element.end)
  ) {
    element = element.parent;
    levels += 1;
  }
  put(row, index - title);
  put(row, ((survey.words[index] as number) - (survey.words[title] as number)) / total);
  put(row, levels);
  put(row, titleElement.depth - element.depth);
  put(row, (anchors.sections[index] as number) - (anchors.sections[title] as number));
}
