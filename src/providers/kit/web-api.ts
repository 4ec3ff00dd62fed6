import { z } from 'zod';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import type { HttpRequest, HttpResponse } from '../../core/http.ts';
import { LIMITS } from '../../core/limits.ts';
import type { ExtractQuery, SearchQuery } from '../../core/query.ts';
import type { Source } from '../../core/source.ts';
import { clip, type OwnText } from '../../core/text.ts';
import { VERSION } from '../../core/version.ts';
import type { ExtractPage, Provider, SearchAdapter, SearchPage } from '../provider.ts';
import { baseUrl } from './base-url.ts';
import { at, isAt, numberAt, textAt } from './json-path.ts';
import { makeSource, rankScore, webUrl, textOfHtml } from './make-source.ts';
import { matchUrls } from './match-urls.ts';
import { narrowedPage } from './narrow.ts';
import { readJsonIfAny, unknownForm } from './read-json.ts';
import { answerIn, emptyStatuses, failBySignals } from './signals.ts';
import { mostNote, wantedOf, warningsFor, type Abilities } from './wanted.ts';
import type {
  WebApi,
  WebEndpoint as Endpoint,
  WebExtract,
  WebFields,
  WebParameters as Parameters,
  WebSearch,
  WebSettings as Settings,
} from './web-card.ts';

/** Makes the provider card of an API over HTTP and JSON. */
export function defineWebApi(api: WebApi): Provider {
  const {
    baseUrl: _,
    bases = {},
    choices = {},
    refusal: __,
    decode: ___,
    account,
    search,
    extract,
    ...card
  } = api;
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
      const isElsewhere =
        search?.follow === undefined &&
        search?.place === undefined &&
        typeof search?.path === 'string' &&
        search.path !== call.path;
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
  if (search !== undefined) provider.search = searchAdapter(api, search);
  if (extract !== undefined) provider.extract = extractAdapter(api, extract);
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
    ...(search.follow !== undefined && { follow: (response, sent) => secondOf(api, search, response, sent) }),
    request: (query, settings, key) =>
      requestOf(api, search, query, settings, key, search.send(wantedOf(query, can), settings, key)),
    parse: (response, query, _settings, found = 0, sent) => {
      const page = readResults(api, search, response, query, found);
      if (isKeyless(api, sent)) page.credits = 0;
      else if (api.creditPrice > 0) page.credits ??= cost(query);
      if (sent !== undefined && page.outcome === 'ok') {
        const next = nextOf(search, sent, decoded(api, response), { ...query, pages: pagesOf(query) });
        if (next !== undefined) page.next = next;
      }
      return page;
    },
  };
}

/** The second request of a search: beside the first, with its key. */
function secondOf(
  api: WebApi,
  { path, follow }: WebSearch,
  response: HttpResponse,
  sent: HttpRequest,
): HttpRequest | undefined {
  const first = new URL(sent.url);
  const second = follow?.(answerIn(api, response, api.refusal), first);
  if (second === undefined) return undefined;
  const url = new URL(sent.url);
  url.pathname = first.pathname.replace(String(path), second.path);
  url.search = '';
  const key = api.auth !== undefined && 'query' in api.auth ? api.auth.query : undefined;
  append(url, {
    ...second.parameters,
    ...(key !== undefined && { [key]: first.searchParams.get(key) ?? undefined }),
  });
  return { method: 'GET', url: url.href, headers: sent.headers };
}

function readResults(
  api: WebApi,
  search: WebSearch,
  response: HttpResponse,
  query: SearchQuery,
  found: number,
): SearchPage {
  const answer = answerIn(api, decoded(api, response), api.refusal);
  if (answer === undefined) return { outcome: found > 0 ? 'ok' : 'empty', sources: [] };
  const { list, listMayMiss, only = () => true, order = () => 0, row: made = (row: unknown) => row } = search;
  const rows = search.rows === undefined ? rowsIn(answer, list, query) : listOf(search.rows(answer));
  const isLeftOut = listMayMiss !== undefined && at(answer, listMayMiss) !== undefined;
  if (rows === 'malformed' || (rows === undefined && !isLeftOut)) throw unknownForm(response, api);
  const url = new URL(response.url);
  const ordered = (rows ?? []).filter(only).sort((a, b) => order(a) - order(b));
  const sources = ordered.map((given: unknown, index) => {
    const row = made(given, url);
    const content = query.includeRawContent === undefined ? undefined : textAt(row, search.fields.content);
    return toSource(api, search, row, { ...query, score: rankScore(found + index), content });
  });
  const page = narrowedPage(api.title, sources, query, found);
  const credits = search.credits?.(answer);
  if (credits !== undefined) page.credits = credits;
  const rest = numberAt(answer, search.restSeconds ?? '');
  if (rest !== undefined && rest > 0) page.restMs = Math.min(rest * 1_000, LIMITS.keyExhaustedMs);
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

const listOf = (rows: unknown): unknown[] | 'malformed' => (Array.isArray(rows) ? rows : 'malformed');

/** A response in another format, as if it were JSON. */
const decoded = ({ decode }: WebApi, response: HttpResponse): HttpResponse =>
  decode === undefined
    ? response
    : { ...response, body: JSON.stringify(decode(response.body)) ?? response.body };

interface Shown {
  url?: string;
  score: number;
  content: string | undefined;
  includeFavicon?: boolean;
  includeImages?: boolean;
}

function toSource(
  api: WebApi,
  { fields, isHtml = false }: { fields: Partial<WebFields>; isHtml?: boolean },
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
  endpoint.place?.(url, query);
  const headers: Record<string, string> = { accept: 'application/json', ...endpoint.headers };
  if (api.topic !== undefined) headers['user-agent'] = agentOf(settings['contact']);
  const { auth } = api;
  if (auth !== undefined && key !== undefined) {
    if ('query' in auth) url.searchParams.set(auth.query, key);
    else headers[auth.header] = credentials(auth, key);
  }
  const method = typeof endpoint.method === 'function' ? endpoint.method(query) : endpoint.method;
  if (method === 'GET') {
    append(url, parameters);
    return { method: 'GET', url: url.href, headers };
  }
  const body = JSON.stringify(endpoint.inList === true ? [parameters] : parameters);
  return { method: 'POST', url: url.href, headers: { ...headers, 'content-type': 'application/json' }, body };
}

function append(url: URL, parameters: Parameters): void {
  for (const [name, value] of Object.entries(parameters))
    for (const one of [value].flat() as (string | number | boolean | undefined)[])
      if (one !== undefined) url.searchParams.append(name, String(one));
}

/** Sources of topics are asked by name, with the operator's contact if there is one. */
const agentOf = (contact: string | undefined): string =>
  `Headgate/${VERSION} (+https://github.com/headgate/headgate${contact === undefined ? '' : `; ${contact}`})`;

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
