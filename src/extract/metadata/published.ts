import { attributeOf, type Block, type ElementNode, type Tree } from '../parse/nodes.ts';
import { groupBit } from '../parse/class-groups.ts';
import { dateInText } from './date-in-text.ts';
import { innerText, standsApart } from './place.ts';
import { daysBetween, isEarlier, readDate, writeDay } from './read-date.ts';
import { fromLinked, type DeclaredMetadata } from './declared-metadata.ts';

const PUBLISHED_METAS = (
  'article:published_time article:published og:article:published_time og:published_time ' +
  'rnews:datepublished datepublished parsely-pub-date sailthru.date citation_publication_date ' +
  'citation_online_date dc.date.issued dcterms.issued dcterms.date dc.date dc.date.created ' +
  'dcterms.created dc.created article:publicationdate article.published cxenseparse:recs:publishtime ' +
  'cxenseparse:publishtime originalpublicationdate publication_date publicationdate publish_date ' +
  'publish-date publishdate published_date published-date published pubdate pub_date bt:pubdate ' +
  'weibo:article:create_at article:create_at displaydate datecreated date_published creation_date date ' +
  'citation_date'
).split(' ');
const MODIFIED_METAS = (
  'article:modified_time article:modified og:article:modified_time og:modified_time og:updated_time ' +
  'datemodified last-modified lastmod dcterms.modified dc.date.modified'
).split(' ');

export interface Dates {
  publishedDate?: string | undefined;
  modifiedDate?: string | undefined;
}

interface Page {
  heading: ElementNode | undefined;
  urls: (string | undefined)[];
  language: string | undefined;
}

/** Finds the dates of publication and of the last change. */
export function readDates(tree: Tree, declared: DeclaredMetadata, page: Page): Dates {
  const publishedDate =
    declaredDate(declared, PUBLISHED_METAS, ['datePublished', 'uploadDate', 'dateCreated']) ??
    seenDate(tree, page);
  const modifiedDate = declaredDate(declared, MODIFIED_METAS, ['dateModified']);
  if (publishedDate !== undefined && modifiedDate !== undefined && isEarlier(modifiedDate, publishedDate))
    return { publishedDate };
  return { publishedDate, modifiedDate };
}

function declaredDate(
  { head, about }: DeclaredMetadata,
  metas: string[],
  fields: string[],
): string | undefined {
  const tagged = metas.flatMap((name) => head.metas.filter((meta) => meta.name === name));
  for (const { content } of tagged) {
    const date = readDate(content);
    if (date !== undefined) return date;
  }
  for (const field of fields)
    for (const object of about) {
      const date = readDate(fromLinked([object], field));
      if (date !== undefined) return date;
    }
  return undefined;
}

/**
 * A date in the visible text or in the URL. The URL is reliable for the day, and a date near the heading may
 * add the time.
 */
function seenDate(tree: Tree, page: Page): string | undefined {
  const marked = markedDates(tree, page);
  const addressed = page.urls.map((url) => dateInUrl(url)).find((date) => date !== undefined);
  if (addressed === undefined) return marked[0] ?? writtenDate(tree, page);
  return marked.find((date) => daysBetween(date, addressed) < 2) ?? addressed;
}

/** The date in a URL: `/2026/03/01/`, `/20260301/`, `-2026-03-01-`. */
export function dateInUrl(url: string | undefined): string | undefined {
  const path = URL.parse(url ?? '')?.pathname ?? '';
  const match =
    /\/((?:19|20)\d{2})[/-]?(\d{2})[/-]?(\d{2})(?=[/_.-]|$)/.exec(path) ??
    /[/_-]((?:19|20)\d{2})[-_](\d{1,2})[-_](\d{1,2})(?=[/_.-]|$)/.exec(path) ??
    /\/((?:19|20)\d{2})\/(\d{1,2})\/(\d{1,2})\//.exec(path);
  return match === null ? undefined : writeDay(Number(match[1]), Number(match[2]), Number(match[3]));
}

const META = groupBit('meta');
const DATE_NAMES =
  /(^|[\s_-])(date\w*|time\w*|pub\w*|posted\w*|created\w*|dt)([\s_-]|$)|date(time)?([\s_-]|$)|Date|Time/;
const PUBLISHED_NAMES = /publi|pubdate|entry-?date|post-?date|article-?date|datecreated|posted|dateline/i;
const CHANGED_NAMES = /modif|updat|change|revis|expire|event|countdown|read-?time|reading/i;
const CANDIDATES_MAX = 100;
const TEXT_CHARS_MAX = 150;

/**
 * Dates in `time` elements and elements with a date class, best first: by class, then by distance to the
 * heading.
 */
function markedDates(tree: Tree, { heading, language }: Page): string[] {
  const found: { date: string; cost: number }[] = [];
  let looked = 0;
  for (const element of tree.elements) {
    const isTime = element.tag === 'time';
    if (!isTime && (element.groups & META) === 0) continue;
    const names = `${attributeOf(element, 'class') ?? ''} ${attributeOf(element, 'itemprop') ?? ''} ${attributeOf(element, 'id') ?? ''}`;
    if ((!isTime && !DATE_NAMES.test(names)) || (CHANGED_NAMES.test(names) && !PUBLISHED_NAMES.test(names)))
      continue;
    if (looked++ >= CANDIDATES_MAX) break;
    if (standsApart(element, tree, heading)) continue;
    const date =
      readDate(attributeOf(element, 'datetime') ?? attributeOf(element, 'content')) ??
      dateInText(innerText(element, TEXT_CHARS_MAX), language);
    if (date === undefined) continue;
    const distance = heading === undefined ? element.first : element.first - heading.end;
    const away = distance < 0 ? -2 * distance : distance;
    found.push({ date, cost: away + (PUBLISHED_NAMES.test(names) ? 0 : 5) + (isTime ? 0 : 3) });
  }
  return found.sort((a, b) => a.cost - b.cost).map(({ date }) => date);
}

const BEFORE = 6;
const AFTER = 12;

/** A date that is written out in a short line around the heading. */
function writtenDate(tree: Tree, { heading, language }: Page): string | undefined {
  const at = heading?.end ?? 0;
  const near: Block[] = [
    ...tree.blocks.slice(at, at + AFTER),
    ...tree.blocks.slice(Math.max(0, at - BEFORE), at).toReversed(),
  ];
  for (const { text, element } of near) {
    if (text.length > TEXT_CHARS_MAX || !/\d/.test(text)) continue;
    if (isFact(element) || standsApart(element, tree, heading)) continue;
    const date = dateInText(text, language);
    if (date !== undefined) return date;
  }
  return undefined;
}

/**
 * Whether a date is a fact about the subject of the page, such as a birthday: in a row with a header cell,
 * or in a definition.
 */
function isFact(element: ElementNode): boolean {
  for (let holder: ElementNode | undefined = element; holder !== undefined; holder = holder.parent) {
    if (holder.tag === 'dd' || holder.tag === 'th') return true;
    if (holder.tag === 'tr') return holder.children.some((cell) => cell.tag === 'th');
  }
  return false;
}
