import type { PageTraits } from './page.ts';
import { OPENING_CHARS_MAX } from './lexicon.ts';
import { put, type Row } from './row.ts';
import type { Measure } from './measure.ts';
import { attributeOf, type Block, type ElementNode } from '../parse/nodes.ts';
import { containerOf, type Survey } from './survey.ts';
import { wordNumbers } from './words.ts';

/** Tags ordered from text to boilerplate, so that a threshold can separate them. */
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

/** Writes the features of the block itself: size, links, punctuation, tags, and similarity to the title. */
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
  put(row, 'text.words', measure.words);
  put(row, 'text.word_length', measure.chars / words);
  put(row, 'text.link_share', measure.linkShare);
  put(row, 'text.commas', measure.commas);
  put(row, 'text.commas_per_word', measure.commas / words);
  put(row, 'text.sentences', measure.sentences);
  put(row, 'text.sentence_length', measure.words / (measure.sentences + 1));
  put(row, 'text.punctuation', measure.punctuation / chars);
  put(row, 'text.digits', measure.digits / chars);
  put(row, 'text.capitals', measure.capitals / chars);
  put(row, 'text.capitalised', measure.capitalised / words);
  put(row, 'text.ends_sentence', Number(measure.endsSentence));
  put(row, 'text.lines', measure.lines);
  put(row, 'text.images', block.images);
  put(row, 'text.preformatted', Number(block.preformatted));
  writeSigns(row, block.text, words);
  writeTags(row, block);
  if (words > 40 || traits.titleWords.size === 0) writeUntitled(row);
  else if (block.text.length <= OPENING_CHARS_MAX) writeTitle(row, opening, traits);
  else writeTitle(row, wordNumbers(block.text), traits);
}

function writeSigns(row: Row, text: string, words: number): void {
  const isShort = words < 40;
  put(row, 'sign.date', isShort && DATE.test(text) ? 1 : 0);
  put(row, 'sign.money', isShort && MONEY.test(text) ? 1 : 0);
  put(row, 'sign.separator', isShort && SEPARATORS.test(text) ? 1 : 0);
  put(row, 'sign.copyright', text.includes('©') ? 1 : 0);
  put(row, 'sign.at', isShort && text.includes('@') ? 1 : 0);
  put(
    row,
    'sign.ending',
    text.endsWith('?') ? 2 : text.endsWith(':') ? 3 : text.endsWith('.') ? 4 : text.endsWith('…') ? 1 : 0,
  );
  const first = text.charCodeAt(0);
  put(
    row,
    'sign.beginning',
    first >= 97 && first <= 122 ? 1 : first >= 48 && first <= 57 ? 2 : first < 65 ? 3 : 0,
  );
}

function writeTags(row: Row, block: Block): void {
  const container = containerOf(block);
  put(row, 'tag.element', tagCode(block.element));
  put(row, 'tag.container', tagCode(container));
  put(row, 'tag.parent', tagCode(container.parent));
  put(row, 'tag.grandparent', tagCode(container.parent?.parent));
  put(row, 'tag.depth', block.element.depth);
  put(row, 'tag.hidden', block.element.folded ? FOLDED_CODE : (HIDDEN_CODE[block.element.hidden] ?? 4));
  put(row, 'tag.has_class', attributeOf(container, 'class') === undefined ? 0 : 1);
  put(row, 'tag.blocks', container.end - container.first);
  put(row, 'tag.children', container.children.length);
}

/** The title repeated, and lines that share its words. */
function writeTitle(row: Row, words: number[], { titleWords }: PageTraits): void {
  let shared = 0;
  for (const word of words) if (titleWords.has(word)) shared += 1;
  put(row, 'title.share_of_block', words.length === 0 ? 0 : shared / words.length);
  put(row, 'title.share_of_title', shared / titleWords.size);
}

function writeUntitled(row: Row): void {
  put(row, 'title.share_of_block', 0);
  put(row, 'title.share_of_title', 0);
}
