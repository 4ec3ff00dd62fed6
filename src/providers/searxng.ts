/*
 * A SearXNG of the user's own. What surprised us: JSON is off by default and then answers 403 with a web page; zero results with
 * unresponsive engines is a failure of the engines, not an empty web; scores have no upper bound; answers were strings once and
 * are objects now; `number_of_results` is gone; `!!x` leads to another site.
 */
import { z } from 'zod';
import { countryCode } from '../core/countries.ts';
import { HeadgateError } from '../core/errors.ts';
import { asked, known, listed, named, own, webText, warned } from '../core/own-text.ts';
import type { HttpResponse } from '../core/http.ts';
import type { SearchQuery } from '../core/query.ts';
import { type OwnText, oneLine, plural } from '../core/text.ts';
import { bangsIn, quoteBangs, coveringRange, domainNotes, narrowedPage, withSites } from './kit/narrow.ts';
import { failureOf } from './kit/failure.ts';
import { languageCode, datesNote, topicNote, unsupported } from './kit/wanted.ts';
import { makeSource, rankScore, webUrl, textOfHtml } from './kit/make-source.ts';
import { defineProvider, type SearchPage } from './provider.ts';
import { readJson, readJsonIfAny } from './kit/read-json.ts';
import { requiredUrl } from './kit/base-url.ts';

const SEARXNG = { id: 'searxng', title: own`SearXNG`, urlVariable: own`SEARXNG_URL` };
const QUERY_CHARS_MAX = 1_000;

const settings = z.object({
  /** Required: there is no default SearXNG. */
  base_url: requiredUrl().optional(),
  /** Comma-separated lists, as SearXNG takes them. */
  engines: z.string().trim().min(1).optional(),
  categories: z.string().trim().min(1).optional(),
});
type Settings = z.output<typeof settings>;

export const searxng = defineProvider({
  ...SEARXNG,
  homepage: 'https://docs.searxng.org',
  settings: () => settings,
  keys: 'none',
  paceMs: 0,
  creditPrice: 0,
  fail,
  search: {
    paged: true,
    topics: ['news'],
    queryCharsMax: QUERY_CHARS_MAX,
    request: (query, settings) => {
      if (settings.base_url === undefined) {
        throw notConfigured(
          own`SearXNG has no address.`,
          own`Set SEARXNG_URL to the address of your SearXNG.`,
        );
      }
      const url = new URL(`${settings.base_url}/search`);
      for (const [name, value] of Object.entries(parametersFor(query, settings))) {
        if (value !== undefined) url.searchParams.set(name, value);
      }
      const headers: Record<string, string> = { accept: 'application/json' };
      if (url.username !== '') headers['authorization'] = basic(url);
      url.username = '';
      url.password = '';
      return { method: 'GET', url: url.href, headers };
    },
    parse,
    warnings,
  },
});

const parametersFor = (query: SearchQuery, settings: Settings): Record<string, string | undefined> => ({
  q: textFor(query),
  format: 'json',
  categories: query.topic === 'news' ? 'news' : settings.categories,
  engines: settings.engines,
  language: languageFor(query),
  time_range: coveringRange(query),
  safesearch: query.safeSearch === undefined ? undefined : query.safeSearch ? '2' : '0',
});

