import { clip, oneLine } from '../../core/text.ts';
import { type JsonObject, linkedObjects, textField, typesOf } from '../linked-data.ts';
import { decodeText } from '../parse/entities.ts';
import type { PageHead } from '../parse/head.ts';

/** What a page tells machines: its head tags, and the objects of its JSON-LD that are about it, the article before the page that holds it. */
export interface Stated {
  head: PageHead;
  about: JsonObject[];
  /** Objects with a name by their `@id`, for those that only point to one. */
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

export function readStated(head: PageHead): Stated {
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

/** Of several articles the one that the page is called after comes first; a list of others is not about the page. */
function ownFirst(head: PageHead, about: JsonObject[]): JsonObject[] {
  const isArticle = (object: JsonObject): boolean => rankOf(object) === 0 && object['headline'] !== undefined;
  const articles = about.filter(isArticle);
  const headlines = new Set(articles.map((object) => textField(object, 'headline')));
  if (headlines.size < 2) return about;
  const titles = [decodeText(clip(head.title, STATED_CHARS_MAX)), fromMeta(head, 'og:title') ?? '']
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

/** Whether the page sells one thing: it says so, or its data does, which is also how some describe what an article reviews. */
export function isProduct({ head, about, all }: Stated): boolean {
  if (about.some((object) => rankOf(object) === 0)) return false;
  const kind = fromMeta(head, 'og:type')?.toLowerCase() ?? '';
  if (kind === 'article') return false;
  if (/^(og:)?product/.test(kind)) return true;
  const first = all.find((object) => typesOf(object).some((type) => type === 'Product' || type === 'Review'));
  return first !== undefined && typesOf(first).join() === 'Product' && first['offers'] !== undefined;
}

/** More is no field but a text. */
const STATED_CHARS_MAX = 5_000;

/** The first of these head tags that says something. */
export function fromMeta(head: PageHead, ...names: string[]): string | undefined {
  for (const name of names) {
    const found = head.metas.find((meta) => meta.name === name && meta.content.trim() !== '');
    if (found !== undefined) return oneLine(clip(found.content, STATED_CHARS_MAX));
  }
  return undefined;
}

/** The field of the first object that has it. */
export function fromLinked(objects: JsonObject[], field: string): string | undefined {
  for (const object of objects) {
    const value = textField(object, field);
    if (value !== undefined) return oneLine(decodeText(clip(value, STATED_CHARS_MAX)));
  }
  return undefined;
}

/** Letters and digits only, for telling whether two texts say the same. */
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
