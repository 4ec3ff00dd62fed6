import { oneLine } from '../core/text.ts';
import { decodeText } from './parse/entities.ts';
import type { PageHead } from './parse/head.ts';
import { type JsonObject, linkedObjects, textField, typesOf } from './linked-data.ts';
import { attributeOf, type ElementNode, type Tree } from './parse/nodes.ts';
import { resolve } from './write/writer-context.ts';

/** What a page says about itself. Absent fields were not found. */
export interface Metadata {
  title: string;
  byline?: string;
  /** ISO 8601, as precise as the page was. */
  publishedDate?: string;
  modifiedDate?: string;
  /** BCP 47. */
  language?: string;
  siteName?: string;
  description?: string;
  canonicalUrl?: string;
  favicon?: string;
  /** The image the page shows when it is shared. */
  leadImage?: string;
}

const ARTICLE =
  /(Article|BlogPosting|NewsArticle|Report|WebPage|Product|Recipe|DiscussionForumPosting|QAPage|TechArticle|VideoObject|Review)$/;

/** Reads title, author, dates and addresses from head tags, JSON-LD and the usual places on the page, in this order of trust. */
export function readMetadata(tree: Tree, url: string | undefined): Metadata {
  const head = tree.head;
  const about = linkedObjects(head).filter((object) => typesOf(object).some((type) => ARTICLE.test(type)));
  about.sort((a, b) => Number(isWebPage(a)) - Number(isWebPage(b)));
  const base = URL.parse(head.base, url)?.href ?? url;
  const metadata: Metadata = { title: readTitle(tree, about) };
  const fields: Partial<Record<keyof Metadata, string | undefined>> = {
    byline: readByline(tree, about),
    publishedDate: readDate(published(tree, about)),
    modifiedDate: readDate(
      fromMeta(
        head,
        'article:modified_time',
        'og:updated_time',
        'dateModified',
        'last-modified',
        'dcterms.modified',
      ) ?? fromLinked(about, 'dateModified'),
    ),
    language: readLanguage(head),
    siteName: fromMeta(head, 'og:site_name', 'application-name') ?? fromLinked(about, 'publisher'),
    description: fromMeta(head, 'og:description', 'description', 'twitter:description', 'dc.description'),
    canonicalUrl: webAddress(linkOf(head, 'canonical') ?? fromMeta(head, 'og:url'), base),
    favicon: readFavicon(head, base),
    leadImage: webAddress(fromMeta(head, 'og:image', 'og:image:url', 'twitter:image'), base),
  };
  for (const [name, value] of Object.entries(fields) as [keyof Metadata, string | undefined][])
    if (value !== undefined && value !== '') metadata[name] = value;
  return metadata;
}

const isWebPage = (object: JsonObject): boolean => typesOf(object).includes('WebPage');

function fromMeta(head: PageHead, ...names: string[]): string | undefined {
  for (const name of names) {
    const found = head.metas.find((meta) => meta.name === name.toLowerCase() && meta.content.trim() !== '');
    if (found !== undefined) return oneLine(found.content);
  }
  return undefined;
}

function fromLinked(objects: JsonObject[], field: string): string | undefined {
  for (const object of objects) {
    const value = textField(object, field);
    if (value !== undefined) return oneLine(decodeText(value));
  }
  return undefined;
}

function readTitle(tree: Tree, about: JsonObject[]): string {
  const shared = fromMeta(tree.head, 'og:title', 'twitter:title') ?? fromLinked(about, 'headline');
  const own = oneLine(decodeText(tree.head.title));
  const heading = oneLine(firstText(tree, (element) => element.tag === 'h1'));
  // A heading that the title repeats is the title without the name of the site.
  if (heading !== '' && heading.length > 3 && (own.includes(heading) || shared === heading)) return heading;
  return shared ?? (own || heading);
}

function firstText(tree: Tree, matches: (element: ElementNode) => boolean): string {
  const element = tree.elements.find(matches);
  if (element === undefined) return '';
  return tree.blocks
    .slice(element.first, element.end)
    .map((block) => block.text)
    .join(' ');
}

const AUTHOR_NAMES =
  /(^|[\s_-])(byline|author|author-?name|post-?author|article-?author|entry-?author|vcard)([\s_-]|$)/i;
const BYLINE_CHARS_MAX = 100;