/** Private instances are often behind a proxy with a password, which people write into the address. */
function basic({ username, password }: URL): string {
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

const notConfigured = (message: OwnText, remediation: OwnText): HeadgateError =>
  new HeadgateError('not_configured', message, { provider: SEARXNG.id, remediation });

const text = z.string().nullish().catch(undefined);
const shape = z.object({
  results: z.array(
    z.object({
      url: z.string(),
      title: text,
      content: text,
      score: z.number().optional().catch(undefined),
      publishedDate: text,
      thumbnail: text,
      img_src: text,
    }),
  ),
  answers: z.array(z.union([z.string(), z.object({ answer: z.string() }), z.unknown()])).catch([]),
  unresponsive_engines: z.array(z.array(z.string().catch('')).catch([])).catch([]),
});
type Hit = z.output<typeof shape>['results'][number];

function parse(response: HttpResponse, query: SearchQuery, _: Settings, found = 0): SearchPage {
  const answer = readJson(response, SEARXNG, shape);
  const best = Math.max(0, ...answer.results.map((hit) => hit.score ?? 0));
  const sources = answer.results.map((hit, index) => toSource(hit, scoreOf(hit, best, found, index), query));
  const page = narrowedPage(SEARXNG.title, sources, query, found);
  const silent = silentEngines(answer.unresponsive_engines);
  if (page.outcome === 'empty' && silent !== undefined) {
    page.outcome = 'degraded';
    page.reason = own`No results, but SearXNG got no answer from ${silent}.`;
  } else if (silent !== undefined && found === 0) {
    page.warnings = [warned`SearXNG got no answer from ${silent}.`];
  }
  const said = query.includeAnswer === undefined ? undefined : answer.answers.map(answerText).find(Boolean);
  if (said !== undefined) page.answer = said;
  if (answer.results.length > 0) page.next = nextOf(response.url);
  return page;
}

/**
 * Engines that did not answer. Names and reasons come from the instance, so only those that SearXNG ships
 * with are repeated.
 */
function silentEngines(engines: string[][]): OwnText | undefined {
  if (engines.length === 0) return undefined;
  const told = engines.flatMap(([name = '', why = '']) => {
    const engine = known(webText(name), ENGINES);
    const reason = known(webText(why), REASONS);
    return engine === undefined ? [] : [reason === undefined ? named(engine) : own`${engine} (${reason})`];
  });
  const others = engines.length - told.length;
  return listed([
    ...told,
    ...(others === 0 ? [] : [plural(others, told.length === 0 ? 'engine' : 'other engine')]),
  ]);
}

const ENGINES = [
  'google',
  'google news',
  'google images',
  'bing',
  'bing news',
  'bing images',
  'duckduckgo',
  'brave',
  'startpage',
  'qwant',
  'mojeek',
  'yahoo',
  'yandex',
  'baidu',
  'wikipedia',
  'wikidata',
  'wolframalpha',
  'github',
  'stackoverflow',
  'arxiv',
  'reddit',
] as const;
const REASONS = [
  'timeout',
  'captcha',
  'access denied',
  'too many requests',
  'parsing error',
  'network error',
  'http error',
  'suspended: too many requests',
  'suspended: captcha',
  'suspended: access denied',
  'unexpected crash',
] as const;

/** Pages are numbered from one. */
function nextOf(address: string): NonNullable<SearchPage['next']> {
  const url = new URL(address);
  url.searchParams.set('pageno', String(Number(url.searchParams.get('pageno') ?? 1) + 1));
  return { method: 'GET', url: url.href, headers: {} };
}

/** The score relative to the best of its page, and below those of earlier pages. */
function scoreOf(hit: Hit, best: number, found: number, index: number): number {
  if (hit.score === undefined || best <= 0) return rankScore(found + index);
  return Math.round((hit.score / best) * rankScore(found) * 1_000) / 1_000;
}

function toSource(hit: Hit, score: number, query: SearchQuery) {
  const picture = webUrl(hit.img_src ?? '') ?? webUrl(hit.thumbnail ?? '');
  return makeSource({
    provider: SEARXNG.id,
    url: hit.url,
    title: textOfHtml(hit.title ?? ''),
    snippet: textOfHtml(hit.content ?? ''),
    score,
    published: hit.publishedDate,
    images: query.includeImages === true && picture !== undefined ? [{ url: picture }] : undefined,
  });
}

function answerText(answer: unknown): string {
  const said: unknown =
    typeof answer === 'object' && answer !== null && 'answer' in answer ? answer.answer : answer;
  return typeof said === 'string' ? textOfHtml(said) : '';
}

function fail(response: HttpResponse, now?: number): HeadgateError {
  const said = z.object({ error: z.string() }).safeParse(readJsonIfAny(response.body));
  if (response.status === 403 && !said.success && failureOf(SEARXNG, response).code !== 'upstream_blocked') {
    return notConfigured(
      own`SearXNG does not give JSON (HTTP 403).`,
      own`Add "json" to search.formats in its settings.yml and restart it.`,
    );
  }
  return failureOf(SEARXNG, response, {
    words: said.success ? said.data.error : undefined,
    ...(response.status === 401 && {
      remediation: own`Put a user and password for its proxy into SEARXNG_URL, or open it to Headgate.`,
    }),
    ...(response.status === 429 && {
      remediation: own`Its limiter is on: set server.limiter to false, or wait.`,
    }),
    now,
  });
}

function warnings(query: SearchQuery): OwnText[] {
  const notes = unsupported(SEARXNG.title, query, [
    'includeImageDescriptions',
    'includeFavicon',
    'filterByLanguage',
    'autoParameters',
    'exactMatch',
  ]);
  if (query.topic === 'finance') notes.push(topicNote(SEARXNG.title, 'finance'));
  if (query.language === undefined && query.country !== undefined) {
    notes.push(warned`SearXNG takes a country only with a language; it was ignored.`);
  }
  if (query.language !== undefined && languageFor(query) === undefined) {
    notes.push(warned`"${asked(query.language)}" is no ISO 639-1 language; it was ignored.`);
  }
  if (query.startDate !== undefined || query.endDate !== undefined) notes.push(datesNote(SEARXNG.title));
  const bangs = bangsIn(oneLine(query.text));
  if (bangs.length > 0)
    notes.push(warned`Searched for as text, not obeyed as a command: ${asked(bangs.join(', '))}.`);
  notes.push(...domainNotes(SEARXNG.title, query, plain(query), fits));
  return notes;
}

const fits = (words: string): boolean => words.length <= QUERY_CHARS_MAX;
const plain = (query: SearchQuery): string => quoteBangs(oneLine(query.text), QUERY_CHARS_MAX);
const textFor = (query: SearchQuery): string => withSites(plain(query), query, fits);

function languageFor(query: SearchQuery): string | undefined {
  const language = languageCode(query.language);
  const place = countryCode(query.country ?? '');
  return language === undefined || place === undefined ? language : `${language}-${place.toUpperCase()}`;
}
