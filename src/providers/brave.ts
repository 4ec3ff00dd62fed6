/*
 * Brave's web search. What surprised us: a bad key is 422 SUBSCRIPTION_TOKEN_INVALID, not 401; `web` is missing when nothing matched;
 * descriptions carry entities and, unless told otherwise, <strong>; rate headers are comma lists (per second, per month); `offset`
 * counts pages, not results; some languages have codes of Brave's own.
 */
import { z } from 'zod';
import { countryCode } from '../core/countries.ts';
import { HeadgateError, type FailureCode } from '../core/errors.ts';
import { asked, own, warned } from '../core/own-text.ts';
import type { HttpRequest, HttpResponse } from '../core/http.ts';
import type { SearchQuery } from '../core/query.ts';
import { type OwnText, oneLine } from '../core/text.ts';
import { baseUrl } from './kit/base-url.ts';
import { failureOf } from './kit/failure.ts';
import { languageCode, countryNote, topicNote, unsupported } from './kit/wanted.ts';
import { makeSource, rankScore, webUrl, textOfHtml } from './kit/make-source.ts';
import { domainNotes, narrowedPage, withSites } from './kit/narrow.ts';
import { defineProvider, type SearchPage } from './provider.ts';
import { readJson, readJsonIfAny } from './kit/read-json.ts';

const BRAVE = { id: 'brave', title: own`Brave`, keyVariable: own`BRAVE_API_KEY` };
const QUERY_CHARS_MAX = 400;
const QUERY_WORDS_MAX = 50;
const PAGE_RESULTS_MAX = 20;
const OFFSET_MAX = 9;

const settings = z.object({ base_url: baseUrl('https://api.search.brave.com/res/v1') });
type Settings = z.output<typeof settings>;

export const brave = defineProvider({
  ...BRAVE,
  homepage: 'https://brave.com/search/api/',
  settings: () => settings,
  keys: 'required',
  paceMs: 20,
  creditPrice: 0,
  fail,
  search: {
    ranksOnly: true,
    paged: true,
    topics: ['news'],
    queryCharsMax: QUERY_CHARS_MAX,
    queryWordsMax: QUERY_WORDS_MAX,
    request,
    parse,
    warnings,
  },
});

function request(query: SearchQuery, settings: Settings, key: string | undefined): HttpRequest {
  if (key === undefined) {
    throw new HeadgateError('not_configured', 'Brave needs an API key.', {
      provider: BRAVE.id,
      remediation: 'Get one at https://brave.com/search/api/ and set BRAVE_API_KEY.',
    });
  }
  const parameters: Record<string, string | undefined> = {
    q: textFor(query),
    count: String(Math.min(PAGE_RESULTS_MAX, Math.max(1, query.resultsMax))),
    country: countryFor(query),
    search_lang: languageFor(query),
    safesearch: query.safeSearch === undefined ? undefined : query.safeSearch ? 'strict' : 'off',
    freshness: freshnessFor(query),
    result_filter: query.topic === 'news' ? 'news,web' : 'web',
    text_decorations: 'false',
  };
  const set = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    method: 'GET',
    url: `${settings.base_url}/web/search?${new URLSearchParams(set)}`,
    headers: { accept: 'application/json', 'x-subscription-token': key },
  };
}

const text = z.string().optional().catch(undefined);
const hit = z.object({
  url: z.string(),
  title: text,
  description: text,
  page_age: text,
  extra_snippets: z.array(z.string()).catch([]).default([]),
  meta_url: z.object({ favicon: text }).optional().catch(undefined),
  thumbnail: z.object({ src: text, original: text }).optional().catch(undefined),
});
const hits = z.object({ results: z.array(hit) }).optional();
const shape = z.object({
  query: z
    .object({ altered: text, more_results_available: z.boolean().optional().catch(undefined) })
    .catch({}),
  web: hits,
  news: hits,
});
type Hit = z.output<typeof hit>;

function parse(response: HttpResponse, query: SearchQuery, _: Settings, found = 0): SearchPage {
  const answer = readJson(response, BRAVE, shape);
  const news = query.topic === 'news' ? (answer.news?.results ?? []) : [];
  const all = [...news, ...(answer.web?.results ?? [])];
  const sources = all.map((one, index) => toSource(one, found + index, query));
  const page = narrowedPage(BRAVE.title, sources, query, found);
  const altered = oneLine(answer.query.altered ?? '');
  if (altered !== '') page.warnings = [warned`Brave searched for another spelling of the query.`];
  const offset = Number(URL.parse(response.url)?.searchParams.get('offset') ?? 0);
  if (answer.query.more_results_available === true && offset < OFFSET_MAX) {
    const next = new URL(response.url);
    next.searchParams.set('offset', String(offset + 1));
    page.next = { method: 'GET', url: next.href, headers: {} };
  }
  return page;
}

