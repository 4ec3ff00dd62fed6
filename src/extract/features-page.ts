import { groupBit } from './class-groups.ts';
import { readTold, type Told } from './features-told.ts';
import { put, type Row } from './row.ts';
import type { Measure } from './measure.ts';
import type { Block, ElementNode } from './nodes.ts';
import type { Survey } from './survey.ts';
import { wordsOf } from './words.ts';

/** Facts about the whole page, the same for each of its blocks. */
export interface PageTraits {
  titleWords: Set<string>;
  told: Told;
  values: number[];
}

/** Reads the facts that tell page types apart: what the page calls itself, its address, and what its text is made of. */
export function readTraits(survey: Survey, url: string | undefined): PageTraits {
  const title = survey.tree.head.title.split(/\s[|–—»·-]\s/)[0] ?? '';
  return {
    titleWords: new Set(wordsOf(title)),
    told: readTold(survey.tree.head),
    values: [...statedType(survey), ...addressTraits(url ?? ''), ...shares(survey), ...counts(survey)],
  };
}

export function writeTraits(row: Row, traits: PageTraits): void {
  for (const value of traits.values) put(row, value);
}

const LD_TYPES: RegExp[] = [
  /"@type"\s*:\s*\[?\s*"(\w*Article|BlogPosting|Report)"/,
  /"@type"\s*:\s*\[?\s*"Product/,
  /"@type"\s*:\s*\[?\s*"(DiscussionForumPosting|QAPage|Question)"/,
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
  /forum|thread|topic|\/t\/|\/r\/|discuss|community|questions|viewtopic|showthread/,
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
    ...ADDRESS.map((pattern) => Number(pattern.test(place))),
  ];
}

const SHARED_GROUPS = ['comment', 'thread', 'product', 'card', 'docs', 'related', 'content', 'hidden'].map(
  groupBit,
);

const SHARED_TAGS = ['noscript', 'pre', 'table', 'article', 'main', 'li', 'form'];
const TAG_BIT = new Map(SHARED_TAGS.map((tag, index) => [tag, 1 << index]));

/** Shares of the page's words that stand below elements of some word groups, in code, in tables, in noscript, hidden. */
function shares(survey: Survey): number[] {
  const groups = SHARED_GROUPS.map(() => 0);
  const tags = SHARED_TAGS.map(() => 0);
  let total = 1;
  let hidden = 0;
  const memory = new Map<ElementNode, Upward>();
  for (const [index, block] of survey.tree.blocks.entries()) {
    const words = (survey.measures[index] as Measure).words;
    total += words;
    if (block.element.hidden !== '') hidden += words;
    const above = lookUp(block.element, memory);
    for (const [place, bit] of SHARED_GROUPS.entries())
      if ((above.groups & bit) !== 0) groups[place] = (groups[place] as number) + words;
    for (const place of tags.keys())
      if ((above.tags & (1 << place)) !== 0) tags[place] = (tags[place] as number) + words;
  }
  return [...groups, ...tags, hidden].map((words) => words / total);
}

interface Upward {
  groups: number;
  tags: number;
}

const NOTHING: Upward = { groups: 0, tags: 0 };

/** The groups and watched tags of an element and all above it; blocks share ancestors, so each is worked out once. */
function lookUp(element: ElementNode | undefined, memory: Map<ElementNode, Upward>): Upward {
  if (element === undefined) return NOTHING;
  const known = memory.get(element);
  if (known !== undefined) return known;
  const above = lookUp(element.parent, memory);
  const groups = above.groups | element.groups;
  const tags = above.tags | (TAG_BIT.get(element.tag) ?? 0);
  const found = groups === above.groups && tags === above.tags ? above : { groups, tags };
  memory.set(element, found);
  return found;
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
