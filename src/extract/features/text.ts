import type { PageTraits } from './page.ts';
import { OPENING_CHARS_MAX } from './lexicon.ts';
import { put, type Row } from './row.ts';
import type { Measure } from './measure.ts';
import { attributeOf, type Block, type ElementNode } from '../parse/nodes.ts';
import { containerOf, type Survey } from './survey.ts';
import { wordNumbers } from './words.ts';

/** Tags in an order that puts text before furniture, so that a threshold can part them. */
const TAG_ORDER = (
  'p pre blockquote h2 h3 h4 h1 h5 h6 li dd dt td th figcaption caption summary div section article main span strong em a time address label ' +
  'header footer nav aside form button noscript fieldset legend'
).split(' ');
const TAG_CODE = new Map(TAG_ORDER.map((tag, index) => [tag, index]));
const OTHER_TAG = TAG_ORDER.length;

const tagCode = (element: ElementNode | undefined): number =>
  element === undefined ? OTHER_TAG + 1 : (TAG_CODE.get(element.tag) ?? OTHER_TAG);

const DATE = /\b(19|20)\d{2}\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b(ago|yesterday|today)\b/i;
const MONEY = /[$€£¥₹]\s?\d|\d\s?(€|USD|EUR|kr)\b/;
const SEPARATORS = /[|·•»›→]/;
const HIDDEN_CODE: Record<string, number> = {
  '': 0,
  'hidden attribute': 1,
  'visibility:hidden': 2,
  'display:none': 3,
};

const FOLDED_CODE = 5;

/** What the block itself says: size, links, punctuation, tags around it, and how it resembles the title. */
export function writeTextFeatures(
  row: Row,
  survey: Survey,
  traits: PageTraits,
  index: number,
  opening: number[],
): void {
  const block = survey.tree.blocks[index] as Block;
  const measure = survey.measures[index] as Measure;
  const words = Math.max(1, measure.words);
  const chars = Math.max(1, measure.chars);
  put(row, measure.words);
  put(row, measure.chars / words);
  put(row, measure.linkShare);
  put(row, measure.commas);
  put(row, measure.commas / words);
  put(row, measure.sentences);
  put(row, measure.words / (measure.sentences + 1));
  put(row, measure.punctuation / chars);
  put(row, measure.digits / chars);
  put(row, measure.capitals / chars);
  put(row, measure.capitalised / words);
  put(row, Number(measure.endsSentence));
  put(row, measure.lines);
  put(row, block.images);
  put(row, Number(block.preformatted));
  writeSigns(row, block.text, words);
  writeTags(row, block);
  if (words > 40 || traits.titleWords.size === 0) writeUntitled(row);
  else if (block.text.length <= OPENING_CHARS_MAX) writeTitle(row, opening, traits);
  else writeTitle(row, wordNumbers(block.text), traits);
}

function writeSigns(row: Row, text: string, words: number): void {
  const isShort = words < 40;
  put(row, isShort && DATE.test(text) ? 1 : 0);
  put(row, isShort && MONEY.test(text) ? 1 : 0);
  put(row, isShort && SEPARATORS.test(text) ? 1 : 0);
  put(row, text.includes('©') ? 1 : 0);
  put(row, isShort && text.includes('@') ? 1 : 0);
  put(
    row,
    text.endsWith('?') ? 2 : text.endsWith(':') ? 3 : text.endsWith('.') ? 4 : text.endsWith('…') ? 1 : 0,
  );
  const first = text.charCodeAt(0);
  put(row, first >= 97 && first <= 122 ? 1 : first >= 48 && first <= 57 ? 2 : first < 65 ? 3 : 0);
}

function writeTags(row: Row, block: Block): void {
  const container = containerOf(block);
  put(row, tagCode(block.element));
  put(row, tagCode(container));
  put(row, tagCode(container.parent));
  put(row, tagCode(container.parent?.parent));
  put(row, block.element.depth);
  put(row, block.element.folded ? FOLDED_CODE : (HIDDEN_CODE[block.element.hidden] ?? 4));
  put(row, attributeOf(container, 'class') === undefined ? 0 : 1);
  put(row, container.end - container.first);
  put(row, container.children.length);
}

/** The title repeated, and lines that share its words. */
function writeTitle(row: Row, words: number[], { titleWords }: PageTraits): void {
  let shared = 0;
  for (const word of words) if (titleWords.has(word)) shared += 1;
  put(row, words.length === 0 ? 0 : shared / words.length);
  put(row, shared / titleWords.size);
}

function writeUntitled(row: Row): void {
  put(row, 0);
  put(row, 0);
}