function toSource(one: Hit, rank: number, query: SearchQuery) {
  const picture = webUrl(one.thumbnail?.original ?? one.thumbnail?.src ?? '');
  return makeSource({
    provider: BRAVE.id,
    url: one.url,
    title: textOfHtml(one.title ?? ''),
    snippet: [one.description ?? '', ...one.extra_snippets].map(textOfHtml).filter(Boolean).join('\n'),
    score: rankScore(rank),
    published: one.page_age,
    favicon: query.includeFavicon === true ? one.meta_url?.favicon : undefined,
    images: query.includeImages === true && picture !== undefined ? [{ url: picture }] : undefined,
  });
}

function warnings(query: SearchQuery): OwnText[] {
  const notes = unsupported(BRAVE.title, query, [
    'includeImageDescriptions',
    'filterByLanguage',
    'autoParameters',
  ]);
  if (query.topic === 'finance') notes.push(topicNote(BRAVE.title, 'finance'));
  if (query.country !== undefined && countryFor(query) === undefined) {
    notes.push(countryNote(BRAVE.title, query.country));
  }
  if (query.language !== undefined && languageFor(query) === undefined) {
    notes.push(warned`Brave does not know the language "${asked(query.language)}"; it was ignored.`);
  }
  const dated = query.startDate !== undefined || query.endDate !== undefined;
  if (dated && freshnessFor(query) === undefined) {
    notes.push(warned`Brave takes dates only as a range with two ends; its results were filtered instead.`);
  }
  if (query.exactMatch === true)
    notes.push(warned`Brave prefers quoted phrases but does not insist on them.`);
  notes.push(...domainNotes(BRAVE.title, query, oneLine(query.text), fits));
  return notes;
}

const failure = z.object({ error: z.object({ code: z.string(), detail: text }) });

const CODES: Record<string, FailureCode> = {
  SUBSCRIPTION_TOKEN_INVALID: 'upstream_authentication',
  QUOTA_LIMITED: 'upstream_quota',
  RATE_LIMITED: 'upstream_rate_limit',
};

function fail(response: HttpResponse, now?: number): HeadgateError {
  const said = failure.safeParse(readJsonIfAny(response.body));
  const error = said.success ? said.data.error : undefined;
  const remaining = numbers(response.headers['x-ratelimit-remaining']);
  const resets = numbers(response.headers['x-ratelimit-reset']);
  // The lists are per second and per month; when the month is used up, waiting a second does not help.
  const spent = response.status === 429 && remaining.length > 1 && remaining.at(-1) === 0;
  const seconds = spent ? resets.at(-1) : resets[0];
  return failureOf(BRAVE, response, {
    code: spent ? 'upstream_quota' : CODES[error?.code ?? ''],
    words: error?.detail ?? error?.code,
    ...(response.status === 429 && response.headers['retry-after'] === undefined && seconds !== undefined
      ? { retryAfterMs: seconds * 1_000 }
      : {}),
    now,
  });
}

const numbers = (list: string | undefined): number[] =>
  (list ?? '')
    .split(',')
    .filter((part) => /^\s*\d+\s*$/.test(part))
    .map(Number);

const fits = (words: string): boolean =>
  words.length <= QUERY_CHARS_MAX && words.split(' ').length <= QUERY_WORDS_MAX;

const textFor = (query: SearchQuery): string => withSites(oneLine(query.text), query, fits);

function freshnessFor({ timeRange, startDate, endDate, today }: SearchQuery): string | undefined {
  const end = endDate ?? today;
  if (startDate !== undefined && end !== undefined) return `${startDate}to${end}`;
  return timeRange === undefined ? undefined : `p${timeRange.charAt(0)}`;
}

const COUNTRIES = new Set(
  'ar at au be br ca ch cl cn de dk es fi fr gb gr hk id in it jp kr mx my nl no nz ph pl pt ru sa se tr tw us za'.split(
    ' ',
  ),
);

function countryFor({ country }: SearchQuery): string | undefined {
  const code = countryCode(country ?? '') ?? '';
  return COUNTRIES.has(code) ? code.toUpperCase() : undefined;
}

const LANGUAGES = new Set(
  'ar bg bn ca cs da de el en es et eu fi fr gl gu he hi hr hu is it kn ko lt lv ml mr ms nl pa pl ro ru sk sl sr sv ta te th tr uk vi'.split(
    ' ',
  ),
);
const OWN_LANGUAGES = new Map([
  ['ja', 'jp'],
  ['no', 'nb'],
  ['pt', 'pt-pt'],
  ['zh', 'zh-hans'],
]);

function languageFor(query: SearchQuery): string | undefined {
  const language = languageCode(query.language) ?? '';
  const place = countryCode(query.country ?? '') ?? '';
  if (language === 'pt' && place === 'br') return 'pt-br';
  if (language === 'zh' && (place === 'tw' || place === 'hk')) return 'zh-hant';
  return OWN_LANGUAGES.get(language) ?? (LANGUAGES.has(language) ? language : undefined);
}
