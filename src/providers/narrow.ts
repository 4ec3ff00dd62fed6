import type { SearchQuery } from '../core/query.ts';
import type { Source } from '../core/source.ts';
import { hostOf } from '../core/url.ts';

/**
 * The domain lists of a query as `site:` operators behind `text`, for engines without parameters for them. When they do
 * not fit, the text stays as it is: `narrow` keeps the promise anyway, with fewer results.
 */
export function withSites(text: string, query: SearchQuery, fits: (text: string) => boolean): string {
  const include = query.includeDomainsMode === 'prefer' ? [] : (query.includeDomains ?? []);
  const sites = include.map((entry) => `site:${siteOf(entry)}`);
  const wanted = sites.length > 1 ? [`(${sites.join(' OR ')})`] : sites;
  const unwanted = (query.excludeDomains ?? []).map((entry) => `-site:${siteOf(entry)}`);
  const whole = [text, ...wanted, ...unwanted].join(' ');
  return fits(whole) ? whole : text;
}

/** Only the sources that the query's domains and dates allow. Undated sources stay unless a date is demanded. */
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

/** Whether a page belongs to an entry of a domain list: `example.com`, `linkedin.com/in` or `*.edu`. */
export function isOn(url: string, entry: string): boolean {
  const [host = '', ...path] = siteOf(entry).split('/');
  const pageHost = hostOf(url);
  if (pageHost !== host && !pageHost.endsWith(`.${host}`)) return false;
  const prefix = path.length === 0 ? '' : `/${path.join('/')}`;
  const pagePath = URL.parse(url)?.pathname.toLowerCase() ?? '';
  return pagePath === prefix || pagePath.startsWith(`${prefix}/`) || prefix === '';
}

/** An entry in the form that `site:` takes: lower case, without scheme, `www.`, wildcard and trailing slash. */
function siteOf(entry: string): string {
  return entry
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/^(\*\.|www\.)/, '')
    .replace(/\/+$/, '');
}

function isWithin(publishedDate: string | undefined, query: SearchQuery): boolean {
  const { startDate, endDate } = query;
  if (publishedDate === undefined) return query.filterByPublishedDate !== true;
  const day = publishedDate.slice(0, 10);
  return (startDate === undefined || day >= startDate) && (endDate === undefined || day <= endDate);
}
