import { groupBit } from './class-groups.ts';
import { FORUM_ADDRESS, FORUM_TYPE } from './forum.ts';
import { type Anchors, findAnchors } from './anchor.ts';
import { readTold, type Told } from './told.ts';
import type { Row } from './row.ts';
import type { Measure } from './measure.ts';
import type { Block, ElementNode, Tree } from '../parse/nodes.ts';
import type { Survey } from './survey.ts';
import { wordNumbers } from './words.ts';

/** Facts about the whole page, the same for each of its blocks. */
export interface PageTraits {
  /** As numbers, like all words that are compared. */
  titleWords: Set<number>;
  told: Told;
  anchors: Anchors;
  values: Float32Array;
}

/** Reads the facts that tell page types apart: what the page calls itself, its address, and what its text is made of. */
export function readTraits(survey: Survey, url: string | undefined): PageTraits {
  const title = survey.tree.head.title.split(/\s[|–—»·-]\s/)[0] ?? '';
  const titleWords = new Set(wordNumbers(title));
  return {
    titleWords,
    anchors: findAnchors(survey, titleWords),
    told: readTold(survey.tree.head),
    values: Float32Array.of(
      ...statedType(survey),
      ...addressTraits(url ?? ''),
      ...shares(survey),
      ...counts(survey),
    ),
  };
}

export function writeTraits(row: Row, traits: PageTraits): void {
  row.values.set(traits.values, row.at);
  row.at += traits.values.length;
}

const LD_TYPES: RegExp[] = [
  /"@type"\s*:\s*\[?\s*"(\w*Article|BlogPosting|Report)"/,
  /"@type"\s*:\s*\[?\s*"Product/,
  FORUM_TYPE,
  /"@type"\s*:\s*\[?\s*"(CollectionPage|ItemList|SearchResultsPage)"/,
  /"@type"\s*:\s*\[?\s*"(LocalBusiness|Organization|Service|ProfessionalService)"/,
  /"@type"\s*:\s*\[?\s*"(FAQPage|HowTo|Recipe)"/,
];

function statedType(survey: Survey): number[] {
  const { head } = survey.tree;
  const type = head.metas.find((meta) => meta.name === 'og:type')?.content.toLowerCase() ?? '';
  const kind =
    type === ''
      ? 0
      : type.includes('article')
        ? 1
        : type.includes('website')
          ? 2
          : type.includes('product')
            ? 3
            : 4;
  const generator = head.metas.find((meta) => meta.name === 'generator')?.content.toLowerCase() ?? '';
  const linked = head.linkedData.map((text) => text.slice(0, 200_000)).join('\n');
  return [
    kind,
    head.metas.some((meta) => meta.name.startsWith('article:')) ? 1 : 0,
    /wordpress/.test(generator)
      ? 1
      : /discourse|vbulletin|xenforo|phpbb/.test(generator)
        ? 2
        : /sphinx|docusaurus|mkdocs|hugo|vitepress/.test(generator)
          ? 3
          : generator === ''
            ? 0
            : 4,
    ...LD_TYPES.map((pattern) => Number(pattern.test(linked))),
  ];
}

const ADDRESS: RegExp[] = [
  /\/(19|20)\d{2}\/|\d{4}-\d{2}-\d{2}/,
  /docs?[./]|documentation|\/api|reference|manual|guide|wiki|help|support/,
  /product|\/p\/|\/dp\/|shop|store|item|buy/,
  /categor|collection|\/c\/|\/tag|archive|browse|search|list/,
  /blog|news|article|story|post/,
  /service|solution|about|company|pricing|features/,
];

function addressTraits(url: string): number[] {
  const parsed = URL.parse(url);
  const path = (parsed === null ? '' : parsed.pathname).toLowerCase();
  const place = `${parsed?.hostname ?? ''}${path}`.toLowerCase();
  const last = path.split('/').findLast((part) => part !== '') ?? '';
  return [
    path.split('/').filter((part) => part !== '').length,
    last.split(/[-_]/).length,
    /\d{4,}/.test(last) ? 1 : 0,
    Number(FORUM_ADDRESS.test(url)),
    ...ADDRESS.map((pattern) => Number(pattern.test(place))),
  ];
}

const SHARED_GROUPS = ['comment', 'thread', 'product', 'card', 'docs', 'related', 'content', 'hidden'].map(
  groupBit,
);

const SHARED_TAGS = ['noscript', 'pre', 'table', 'article', 'main', 'li', 'form'];
const TAG_BITS = SHARED_TAGS.map((_, index) => 1 << index);
const TAG_BIT = new Map(SHARED_TAGS.map((tag, index) => [tag, 1 << index]));

/** Shares of the page's words that stand below elements of some word groups, in code, in tables, in noscript, hidden. */
function shares(survey: Survey): number[] {
  const groups = new Float64Array(SHARED_GROUPS.length);
  const tags = new Float64Array(SHARED_TAGS.length);
  let total = 1;
  let hidden = 0;
  const above = lookUp(survey.tree);
  const { blocks } = survey.tree;
  for (let index = 0; index < blocks.length; index++) {
    const { element } = blocks[index] as Block;
    const words = (survey.measures[index] as Measure).words;
    total += words;
    if (element.hidden !== '') hidden += words;
    if (element.order < 0) continue;
    addWhere(groups, SHARED_GROUPS, above.groups[element.order] as number, words);
    addWhere(tags, TAG_BITS, above.tags[element.order] as number, words);
  }
  return [...groups, ...tags, hidden].map((words) => words / total);
}

function addWhere(sums: Float64Array, bits: number[], found: number, words: number): void {
  for (let place = 0; place < bits.length; place++)
    if ((found & (bits[place] as number)) !== 0) sums[place] = (sums[place] as number) + words;
}

/** By element: the groups and watched tags of it and of all above it. Elements stand behind the one that holds them. */
function lookUp({ elements }: Tree): { groups: Int32Array; tags: Int32Array } {
  const groups = new Int32Array(elements.length);
  const tags = new Int32Array(elements.length);
  for (let order = 0; order < elements.length; order++) {
    const element = elements[order] as ElementNode;
    const above = element.parent?.order ?? -1;
    groups[order] = element.groups | (above < 0 ? 0 : (groups[above] as number));
    tags[order] = (TAG_BIT.get(element.tag) ?? 0) | (above < 0 ? 0 : (tags[above] as number));
  }
  return { groups, tags };
}

function counts(survey: Survey): number[] {
  const { tree, measures } = survey;
  const blocks = tree.blocks.length;
  const total = survey.words[blocks] as number;
  const longest = measures.reduce((most, measure) => Math.max(most, measure.words), 0);
  const tags = new Map<string, number>();
  for (const element of tree.elements) tags.set(element.tag, (tags.get(element.tag) ?? 0) + 1);
  const count = (tag: string): number => tags.get(tag) ?? 0;
  const priced = tree.blocks.reduce((sum, block) => sum + Number(isPrice(block)), 0);
  return [
    blocks,
    total,
    (survey.linkWords[blocks] as number) / Math.max(1, total),
    survey.paragraphs[blocks] as number,
    (survey.sentences[blocks] as number) / Math.max(1, blocks),
    longest,
    count('article'),
    count('h1'),
    count('h2') + count('h3'),
    count('time'),
    count('pre'),
    count('p') / Math.max(1, blocks),
    count('img'),
    priced,
  ];
}

const isPrice = (block: Block): boolean => block.text.length < 30 && /[$€£¥]\s?\d/.test(block.text);
