import { groupBit } from '../parse/class-groups.ts';
import { FORUM_ADDRESS, FORUM_TYPE } from './forum.ts';
import { type Anchors, findAnchors } from './anchor.ts';
import { readStructuredText, type StructuredText } from './structured-text.ts';
import { put, type Row } from './row.ts';
import type { Measure } from './measure.ts';
import type { Block, ElementNode, Tree } from '../parse/nodes.ts';
import type { Survey } from './survey.ts';
import { wordNumbers } from './words.ts';

/** Features of the whole page, which are the same for all of its blocks. */
export interface PageTraits {
  /** As word hashes. */
  titleWords: Set<number>;
  structuredText: StructuredText;
  anchors: Anchors;
  /** Feature by feature, with their names. */
  values: readonly (readonly [string, number])[];
}

/** Computes the features that distinguish types of pages: declared type, URL and composition. */
export function readTraits(survey: Survey, url: string | undefined): PageTraits {
  const title = survey.tree.head.title.split(/\s[|–—»·-]\s/)[0] ?? '';
  const titleWords = new Set(wordNumbers(title));
  return {
    titleWords,
    anchors: findAnchors(survey, titleWords),
    structuredText: readStructuredText(survey.tree.head),
    values: Object.entries({
      ...declaredType(survey),
      ...addressTraits(url ?? ''),
      ...shares(survey),
      ...counts(survey),
    }),
  };
}

export function writeTraits(row: Row, traits: PageTraits): void {
  for (const [name, value] of traits.values) put(row, name, value);
}

type Traits = Record<string, number>;

const LD_TYPES: Record<string, RegExp> = {
  'json_ld.article': /"@type"\s*:\s*\[?\s*"(\w*Article|BlogPosting|Report)"/,
  'json_ld.product': /"@type"\s*:\s*\[?\s*"Product/,
  'json_ld.forum': FORUM_TYPE,
  'json_ld.list': /"@type"\s*:\s*\[?\s*"(CollectionPage|ItemList|SearchResultsPage)"/,
  'json_ld.business': /"@type"\s*:\s*\[?\s*"(LocalBusiness|Organization|Service|ProfessionalService)"/,
  'json_ld.faq': /"@type"\s*:\s*\[?\s*"(FAQPage|HowTo|Recipe)"/,
};

const testAll = (patterns: Record<string, RegExp>, text: string): Traits =>
  Object.fromEntries(Object.entries(patterns).map(([name, pattern]) => [name, Number(pattern.test(text))]));

function declaredType(survey: Survey): Traits {
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
  return {
    'page.og_type': kind,
    'page.has_article_tags': Number(head.metas.some((meta) => meta.name.startsWith('article:'))),
    'page.generator': /wordpress/.test(generator)
      ? 1
      : /discourse|vbulletin|xenforo|phpbb/.test(generator)
        ? 2
        : /sphinx|docusaurus|mkdocs|hugo|vitepress/.test(generator)
          ? 3
          : generator === ''
            ? 0
            : 4,
    ...testAll(LD_TYPES, linked),
  };
}

const ADDRESS: Record<string, RegExp> = {
  'url.date': /\/(19|20)\d{2}\/|\d{4}-\d{2}-\d{2}/,
  'url.docs': /docs?[./]|documentation|\/api|reference|manual|guide|wiki|help|support/,
  'url.product': /product|\/p\/|\/dp\/|shop|store|item|buy/,
  'url.list': /categor|collection|\/c\/|\/tag|archive|browse|search|list/,
  'url.article': /blog|news|article|story|post/,
  'url.service': /service|solution|about|company|pricing|features/,
};

function addressTraits(url: string): Traits {
  const parsed = URL.parse(url);
  const path = (parsed === null ? '' : parsed.pathname).toLowerCase();
  const place = `${parsed?.hostname ?? ''}${path}`.toLowerCase();
  const last = path.split('/').findLast((part) => part !== '') ?? '';
  return {
    'url.depth': path.split('/').filter((part) => part !== '').length,
    'url.words': last.split(/[-_]/).length,
    'url.number': Number(/\d{4,}/.test(last)),
    'url.forum': Number(FORUM_ADDRESS.test(url)),
    ...testAll(ADDRESS, place),
  };
}

const SHARED_GROUPS = ['comment', 'thread', 'product', 'card', 'docs', 'related', 'content', 'hidden'];
const GROUP_BITS = SHARED_GROUPS.map(groupBit);

const SHARED_TAGS = ['noscript', 'pre', 'table', 'article', 'main', 'li', 'form'];
const SHARE_NAMES = [
  ...SHARED_GROUPS.map((group) => `share.named.${group}`),
  ...SHARED_TAGS.map((tag) => `share.${tag}`),
  'share.hidden',
];
const TAG_BITS = SHARED_TAGS.map((_, index) => 1 << index);
const TAG_BIT = new Map(SHARED_TAGS.map((tag, index) => [tag, 1 << index]));

/** The shares of the words below elements of some class groups and tags, and of hidden words. */
function shares(survey: Survey): Traits {
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
    addWhere(groups, GROUP_BITS, above.groups[element.order] as number, words);
    addWhere(tags, TAG_BITS, above.tags[element.order] as number, words);
  }
  return Object.fromEntries(
    [...groups, ...tags, hidden].map((words, index) => [SHARE_NAMES[index], words / total]),
  );
}

function addWhere(sums: Float64Array, bits: number[], found: number, words: number): void {
  for (let place = 0; place < bits.length; place++)
    if ((found & (bits[place] as number)) !== 0) sums[place] = (sums[place] as number) + words;
}

/** By element: the groups and tags of it and all its ancestors. Ancestors come first in the list. */
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

function counts(survey: Survey): Traits {
  const { tree, measures } = survey;
  const blocks = tree.blocks.length;
  const total = survey.words[blocks] as number;
  const longest = measures.reduce((most, measure) => Math.max(most, measure.words), 0);
  const tags = new Map<string, number>();
  for (const element of tree.elements) tags.set(element.tag, (tags.get(element.tag) ?? 0) + 1);
  const count = (tag: string): number => tags.get(tag) ?? 0;
  const priced = tree.blocks.reduce((sum, block) => sum + Number(isPrice(block)), 0);
  return {
    'page.blocks': blocks,
    'page.words': total,
    'page.link_share': (survey.linkWords[blocks] as number) / Math.max(1, total),
    'page.paragraphs': survey.paragraphs[blocks] as number,
    'page.sentences_per_block': (survey.sentences[blocks] as number) / Math.max(1, blocks),
    'page.longest_block': longest,
    'count.article': count('article'),
    'count.h1': count('h1'),
    'count.h2_h3': count('h2') + count('h3'),
    'count.time': count('time'),
    'count.pre': count('pre'),
    'count.p_per_block': count('p') / Math.max(1, blocks),
    'count.img': count('img'),
    'count.prices': priced,
  };
}

const isPrice = (block: Block): boolean => block.text.length < 30 && /[$€£¥]\s?\d/.test(block.text);
