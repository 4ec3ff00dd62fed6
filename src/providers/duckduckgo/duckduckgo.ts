/*
 * DuckDuckGo's page without scripts. There is no API for web results; this is the form that a browser without JavaScript
 * sends. It answers 202 with a challenge to callers it takes for robots (`ok` for every HTTP library), usually after a few
 * searches in quick succession, so requests are spaced, never retried after a challenge, and results win over markers.
 * The second page needs the `vqd` of the first, from the same User-Agent.
 */
import { z } from 'zod';
import { HeadgateError } from '../../core/errors.ts';
import { asked, own, warned } from '../../core/own-text.ts';
import type { HttpRequest, HttpResponse } from '../../core/http.ts';
import type { SearchQuery } from '../../core/query.ts';
import { type OwnText, oneLine } from '../../core/text.ts';
import { baseUrl } from '../kit/base-url.ts';
import { bangsIn, quoteBangs, coveringRange, domainNotes, narrowedPage, withSites } from '../kit/narrow.ts';
import { readResultsPage, type ResultsPage } from './page.ts';
import { acceptLanguage, regionFor } from './regions.ts';
import { failureOf, isChallenge } from '../kit/failure.ts';
import { languageCode, unsupported } from '../kit/wanted.ts';
import { makeSource, rankScore } from '../kit/make-source.ts';
import { defineProvider, type SearchPage } from '../provider.ts';

const ID = 'duckduckgo';
const TITLE = own`DuckDuckGo`;
const DUCKDUCKGO = { id: ID, title: TITLE };
const QUERY_CHARS_MAX = 499;

const settings = z.object({
  base_url: baseUrl('https://html.duckduckgo.com'),
  answer_base_url: baseUrl('https://api.duckduckgo.com'),
  /** One user agent for all requests: DuckDuckGo ties later pages to it. */
  user_agent: z.string().min(1).default('Headgate/0.1'),
  /** The region when the query has none; `wt-wt` means all regions. */
  region: z
    .string()
    .regex(/^[a-z]{2}-[a-z]{2,3}$/, 'must look like us-en')
    .default('wt-wt'),
});
export type DuckDuckGoSettings = z.output<typeof settings>;

export const duckduckgo = defineProvider({
  ...DUCKDUCKGO,
  homepage: 'https://html.duckduckgo.com/html/',
  settings: () => settings,
  keys: 'none',
  paceMs: 1_500,
  creditPrice: 0,
  fail,
  search: {
    ranksOnly: true,
    paged: true,
    queryCharsMax: QUERY_CHARS_MAX,
    request: (query, settings) => {
      const form: [string, string][] = [
        ['q', textFor(query)],
        ['b', ''],
        ['kl', regionOf(query, settings)],
        ['df', dateFilter(query)],
      ];
      if (query.safeSearch !== undefined) form.push(['kp', query.safeSearch ? '1' : '-2']);
      return post(form, query, settings);
    },
    parse,
    warnings,
  },
});

/** What blocked callers can use instead; every message about a robot check ends with it. */
export const INSTEAD = own`Wait some minutes, or set up another search provider: TAVILY_API_KEY, BRAVE_API_KEY or JINA_API_KEY, or SEARXNG_URL for a SearXNG of your own.`;

function parse(
  response: HttpResponse,
  query: SearchQuery,
  settings: DuckDuckGoSettings,
  found = 0,
): SearchPage {
  const page = readResultsPage(response.body);
  const sources = page.results.map((result, index) =>
    makeSource({
      provider: ID,
      url: result.url,
      title: result.title,
      snippet: result.snippet,
      score: rankScore(found + index),
      published: result.date,
      favicon: query.includeFavicon === true ? result.icon : undefined,
    }),
  );
  const answer =
    sources.length === 0 ? withoutResults(page, response, found) : narrowedPage(TITLE, sources, query, found);
  if (query.includeAnswer !== undefined && page.zeroClick !== undefined) answer.answer = page.zeroClick;
  if (page.next !== undefined) answer.next = post(page.next, query, settings);
  return answer;
}

