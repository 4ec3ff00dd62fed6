import { GROUP_NAMES } from '../parse/class-groups.ts';
import { writeAnchors } from './anchor.ts';
import { type PageTraits, readTraits, writeTraits } from './page.ts';
import { writePlace } from './place.ts';
import { writeStructuredText } from './structured-text.ts';
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
const TAG_FEATURES = TAGS.map((tag) => `above.${tag}`);
const GROUP_FEATURES = GROUP_NAMES.map((group) => `named.${group}`);
const TAG_INDEX = new Map(TAGS.map((tag, index) => [tag, index]));
const FAR = 40;
/**
 * The number of features from the lexicon, which are the first of a row: the text, the heading above it, and
 * the names by bucket.
 */
export const LEXICAL_WIDTH = 2 + BUCKET_COUNT;
const LEXICAL_FEATURES = [
  'lexicon.text',
  'lexicon.heading',
  'lexicon.names[0]',
  'lexicon.names[1]',
  'lexicon.names[2]',
];

/** Computes the features of every block. `room` values are left free at the end of each row. */
export function describeBlocks(
  survey: Survey,
  url: string | undefined,
  lexicon: Lexicon,
  room = 0,
): FeatureTable {
  const blocks = survey.tree.blocks;
  const traits = readTraits(survey, url);
  const width = featureNames(survey, traits).length + room;
  const values = new Float32Array(blocks.length * width);
  const row: Row = { values, at: 0, names: undefined };
  const scoreNames = createNameScorer(lexicon.names);
  const textScores = new Float32Array(blocks.length);
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index] as Block;
    const opening = openingOf(block);
    row.at = index * width;
    textScores[index] = scoreText(lexicon, opening);
    put(row, 'lexicon.text', textScores[index] as number);
    put(row, 'lexicon.heading', textScores[survey.headings[index] as number] ?? 0);
    for (const score of scoreNames(block.element)) put(row, 'lexicon.names', score);
    writeRow(row, survey, traits, index, opening);
  }
  return { values, width, names: knownNames };
}

const openingOf = (block: Block): number[] => wordNumbers(block.text.slice(0, OPENING_CHARS_MAX));

function writeRow(row: Row, survey: Survey, traits: PageTraits, index: number, opening: number[]): void {
  const block = survey.tree.blocks[index] as Block;
  writeTextFeatures(row, survey, traits, index, opening);
  writeDistances(row, block.element);
  writePlace(row, survey, index);
  writeStructuredText(row, traits.structuredText, opening);
  writeAnchors(row, survey, traits.anchors, index);
  writeTraits(row, traits);
}

let knownNames: readonly string[] = [];

/** The names of all features in the order of a row. They follow from what the writers put, and are collected once, from the first block of a page. */
function featureNames(survey: Survey, traits: PageTraits): readonly string[] {
  if (knownNames.length > 0 || survey.tree.blocks.length === 0) return knownNames;
  const names = [...LEXICAL_FEATURES];
  writeRow({ values: new Float32Array(1_000), at: 0, names }, survey, traits, 0, []);
  knownNames = names;
  return names;
}

const groupLevels = new Int16Array(GROUP_NAMES.length);
const tagLevels = new Int16Array(TAGS.length);

/** Writes how many levels up the nearest ancestor of each class group and tag is. */
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
  for (let group = 0; group < groupLevels.length; group++)
    put(row, GROUP_FEATURES[group] as string, groupLevels[group] as number);
  for (let tag = 0; tag < tagLevels.length; tag++)
    put(row, TAG_FEATURES[tag] as string, tagLevels[tag] as number);
}