function readByline(tree: Tree, about: JsonObject[]): string | undefined {
  const named = fromMeta(
    tree.head,
    'author',
    'article:author',
    'parsely-author',
    'sailthru.author',
    'dc.creator',
    'byl',
  );
  const found = fromLinked(about, 'author') ?? named;
  if (found !== undefined && !/^https?:/.test(found)) return cleanByline(found);
  for (const element of tree.elements) {
    if (element.attributes.length === 0) continue;
    const names = `${attributeOf(element, 'class') ?? ''} ${attributeOf(element, 'itemprop') ?? ''} ${attributeOf(element, 'rel') ?? ''}`;
    if (names.length < 6 || names.length > 300 || !AUTHOR_NAMES.test(names)) continue;
    const [block] = tree.blocks.slice(element.first, element.end);
    const text = block === undefined ? '' : cleanByline(block.text);
    if (text.length > 2 && text.length <= BYLINE_CHARS_MAX && !/\d{4}/.test(text)) return text;
  }
  return undefined;
}

const cleanByline = (text: string): string =>
  oneLine(text)
    .replace(/^(written by|by|von|par|por|di|author|posted by)[\s:]+/i, '')
    .trim();

function published(tree: Tree, about: JsonObject[]): string | undefined {
  const stated =
    fromMeta(
      tree.head,
      'article:published_time',
      'datePublished',
      'date',
      'dc.date',
      'dcterms.created',
      'pubdate',
      'parsely-pub-date',
      'citation_publication_date',
    ) ??
    fromLinked(about, 'datePublished') ??
    fromLinked(about, 'uploadDate');
  if (stated !== undefined) return stated;
  const time = tree.elements.find(
    (element) => element.tag === 'time' && attributeOf(element, 'datetime') !== undefined,
  );
  return time === undefined ? undefined : attributeOf(time, 'datetime');
}

/** Dates stay as precise as they came: a day remains a day, a moment becomes UTC only when it had a zone. */
export function readDate(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  const iso =
    /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:[.,]\d+)?\s*(Z|[+-]\d{2}:?\d{2})?)?/.exec(
      trimmed,
    );
  if (iso !== null) return isoDate(iso);
  const compact = /^(\d{4})[/.]?(\d{2})[/.]?(\d{2})$/.exec(trimmed);
  if (compact !== null) return isoDate(compact);
  // Dates in words are read as UTC: reading them in the zone of this machine would move some to the day before.
  const parsed =
    /\d{4}/.test(trimmed) && trimmed.length < 60
      ? Date.parse(hasZone(trimmed) ? trimmed : `${trimmed} UTC`)
      : Number.NaN;
  if (Number.isNaN(parsed)) return undefined;
  const written = new Date(parsed).toISOString();
  return /\d:\d{2}/.test(trimmed) ? written.replace('.000', '') : written.slice(0, 10);
}

const hasZone = (text: string): boolean => /(GMT|UTC|Z|[+-]\d{2}:?\d{2}|\b[ECMP][SD]T)\)?$/.test(text);

function isoDate(parts: RegExpExecArray): string | undefined {
  const [, year, month, day, time, zone] = parts;
  const date = `${year}-${month}-${day}`;
  if (Number.isNaN(Date.parse(date))) return undefined;
  if (time === undefined) return date;
  if (zone === undefined) return `${date}T${time}`;
  const moment = Date.parse(`${date}T${time}${zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')}`);
  return Number.isNaN(moment) ? date : new Date(moment).toISOString().replace('.000', '');
}

function readLanguage(head: PageHead): string | undefined {
  const stated = head.language || fromMeta(head, 'content-language', 'language', 'og:locale', 'dc.language');
  const match = /^[a-z]{2,3}([-_][a-z0-9]{2,8})*$/i.exec((stated ?? '').trim());
  return match === null ? undefined : match[0].replace(/_/g, '-');
}

const linkOf = (head: PageHead, rel: string): string | undefined =>
  head.links.find((link) => link.rel.split(/\s+/).includes(rel))?.href;

function webAddress(address: string | undefined, base: string | undefined): string | undefined {
  const found = address === undefined ? undefined : resolve(address, base);
  return found !== undefined && /^https?:/.test(found) ? found : undefined;
}

function readFavicon(head: PageHead, base: string | undefined): string | undefined {
  const icon = linkOf(head, 'icon') ?? linkOf(head, 'apple-touch-icon');
  return webAddress(icon ?? (base === undefined ? undefined : '/favicon.ico'), base);
}
