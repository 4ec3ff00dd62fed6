import { countryCode } from '../../core/countries.ts';
import { asked, warned, named } from '../../core/own-text.ts';
import type { SearchQuery, TimeRange, Topic } from '../../core/query.ts';
import { oneLine, type OwnText } from '../../core/text.ts';
import { coveringRange, domainNotes, siteOperand, withSites } from './narrow.ts';

/** What a provider can do with a query. */
export interface Abilities {
  title: OwnText;
  queryCharsMax: number;
  queryWordsMax?: number;
  /** The most results of one request. */
  pageMax: number;
  /** The parameters that the request passes on; the others become warnings. */
  takes: readonly (keyof SearchQuery)[];
  /** The topics besides `general`. */
  topics?: readonly Topic[];
  /** Two-letter codes of the only countries that it knows. */
  countries?: string;
  /** Lists of domains as parameters with this many entries; without it they become `site:` operators. */
  domainsMax?: number;
  /** True when it takes domains to include or domains to exclude, but not both. */
  domainsEither?: boolean;
}

/** A query in the forms that most APIs take. */
export interface Wanted {
  /** The text on one line, with `site:` operators where the provider has no lists of domains. */
  text: string;
  /** The number of results of one request. */
  count: number;
  isNews: boolean;
  topic: Topic;
  /** Lower-case codes. */
  country?: string;
  language?: string;
  safeSearch?: boolean;
  /** The predefined range that covers the dates. */
  range?: TimeRange;
  /** `YYYY-MM-DD`; the start is computed when only a range was asked for. */
  start?: string;
  end?: string;
  include?: string[];
  exclude?: string[];
  query: SearchQuery;
}

const DAYS: Record<TimeRange, number> = { day: 1, week: 7, month: 30, year: 365 };

/** Prepares a query for a provider's request. */
export function wantedOf(query: SearchQuery, can: Abilities): Wanted {
  const takes = (name: keyof SearchQuery): boolean => can.takes.includes(name);
  const topic = query.topic !== undefined && can.topics?.includes(query.topic) ? query.topic : 'general';
  const { include, exclude } = domainsOf(query, can);
  return {
    query,
    text:
      can.domainsMax === undefined ? withSites(oneLine(query.text), query, fits(can)) : oneLine(query.text),
    count: Math.min(can.pageMax, Math.max(1, query.resultsMax)),
    topic,
    isNews: topic === 'news',
    ...defined({
      country: takes('country') ? countryFor(query, can) : undefined,
      language: takes('language') ? languageCode(query.language) : undefined,
      safeSearch: takes('safeSearch') ? query.safeSearch : undefined,
      range: takes('timeRange') ? coveringRange(query) : undefined,
      start: takes('startDate') ? startOf(query) : undefined,
      end: takes('endDate') ? query.endDate : undefined,
      include,
      exclude,
    }),
  };
}

function startOf({ startDate, timeRange, today }: SearchQuery): string | undefined {
  if (startDate !== undefined || timeRange === undefined || today === undefined) return startDate;
  return new Date(Date.parse(today) - DAYS[timeRange] * 86_400_000).toISOString().slice(0, 10);
}

/** Lists that the provider takes; what they leave out is filtered from the results. */
function domainsOf(query: SearchQuery, can: Abilities): { include?: string[]; exclude?: string[] } {
  const { domainsMax = 0 } = can;
  const list = (entries: string[] = []): string[] | undefined => {
    const hosts = [...new Set(entries.map((entry) => siteOperand(entry).split('/')[0] ?? ''))];
    return hosts.length > 0 && hosts.length <= domainsMax ? hosts : undefined;
  };
  const include = query.includeDomainsMode === 'prefer' ? undefined : list(query.includeDomains);
  const exclude =
    include !== undefined && can.domainsEither === true ? undefined : list(query.excludeDomains);
  return defined({ include, exclude });
}

function countryFor({ country = '' }: SearchQuery, { countries }: Abilities): string | undefined {
  const code = countryCode(country);
  return code !== undefined && (countries?.includes(code) ?? true) ? code : undefined;
}

/** Parameters that results can carry out or that mean nothing to most APIs. */
const NOTED = [
  'country',
  'language',
  'timeRange',
  'safeSearch',
  'includeImages',
  'includeImageDescriptions',
  'includeFavicon',
  'filterByLanguage',
  'autoParameters',
  'exactMatch',
] as const;

/** Warnings about everything in a query that the provider cannot do. */
export function warningsFor(query: SearchQuery, can: Abilities): OwnText[] {
  const { title, takes } = can;
  const notes = unsupported(
    title,
    query,
    NOTED.filter((name) => !takes.includes(name)),
  );
  const { topic = 'general', country, language } = query;
  if (topic !== 'general' && can.topics?.includes(topic) !== true) notes.push(topicNote(title, topic));
  if (country !== undefined && takes.includes('country') && countryFor(query, can) === undefined)
    notes.push(countryNote(title, country));
  if (language !== undefined && takes.includes('language') && languageCode(language) === undefined)
    notes.push(warned`"${asked(language)}" is no ISO 639-1 language; it was ignored.`);
  const isFiltered = (['startDate', 'endDate'] as const).some(
    (name) => query[name] !== undefined && !takes.includes(name),
  );
  if (isFiltered) notes.push(datesNote(title));
  return [...notes, ...listNotes(query, can)];
}

function listNotes(query: SearchQuery, can: Abilities): OwnText[] {
  if (can.domainsMax === undefined) return domainNotes(can.title, query, oneLine(query.text), fits(can));
  const longest = Math.max(query.includeDomains?.length ?? 0, query.excludeDomains?.length ?? 0);
  const isShort = longest <= can.domainsMax;
  return domainNotes(can.title, query, '', () => isShort);
}

const fits =
  ({ queryCharsMax, queryWordsMax = Infinity }: Abilities) =>
  (text: string): boolean =>
    text.length <= queryCharsMax && text.split(' ').length <= queryWordsMax;

/** Warns that the provider has no such topic. */
export const topicNote = (title: OwnText, topic: Topic): OwnText =>
  warned`${title} has no topic "${topic}"; it searched all pages.`;

/** Warns that the provider does not know a country. */
export const countryNote = (title: OwnText, country: string): OwnText =>
  warned`${title} does not know the country "${asked(country)}"; it was ignored.`;

/** Warns that there are no more results to be had. */
export const mostNote = (title: OwnText, most: number): OwnText =>
  warned`${title} returns at most ${most} results.`;

/** Warns that dates are applied to the results. */
export const datesNote = (title: OwnText): OwnText =>
  warned`${title} takes no dates; its dated results were filtered, undated ones kept unless filtered out.`;

/** The object without the fields that are undefined. */
const defined = <Value extends object>(value: Value) =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [Name in keyof Value]?: Exclude<Value[Name], undefined>;
  };

/** The ISO 639-1 code of a language tag: `en` for `EN`, `en-US` and `en_GB`; undefined when there is none. */
export const languageCode = (text: string | undefined): string | undefined =>
  /^([a-z]{2})(?:[-_][a-z]{2,4})?$/i.exec(text?.trim() ?? '')?.[1]?.toLowerCase();

/** One warning per parameter that the query sets and the provider does not support. */
export function unsupported(
  title: OwnText,
  query: SearchQuery,
  parameters: (keyof SearchQuery)[],
): OwnText[] {
  return parameters
    .filter((parameter) => isSet(query[parameter]))
    .map((parameter) => warned`${title} does not support ${named(wireName(parameter))}; it was ignored.`);
}

/** The name of a parameter on the wire, which callers know. */
const wireName = (parameter: string): string =>
  parameter.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
