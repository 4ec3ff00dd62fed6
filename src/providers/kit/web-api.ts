import { z } from 'zod';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import type { HttpRequest, HttpResponse } from '../../core/http.ts';
import { LIMITS } from '../../core/limits.ts';
import type { ExtractQuery, SearchQuery } from '../../core/query.ts';
import type { Source } from '../../core/source.ts';
import { clip, type OwnText } from '../../core/text.ts';
import type { ExtractPage, Provider, SearchAdapter, SearchPage, Signal, SimulatedCall } from '../provider.ts';
import { baseUrl } from './base-url.ts';
import { at, isAt, numberAt, textAt } from './json-path.ts';
import { makeSource, rankScore, webUrl } from './make-source.ts';
import { matchUrls } from './match-urls.ts';
import { narrowedPage } from './narrow.ts';
import { textOfHtml } from './plain-text.ts';
import { readJsonIfAny, unknownForm } from './read-json.ts';
import { answerIn, emptyStatuses, failBySignals, type ReadRefusal } from './signals.ts';
import { mostNote, wantedOf, warningsFor, type Abilities, type Wanted } from './wanted.ts';

/** The parameters of a request: a JSON body, or the query of the address. Undefined ones are left out. */
type Parameters = Record<string, unknown>;
type Settings = Record<string, string>;

/** Where the fields of a result are, as paths (`title|name`). */
interface Fields {
  url: string;
  title?: string;
  snippet?: string;
  /** The text of the page. */
  content?: string;
  published?: string;
  favicon?: string;
  image?: string;
}

interface Endpoint {
  /** Below the base URL. */
  path: string | ((query: SearchQuery, key: string | undefined) => string);
  /** The setting with another base URL. */
  base?(key: string | undefined): string;
  method?: 'GET' | 'POST';
  /** True when the body is a list with one entry. */
  inList?: boolean;
  headers?: Record<string, string>;
  /** The body of a good answer in the simulator. */
  simulate(call: SimulatedCall): unknown;
}

interface WebSearch extends Endpoint, Omit<Abilities, 'title'> {
  send(wanted: Wanted, settings: Settings, key: string | undefined): Parameters;
  /** The list of results; of several (`news+web`), one after the other. */
  list: string | ((query: SearchQuery) => string);
  /** A field of answers that leave an empty list out. */
  listMayMiss?: string;
  fields: Fields;
  /** Keeps the results that are pages. */
  only?(row: unknown): boolean;
  /** True when titles and snippets contain HTML. */
  isHtml?: boolean;
  /** The parameter that counts pages or results: its first value, its step (`count` for the number of results), and the last one. */
  paging?: { field: string; first: number; step: number | 'count'; last?: number; more?: string };
  /** What one request costs in credits; 1 when absent. */
  cost?(query: SearchQuery): number;
  /** The credits that an answer reports. */
  credits?(answer: unknown): number | undefined;
  supports?: SearchAdapter<Settings>['supports'];
  needsKey?: SearchAdapter<Settings>['needsKey'];
}

interface WebExtract extends Endpoint {
  path: string;
  urlsMax: number;
  send(query: ExtractQuery, settings: Settings): Parameters;
  /** The list of pages; without it the answer is one page. */
  list?: string;
  fields: Omit<Fields, 'url'> & { url?: string; content: string };
  /** The HTTP status that the page answered with. */
  pageStatus?: string;
  /** The list of pages that could not be read, with the URL of each. */
  failed?: { list: string; url: string; status?: string };
  /** An error of the whole answer that is about the page. */
  unreadable?: { status: number; when: RegExp };
  /** Credits for each page; 1 when absent. */
  costPerPage?: number;
}

interface WebAccount {
  path: string;
  /** The number of what is left. */
  left: string;
  unit: OwnText;
  simulate(): unknown;
}

/** An API over HTTP and JSON in a few declarations; `defineWebApi` makes the provider card of it. */
interface WebApi extends Pick<
  Provider,
  'id' | 'title' | 'homepage' | 'keys' | 'keyVariable' | 'keyPrefix' | 'paceMs' | 'creditPrice' | 'auth'
> {
  baseUrl: string;
  /** Further addresses: setting → default. */
  bases?: Record<string, string>;
  /** Further settings: their values, the default first. */
  choices?: Record<string, readonly [string, ...string[]]>;
  signals: readonly Signal[];
  refusal?: ReadRefusal;
  account?: WebAccount;
  search?: WebSearch;
  extract?: WebExtract;
}

