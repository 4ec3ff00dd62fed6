import { GROUP_COUNT } from './class-groups.ts';
import { writeAnchors } from './anchor.ts';
import { type PageTraits, readTraits, writeTraits } from './page.ts';
import { writePlace } from './place.ts';
import { writeTold } from './told.ts';
import { writeTextFeatures } from './text.ts';
import { BUCKET_COUNT, createNameScorer, type Lexicon, OPENING_CHARS_MAX, scoreText } from './lexicon.ts';
import type { Block, ElementNode } from '../parse/nodes.ts';
import { type FeatureTable, put, type Row } from './row.ts';
import type { Survey } from './survey.ts';
import { wordNumbers } from './words.ts';

/** Ancestor tags whose distance matters. */
const TAGS = (
  'article main section nav header footer aside form table ul ol li blockquote figure dl noscript a button details dialog pre code ' +
  'label p h1 h2 h3 td figcaption time'
).split(' ');
const TAG_INDEX = new Map(TAGS.map((tag, index) => [tag, index]));
const FAR = 40;
/** The first features of a row come from the lexicon: the text, the heading above it, then the names by bucket. */
export const LEXICAL_WIDTH = 2 + BUCKET_COUNT;

/** Describes every block of a page for the model. `room` values are left free at the end of each row. */
export function describeBlocks(
  survey: Survey,
  url: string | undefined,
  lexicon: Lexicon,
  room = 0,
): FeatureTable {
  const blocks = survey.tree.blocks;
  const traits = readTraits(survey, url);
  const width = rowWidth(survey, traits) + room;
  const values = new Float32Array(blocks.length * width);
  const row: Row = { values, at: 0 };
  const scoreNames = createNameScorer(lexicon.names);
  const textScores = new Float32Array(blocks.length);
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index] as Block;
    const opening = openingOf(block);
    row.at = index * width;
    textScores[index] = scoreText(lexicon, opening);
    put(row, textScores[index] as number);
    put(row, textScores[survey.headings[index] as number] ?? 0);
    for (const score of scoreNames(block.element)) put(row, score);
    writeRow(row, survey, traits, index, opening);
  }
  return { values, width };
}

const openingOf = (block: Block): number[] => wordNumbers(block.text.slice(0, OPENING_CHARS_MAX));

function writeRow(row: Row, survey: Survey, traits: PageTraits, index: number, opening: number[]): void {
  const block = survey.tree.blocks[index] as Block;
  writeTextFeatures(row, survey, traits, index, opening);
  writeDistances(row, block.element);
  writePlace(row, survey, index);
  writeTold(row, traits.told, opening);
  writeAnchors(row, survey, traits.anchors, index);
  writeTraits(row, traits);
}

let measuredWidth = 0;

/** The width follows from what the writers put; it is measured once, on an empty page when need be. */
function rowWidth(survey: Survey, traits: PageTraits): number {
  if (measuredWidth > 0 || survey.tree.blocks.length === 0) return measuredWidth;
  const row: Row = { values: new Float32Array(1_000), at: 0 };
  writeRow(row, survey, traits, 0, []);
  measuredWidth = row.at + LEXICAL_WIDTH;
  return measuredWidth;
}

const groupLevels = new Int16Array(GROUP_COUNT);
const tagLevels = new Int16Array(TAGS.length);

/** How many levels up the nearest ancestor of each word group and tag stands. */
function writeDistances(row: Row, start: ElementNode): void {
  groupLevels.fill(FAR);
  tagLevels.fill(FAR);
  let seen = 0;
  let level = 0;
  for (let element: ElementNode | undefined = start; element !== undefined; element = element.parent) {
    let fresh = element.groups & ~seen;
    seen |= fresh;
    while (fresh !== 0) {
      const bit = 31 - Math.clz32(fresh & -fresh);
      groupLevels[bit] = Math.min(level, FAR - 1);
      fresh &= fresh - 1;
    }
    const tag = TAG_INDEX.get(element.tag);
    if (tag !== undefined && tagLevels[tag] === FAR) tagLevels[tag] = Math.min(level, FAR - 1);
    level += 1;
  }
  for (const value of groupLevels) put(row, value);
  for (const value of tagLevels) put(row, value);
}
