import type { Block, ElementNode } from '../parse/nodes.ts';
import { put, type Row } from './row.ts';
import { containerOf, headingOf, type Survey } from './survey.ts';
import { wordNumbers } from './words.ts';

/** Landmarks of a page that features refer to: its title, prices, repeated texts and large headings. */
export interface Anchors {
  /** The block of the title, or -1. */
  title: number;
  titleElement: ElementNode | undefined;
  /** By block: how often its text occurs on the page, and how often before it. */
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

/** The heading that shares most words with the title of the document; `h1` is preferred. */
function findTitle(survey: Survey, titleWords: Set<number>): number {
  let best = -1;
  let most = -1;
  for (const [index, block] of survey.tree.blocks.entries()) {
    // `headings` names the heading above each block; only the heading itself counts here.
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

/** Writes the distances to the title and to prices, and whether the text is repeated or a URL. */
export function writeAnchors(row: Row, survey: Survey, anchors: Anchors, index: number): void {
  const { text } = survey.tree.blocks[index] as Block;
  put(row, 'repeat.count', Math.min(FAR, anchors.counts[index] as number));
  put(row, 'repeat.rank', Math.min(FAR, anchors.ranks[index] as number));
  put(
    row,
    'sign.address',
    text.length < ADDRESS_CHARS_MAX && text.includes('/') && !text.includes(' ') ? 1 : 0,
  );
  put(row, 'price.distance', anchors.prices[index] as number);
  put(row, 'section.number', anchors.sections[index] as number);
  writeTitlePlace(row, survey, anchors, index);
}

const LEVELS_MAX = 14;
const NO_TITLE = -9_999;

function writeTitlePlace(row: Row, survey: Survey, anchors: Anchors, index: number): void {
  const { title, titleElement } = anchors;
  const hasTitle = titleElement !== undefined;
  const total = Math.max(1, survey.words[survey.tree.blocks.length] as number);
  let element = containerOf(survey.tree.blocks[index] as Block);
  let levels = hasTitle ? 0 : LEVELS_MAX;
  while (
    levels < LEVELS_MAX &&
    element.parent !== undefined &&
    (title < element.first || title >= element.end)
  ) {
    element = element.parent;
    levels += 1;
  }
  const words = (survey.words[index] as number) - (survey.words[title] as number);
  const sections = (anchors.sections[index] as number) - (anchors.sections[title] as number);
  put(row, 'from_title.blocks', hasTitle ? index - title : NO_TITLE);
  put(row, 'from_title.words', hasTitle ? words / total : NO_TITLE);
  put(row, 'from_title.levels_up', hasTitle ? levels : NO_TITLE);
  put(row, 'from_title.levels_down', hasTitle ? titleElement.depth - element.depth : NO_TITLE);
  put(row, 'from_title.sections', hasTitle ? sections : NO_TITLE);
}
