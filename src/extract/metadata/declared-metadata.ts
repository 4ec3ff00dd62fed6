import { clip, oneLine } from '../../core/text.ts';
import { type JsonObject, linkedObjects, textField, typesOf } from '../parse/linked-data.ts';
import { decodeText } from '../parse/attributes.ts';
import type { PageHead } from '../parse/head.ts';

/**
 * What a page declares about itself: its head tags, and the JSON-LD objects that describe it, articles
 * first.
 */
export interface DeclaredMetadata {
  head: PageHead;
  about: JsonObject[];
  /** Objects with a name by `@id`, to resolve references. */
  byId: Map<string, JsonObject>;
  all: readonly JsonObject[];
}

const ABOUT =
  /(Article|BlogPosting|Posting|Report|WebPage|Product|Recipe|QAPage|VideoObject|Review|CreativeWork|Book|Course|Event|PodcastEpisode)$/;
const RANKS: [RegExp, number][] = [
  [/(Article|Posting|Report|QAPage|Recipe)$/, 0],
  [/^(Review|VideoObject|Event)$/, 2],
  [/WebPage$/, 3],
];

export function readDeclaredMetadata(head: PageHead): DeclaredMetadata {
  const all = linkedObjects(head);
  const byId = new Map<string, JsonObject>();
  for (const object of all) {
    const id = object['@id'];
    if (typeof id === 'string' && object['name'] !== undefined && !byId.has(id)) byId.set(id, object);
  }
  const about = all.filter((object) => typesOf(object).some((type) => ABOUT.test(type)));
  return {
    head,
    all,
    byId,
    about: ownFirst(
      head,
      about.sort((a, b) => rankOf(a) - rankOf(b)),
    ),
  };
}

const LISTED_MIN = 3;

/** Puts the article with the page's title first. A list of other articles does not describe the page. */
function ownFirst(head: PageHead, about: JsonObject[]): JsonObject[] {
  const isArticle = (object: JsonObject): boolean => rankOf(object) === 0 && object['headline'] !== undefined;
  const articles = about.filter(isArticle);
  const headlines = new Set(articles.map((object) => textField(object, 'headline')));
  if (headlines.size < 2) return about;
  const titles = [decodeText(clip(head.title, DECLARED_CHARS_MAX)), fromMeta(head, 'og:title') ?? '']
    .map(plainWords)
    .filter((title) => title !== '');
  const isOwn = (object: JsonObject): boolean => {
    const headline = plainWords(fromLinked([object], 'headline') ?? '');
    return headline !== '' && titles.some((title) => title.includes(headline) || headline.includes(title));
  };
  const own = articles.find(isOwn);
  if (own !== undefined) return [own, ...about.filter((object) => object !== own)];
  const isLive = about[0] !== undefined && typesOf(about[0]).includes('LiveBlogPosting');
  return headlines.size < LISTED_MIN || isLive ? about : about.filter((object) => !isArticle(object));
}

function rankOf(object: JsonObject): number {
  const types = typesOf(object);
  return RANKS.find(([pattern]) => types.some((type) => pattern.test(type)))?.[1] ?? 1;
}

/**
 * Whether this is a product page, by `og:type` or JSON-LD. A product that an article reviews does not count.
 */
export function isProduct({ head, about, all }: DeclaredMetadata): boolean {
  if (about.some((object) => rankOf(object) === 0)) return false;
  const kind = fromMeta(head, 'og:type')?.toLowerCase() ?? '';
  if (kind === 'article') return false;
  if (/^(og:)?product/.test(kind)) return true;
  const first = all.find((object) => typesOf(object).some((type) => type === 'Product' || type === 'Review'));
  return first !== undefined && typesOf(first).join() === 'Product' && first['offers'] !== undefined;
}

/** Longer values are not metadata. */
const DECLARED_CHARS_MAX = 5_000;

/** The first of these meta tags that is not empty. */
export function fromMeta(head: PageHead, ...names: string[]): string | undefined {
  for (const name of names) {
    const found = head.metas.find((meta) => meta.name === name && meta.content.trim() !== '');
    if (found !== undefined) return oneLine(clip(found.content, DECLARED_CHARS_MAX));
  }
  return undefined;
}

/** The field of the first object that has it. */
export function fromLinked(objects: JsonObject[], field: string): string | undefined {
  for (const object of objects) {
    const value = textField(object, field);
    if (value !== undefined) return oneLine(decodeText(clip(value, DECLARED_CHARS_MAX)));
  }
  return undefined;
}

/** Normalises a text to letters and digits, to compare it with another. */
export function plainWords(text: string): string {
  if (ASCII.test(text))
    return text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, ' ')
      .trim();
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

const ASCII = /^[\x20-\x7e]*$/;