export function defineWebApi(api: WebApi): Provider {
  const { baseUrl: _, bases = {}, choices = {}, refusal: __, account, search, extract, ...card } = api;
  const urls = { base_url: api.baseUrl, ...bases };
  let schema: z.ZodObject | undefined;
  const provider: Provider = {
    ...card,
    settings: () =>
      (schema ??= z.object({
        ...mapped(urls, baseUrl),
        ...mapped(choices, ([first, ...rest]) => z.enum([first, ...rest]).default(first)),
      })),
    defaults: { ...urls, ...mapped(choices, ([first]) => first) },
    fail: (response, now) => failBySignals(api, response, now),
    simulate: (call) => {
      if (call.path === account?.path) return account.simulate();
      if (call.path === extract?.path) return extract.simulate(call);
      const isElsewhere = typeof search?.path === 'string' && search.path !== call.path;
      return isElsewhere ? undefined : search?.simulate(call);
    },
  };
  if (account !== undefined)
    provider.account = {
      unit: account.unit,
      request: (settings, key) =>
        requestOf(
          api,
          { ...account, method: 'GET' },
          { text: '', resultsMax: 0 },
          settings as Settings,
          key,
          {},
        ),
      left: (response) => numberAt(answerIn(api, response, api.refusal), account.left),
    };
  if (search !== undefined) provider.search = searchAdapter(api, search) as NonNullable<Provider['search']>;
  if (extract !== undefined)
    provider.extract = extractAdapter(api, extract) as NonNullable<Provider['extract']>;
  return provider;
}

const mapped = <Value, Made>(
  values: Record<string, Value>,
  make: (value: Value) => Made,
): Record<string, Made> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, make(value)]));

function searchAdapter(api: WebApi, search: WebSearch): SearchAdapter<Settings> {
  const can: Abilities = { ...search, title: api.title };
  const { paging, cost = () => 1, needsKey, supports, topics, queryWordsMax } = search;
  const pagesOf = ({ resultsMax }: SearchQuery): number =>
    paging === undefined ? 1 : Math.min(LIMITS.pagesMax, Math.max(1, Math.ceil(resultsMax / search.pageMax)));
  return {
    ranksOnly: true,
    queryCharsMax: search.queryCharsMax,
    acceptStatus: emptyStatuses(api.signals),
    creditsMax: (query) => cost(query) * pagesOf(query),
    paged: paging !== undefined,
    ...(queryWordsMax !== undefined && { queryWordsMax }),
    ...(needsKey !== undefined && { needsKey }),
    ...(supports !== undefined && { supports }),
    ...(topics !== undefined && { topics }),
    warnings: (query) => [
      ...warningsFor(query, can),
      ...(paging === undefined && query.resultsMax > search.pageMax
        ? [mostNote(api.title, search.pageMax)]
        : []),
    ],
    request: (query, settings, key) =>
      requestOf(api, search, query, settings, key, search.send(wantedOf(query, can), settings, key)),
    parse: (response, query, _settings, found = 0, sent) => {
      const page = readResults(api, search, response, query, found);
      if (isKeyless(api, sent)) page.credits = 0;
      else if (api.creditPrice > 0) page.credits ??= cost(query);
      if (sent !== undefined && page.outcome === 'ok') {
        const next = nextOf(search, sent, response, { ...query, pages: pagesOf(query) });
        if (next !== undefined) page.next = next;
      }
      return page;
    },
  };
}

function readResults(
  api: WebApi,
  search: WebSearch,
  response: HttpResponse,
  query: SearchQuery,
  found: number,
): SearchPage {
  const answer = answerIn(api, response, api.refusal);
  if (answer === undefined) return { outcome: found > 0 ? 'ok' : 'empty', sources: [] };
  const { list, listMayMiss, only = () => true } = search;
  const rows = rowsIn(answer, list, query);
  const isLeftOut = listMayMiss !== undefined && at(answer, listMayMiss) !== undefined;
  if (rows === 'malformed' || (rows === undefined && !isLeftOut)) throw unknownForm(response, api);
  const sources = (rows ?? []).filter(only).map((row: unknown, index) => {
    const content = query.includeRawContent === undefined ? undefined : textAt(row, search.fields.content);
    return toSource(api, search, row, { ...query, score: rankScore(found + index), content });
  });
  const page = narrowedPage(api.title, sources, query, found);
  const credits = search.credits?.(answer);
  if (credits !== undefined) page.credits = credits;
  return page;
}

