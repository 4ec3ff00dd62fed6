import type { SearchQuery, TimeRange } from '../../core/query.ts';
import { own, warned } from '../../core/own-text.ts';
import type { Source } from '../../core/source.ts';
import { type OwnText, plural } from '../../core/text.ts';
import { hostOf } from '../../core/url.ts';
import { withoutDuplicates } from './make-source.ts';
import type { SearchPage } from '../provider.ts';

/**
 * Appends the domain lists of a query as `site:` operators, for search engines without parameters for them.
 * If they do not fit, the text stays as it is; `narrow` filters the results anyway.
 */
export function withSites(text: string, query: SearchQuery, fits: (text: string) => boolean): string {
  const include = query.includeDomainsMode === 'prefer' ? [] : (query.includeDomains ?? []);
  const sites = include.map((entry) => `site:${siteOperand(entry)}`);
  const wanted = sites.length > 1 ? [`(${sites.join(' OR ')})`] : sites;
  const unwanted = (query.excludeDomains ?? []).map((entry) => `-site:${siteOperand(entry)}`);
  const whole = [text, ...wanted, ...unwanted].join(' ');
  return fits(whole) ? whole : text;
}

/**
 * Warnings about domain lists that the search engine cannot take as they are. `text` is the query without
 * them.
 */
export function domainNotes(
  title: OwnText,
  query: SearchQuery,
  text: string,
  fits: (text: string) => boolean,
): OwnText[] {
  const include = query.includeDomains ?? [];
  const preferring = query.includeDomainsMode === 'prefer' && include.length > 0;
  const notes = preferring ? [warned`${title} cannot prefer domains; include_domains was ignored.`] : [];
  const count = (preferring ? 0 : include.length) + (query.excludeDomains ?? []).length;
  if (count > 0 && withSites(text, query, fits) === text) {
    notes.push(warned`The list of domains is too long for ${title}; its results were filtered instead.`);
  }
  return notes;
}

/**
 * Builds a page of the results that the query allows, each URL once. `given` has undefined where a result is
 * no web page. When there were results and none is left, the page is degraded, not empty.
 */
export function narrowedPage(
  title: OwnText,
  given: (Source | undefined)[],
  query: SearchQuery,
  found: number,
): SearchPage {
  const sources = withoutDuplicates(given);
  const kept = narrow(sources, query).slice(0, Math.max(0, query.resultsMax - found));
  if (kept.length > 0 || found > 0 || query.resultsMax === 0) return { outcome: 'ok', sources: kept };
  if (given.length === 0) return { outcome: 'empty', sources: [] };
  const reason =
    sources.length === 0
      ? noWebPages(title)
      : own`${title} found ${plural(sources.length, 'result')}, none of them within the domains and dates asked for.`;
  return { outcome: 'degraded', sources: [], reason };
}

/** Why existing results were left out. */
export const noWebPages = (title: OwnText): OwnText => own`${title} sent results that are no web pages.`;

/** Filters sources by the query's domains and dates. Undated sources stay unless a date is required. */
export function narrow(sources: Source[], query: SearchQuery): Source[] {
  const include = query.includeDomainsMode === 'prefer' ? [] : (query.includeDomains ?? []);
  const exclude = query.excludeDomains ?? [];
  return sources.filter(
    (source) =>
      (include.length === 0 || include.some((entry) => isOn(source.url, entry))) &&
      !exclude.some((entry) => isOn(source.url, entry)) &&
      isWithin(source.publishedDate, query),
  );
}

/** True when a page belongs to an entry of a domain list: `example.com`, `linkedin.com/in` or `*.edu`. */
export function isOn(url: string, entry: string): boolean {
  const [host = '', ...path] = siteOperand(entry).split('/');
  const pageHost = hostOf(url);
  if (pageHost !== host && !pageHost.endsWith(`.${host}`)) return false;
  const prefix = path.length === 0 ? '' : `/${path.join('/')}`;
  const pagePath = URL.parse(url)?.pathname.toLowerCase() ?? '';
  return pagePath === prefix || pagePath.startsWith(`${prefix}/`) || prefix === '';
}

/** An entry in the form of `site:`: lower case, without scheme, `www.`, wildcard and trailing slash. */
export function siteOperand(entry: string): string {
  return entry
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/^(\*\.|www\.)/, '')
    .replace(/\/+$/, '');
}

const DAYS: [TimeRange, number][] = [
  ['day', 1],
  ['week', 7],
  ['month', 30],
  ['year', 365],
];

/** The shortest predefined range up to now that covers the query's dates; `narrow` does the rest. */
export function coveringRange({ timeRange, startDate, today }: SearchQuery): TimeRange | undefined {
  if (timeRange !== undefined || startDate === undefined || today === undefined) return timeRange;
  const days = (Date.parse(today) - Date.parse(startDate)) / 86_400_000;
  return DAYS.find(([, length]) => days <= length)?.[0];
}

function isWithin(publishedDate: string | undefined, query: SearchQuery): boolean {
  const { startDate, endDate } = query;
  if (publishedDate === undefined) return query.filterByPublishedDate !== true;
  const day = publishedDate.slice(0, 10);
  return (startDate === undefined || day >= startDate) && (endDate === undefined || day <= endDate);
}

/**
 * Words that DuckDuckGo treats as commands: `!w` and `w!` redirect to another site, a leading `\` to the
 * first result. Inside quotation marks they are text.
 */
const COMMAND = /(?<=^|\s)(!{1,2}[^\s"!]+|[a-z0-9]{1,4}!|\\[^\s"]*)(?=\s|$)/gi;

/** The commands in a query, outside quotation marks. */
export const bangsIn = (text: string): string[] =>
  outsideQuotes(text).flatMap((part) => part.match(COMMAND) ?? []);

/** Quotes every command in a query, or removes its sign when the quotation marks would make it too long. */
export function quoteBangs(text: string, charsMax: number): string {
  const replaced = (replace: (command: string) => string) =>
    text
      .split('"')
      .map((part, index) => (index % 2 === 0 ? part.replace(COMMAND, replace) : part))
      .join('"');
  const quoted = replaced((command) => `"${command}"`);
  return quoted.length <= charsMax ? quoted : replaced((command) => command.replace(/[!\\]/g, ''));
}

const outsideQuotes = (text: string): string[] => text.split('"').filter((_, index) => index % 2 === 0);