/** Empty only when the page says so, or when a later page has no more results. */
function withoutResults(page: ResultsPage, response: HttpResponse, found: number): SearchPage {
  if (page.barred || response.status === 202 || isChallenge(response)) {
    throw new HeadgateError(
      'upstream_blocked',
      'DuckDuckGo answered with a check for robots instead of results.',
      {
        provider: ID,
        remediation: INSTEAD,
      },
    );
  }
  if (page.saysNone || (page.listed && found > 0)) return { outcome: 'empty', sources: [] };
  const reason =
    page.unusable > 0
      ? own`DuckDuckGo sent advertisements or unusable results only.`
      : own`DuckDuckGo sent a page with neither results nor a notice that there are none; its layout may have changed.`;
  return { outcome: 'degraded', sources: [], reason };
}

function fail(response: HttpResponse, now?: number): HeadgateError {
  const { status } = response;
  if (status >= 300 && status < 400) {
    const what = own`led the query to another site instead of searching for it`;
    return failureOf(DUCKDUCKGO, response, { what, remediation: own`Ask without "!" commands.`, now });
  }
  if (status === 413 || status === 414) {
    const remediation = own`Ask in at most ${QUERY_CHARS_MAX} characters.`;
    return failureOf(DUCKDUCKGO, response, { remediation, now });
  }
  // DuckDuckGo turns suspected robots away with 400, 403 and 418; none of them is about the query.
  const turnedAway = status < 500 && status !== 408 && status !== 429;
  return failureOf(DUCKDUCKGO, response, {
    ...(turnedAway && { code: 'upstream_blocked' as const }),
    ...(status < 500 && { remediation: INSTEAD }),
    now,
  });
}

function warnings(query: SearchQuery): OwnText[] {
  const notes = unsupported(TITLE, query, [
    'includeImages',
    'includeImageDescriptions',
    'filterByLanguage',
    'autoParameters',
  ]);
  const region = regionFor(query.country, query.language).warning;
  if (region !== undefined) notes.push(region);
  const bangs = bangsIn(oneLine(query.text));
  if (bangs.length > 0) {
    notes.push(warned`Searched for as text, not obeyed as a command: ${asked(bangs.join(', '))}.`);
  }
  if (query.topic !== undefined && query.topic !== 'general') {
    const past = dateFilter(query) === 'm' ? ' of the past month' : '';
    notes.push(warned`DuckDuckGo has no topic "${query.topic}"; it searched all pages${past}.`);
  }
  if (query.startDate !== undefined || query.endDate !== undefined) {
    notes.push(
      warned`DuckDuckGo knows the dates of few pages; undated results are kept unless filtered out.`,
    );
  }
  if (query.safeSearch !== undefined) notes.push(warned`DuckDuckGo may ignore safe_search on this page.`);
  if (query.exactMatch === true)
    notes.push(warned`DuckDuckGo prefers quoted phrases but does not insist on them.`);
  notes.push(...domainNotes(TITLE, query, plainText(query), fits));
  return notes;
}

const plainText = (query: SearchQuery): string => quoteBangs(oneLine(query.text), QUERY_CHARS_MAX);

const textFor = (query: SearchQuery): string => withSites(plainText(query), query, fits);

const fits = (text: string): boolean => text.length <= QUERY_CHARS_MAX;

/**
 * The form's `df`. A date range is sent only when no range up to now covers it; news without a date are
 * recent.
 */
function dateFilter(query: SearchQuery): string {
  const { startDate, endDate, topic } = query;
  const range = coveringRange(query);
  if (range !== undefined) return range.charAt(0);
  if (startDate !== undefined && endDate !== undefined) return `${startDate}..${endDate}`;
  return topic === 'news' && startDate === undefined && endDate === undefined ? 'm' : '';
}

const regionOf = (query: SearchQuery, settings: DuckDuckGoSettings): string =>
  regionFor(query.country, query.language).code ?? settings.region;

function post(form: [string, string][], query: SearchQuery, settings: DuckDuckGoSettings): HttpRequest {
  const origin = new URL(settings.base_url).origin;
  return {
    method: 'POST',
    url: `${settings.base_url}/html/`,
    headers: {
      accept: 'text/html',
      'accept-language': acceptLanguage(regionOf(query, settings), languageCode(query.language)),
      'content-type': 'application/x-www-form-urlencoded',
      referer: `${origin}/`,
      'sec-fetch-dest': 'document',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-site': 'same-origin',
      'sec-fetch-user': '?1',
      'user-agent': settings.user_agent,
    },
    body: new URLSearchParams(form).toString(),
  };
}