/** The rows of all lists that there are; undefined when there is none. */
function rowsIn(
  answer: unknown,
  list: WebSearch['list'],
  query: SearchQuery,
): unknown[] | 'malformed' | undefined {
  const paths = (typeof list === 'string' ? list : list(query)).split('+');
  const lists = paths.map((path) => at(answer, path)).filter((one) => one !== undefined);
  if (!lists.every(Array.isArray)) return 'malformed';
  return lists.length === 0 ? undefined : lists.flat();
}

interface Shown {
  url?: string;
  score: number;
  content: string | undefined;
  includeFavicon?: boolean;
  includeImages?: boolean;
}

function toSource(
  api: WebApi,
  { fields, isHtml = false }: { fields: Partial<Fields>; isHtml?: boolean },
  row: unknown,
  shown: Shown,
): Source | undefined {
  const text = (path: string | undefined): string | undefined => {
    const value = textAt(row, path);
    return value !== undefined && isHtml ? textOfHtml(value) : value;
  };
  const image = shown.includeImages === true ? webUrl(textAt(row, fields.image) ?? '') : undefined;
  return makeSource({
    provider: api.id,
    url: shown.url ?? textAt(row, fields.url) ?? '',
    title: text(fields.title),
    snippet: text(fields.snippet),
    content: shown.content,
    score: shown.score,
    published: textAt(row, fields.published),
    favicon: shown.includeFavicon === true ? textAt(row, fields.favicon) : undefined,
    images: image === undefined ? undefined : [{ url: image }],
  });
}

/** The request for the next page, unless as many pages were asked for as the results need. */
function nextOf(
  { paging, list, pageMax }: WebSearch,
  sent: HttpRequest,
  response: HttpResponse,
  query: SearchQuery & { pages: number },
): HttpRequest | undefined {
  if (paging === undefined) return undefined;
  const parameters = parametersIn(sent);
  const { field, first, last = Infinity, more } = paging;
  const step = paging.step === 'count' ? pageMax : paging.step;
  const here = Number(parameters[field] ?? first);
  const answer = readJsonIfAny(response.body);
  const rows = rowsIn(answer, list, query) ?? [];
  const isLast = (here - first) / step + 1 >= query.pages || here + step > last;
  if (isLast || rows.length === 0) return undefined;
  if (more !== undefined && at(answer, more) === undefined) return undefined;
  if (sent.method === 'GET') {
    const url = new URL(sent.url);
    url.searchParams.set(field, String(here + step));
    return { method: 'GET', url: url.href, headers: {} };
  }
  const changed = { ...parameters, [field]: here + step };
  const isList = sent.body?.startsWith('[') === true;
  return { ...sent, headers: {}, body: JSON.stringify(isList ? [changed] : changed) };
}

/** The parameters of a request: its JSON body, or the query of its address. */
function parametersIn({ method, url, body = '' }: Omit<HttpRequest, 'headers'>): Parameters {
  if (method === 'GET') return Object.fromEntries(new URL(url).searchParams);
  const value = JSON.parse(body) as Parameters | Parameters[];
  return Array.isArray(value) ? (value[0] ?? {}) : value;
}

function requestOf(
  api: WebApi,
  endpoint: Endpoint,
  query: SearchQuery,
  settings: Settings,
  key: string | undefined,
  parameters: Parameters,
): HttpRequest {
  if (key === undefined && api.keys === 'required') throw keyMissing(api);
  const path = typeof endpoint.path === 'string' ? endpoint.path : endpoint.path(query, key);
  const url = new URL(`${settings[endpoint.base?.(key) ?? 'base_url'] ?? api.baseUrl}${path}`);
  const headers: Record<string, string> = { accept: 'application/json', ...endpoint.headers };
  const { auth } = api;
  if (auth !== undefined && key !== undefined) {
    if ('query' in auth) url.searchParams.set(auth.query, key);
    else headers[auth.header] = credentials(auth, key);
  }
  if (endpoint.method === 'GET') {
    const set = Object.entries(parameters).flatMap(([name, value]) =>
      [value].flat().map((one) => [name, one]),
    );
    for (const [name, one] of set) if (one !== undefined) url.searchParams.append(String(name), String(one));
    return { method: 'GET', url: url.href, headers };
  }
  const body = JSON.stringify(endpoint.inList === true ? [parameters] : parameters);
  return { method: 'POST', url: url.href, headers: { ...headers, 'content-type': 'application/json' }, body };
}

const credentials = ({ scheme }: { scheme?: 'Bearer' | 'Basic' }, key: string): string => {
  if (scheme === undefined) return key;
  return `${scheme} ${scheme === 'Basic' ? Buffer.from(key).toString('base64') : key}`;
};

/** True for a request to the keyless tier of a provider, which costs nothing. */
function isKeyless({ auth, keys }: WebApi, sent: HttpRequest | undefined): boolean {
  if (sent === undefined || auth === undefined || keys !== 'optional') return false;
  return 'query' in auth
    ? !new URL(sent.url).searchParams.has(auth.query)
    : sent.headers[auth.header] === undefined;
}

const keyMissing = ({ id, title, homepage, keyVariable = own`its key` }: WebApi): HeadgateError =>
  new HeadgateError('not_configured', own`${title} needs an API key.`, {
    provider: id,
    remediation: own`Get one at ${named(homepage)} and set ${keyVariable}.`,
  });

const SNIPPET_CHARS = 500;

function extractAdapter(api: WebApi, extract: WebExtract): NonNullable<Provider['extract']> {
  const { urlsMax, unreadable, costPerPage = 1 } = extract;
  const query = { text: '', resultsMax: 0 };
  return {
    urlsMax,
    creditsMax: ({ urls }) => urls.length * costPerPage,
    ...(unreadable !== undefined && { acceptStatus: [unreadable.status] }),
    request: (wanted, settings, key) =>
      requestOf(api, extract, query, settings as Settings, key, extract.send(wanted, settings as Settings)),
    parse: (response, wanted, _settings, sent) => {
      const page = readPages(api, extract, response, wanted);
      if (isKeyless(api, sent)) return { ...page, credits: 0 };
      return api.creditPrice > 0 ? { ...page, credits: page.sources.length * costPerPage } : page;
    },
  };
}

function readPages(
  api: WebApi,
  extract: WebExtract,
  response: HttpResponse,
  query: ExtractQuery,
): ExtractPage {
  const { list, failed, unreadable, fields, pageStatus } = extract;
  const refusal = response.status > 299 ? failBySignals(api, response) : undefined;
  if (refusal !== undefined) {
    if (unreadable?.status !== response.status || !unreadable.when.test(response.body)) throw refusal;
    return { sources: [], failed: query.urls.map((url) => ({ url, error: unread(api.title) })) };
  }
  const answer = answerIn(api, response, api.refusal);
  const rows = list === undefined ? [answer] : at(answer, list);
  const isPage = list !== undefined || isAt(answer, fields.content);
  if (!Array.isArray(rows) || !isPage) throw unknownForm(response, api);
  const addressed = (list: unknown[], path = ''): { url: string; row: unknown }[] =>
    list.map((row) => ({ url: textAt(row, path) ?? query.urls[0] ?? '', row }));
  const read = matchUrls(query.urls, addressed(rows, fields.url));
  const errors = failed === undefined ? undefined : at(answer, failed.list);
  const problems = matchUrls(query.urls, addressed(Array.isArray(errors) ? errors : [], failed?.url));
  const page: ExtractPage = { sources: [], failed: [] };
  for (const url of query.urls) {
    const row = read.get(url)?.row;
    const content = textAt(row, fields.content);
    const status =
      numberAt(row, pageStatus ?? 'none') ?? numberAt(problems.get(url)?.row, failed?.status ?? 'none') ?? 0;
    const source =
      status >= 400 ? undefined : toSource(api, extract, row, { ...query, url, score: 1, content });
    if (source?.content === undefined) page.failed.push({ url, error: unread(api.title, status) });
    else page.sources.push({ ...source, snippet: clip(source.snippet || source.content, SNIPPET_CHARS) });
  }
  return page;
}

const unread = (title: OwnText, status = 0): OwnText =>
  status >= 400 ? own`The page answered with HTTP ${status}.` : own`${title} could not read this page.`;
