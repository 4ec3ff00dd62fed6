import { simulateRerank } from '../providers/kit/reranker.ts';
import { bearerOf, json, objectIn, type SimRequest, type SimResponse, type SimUpstream } from './upstream.ts';
import { hasNothing, pagesAbout } from './pseudo.ts';

/*
 * Jina's reader (`jina`) and search (`jina-search`). The key decides the scenario:
 *
 *   (none)    reader works, search 401      jina_bad  401      jina_empty  402      jina_429  429 with Retry-After: 3
 *   jina_200  a refusal with HTTP 200       jina_503  503
 *
 * Every other key works. A query with `noresult` is the 422 of "no results". By its host a page is `gone` (404 told in 200), `blank`
 * (422), `closed` (403 without a key) or fine.
 */

export const jinaSim: SimUpstream = {
  id: 'jina',
  handle(request) {
    const key = bearerOf(request);
    const scenario = key === '' ? undefined : scenarioFor(key);
    if (scenario !== undefined) return scenario;
    const asked = request.method === 'POST' ? objectIn(request)?.['url'] : request.url.pathname.slice(1);
    const target = URL.parse(typeof asked === 'string' ? asked : '');
    return target === null
      ? refuse(400, 40001, 'ParamValidationError', 'Invalid URL')
      : read(target, key, request);
  },
};

export const jinaRerankSim: SimUpstream = {
  id: 'jina-rerank',
  handle(request) {
    const { pathname: path } = request.url;
    const sent = objectIn(request) ?? {};
    const body = simulateRerank({ path, sent, pages: () => [], read: () => undefined }, 'cohere');
    return scenarioFor(bearerOf(request)) ?? (body === undefined ? undefined : json(200, body));
  },
};

export const jinaSearchSim: SimUpstream = {
  id: 'jina-search',
  handle(request) {
    const scenario = scenarioFor(bearerOf(request));
    if (scenario !== undefined) return scenario;
    const parameters = request.url.searchParams;
    const query = parameters.get('q') ?? '';
    const count = Number(parameters.get('num') ?? 10);
    const page = Number(parameters.get('page') ?? 1);
    const pages = hasNothing(query) ? [] : pagesAbout(query, 40).slice((page - 1) * count, page * count);
    if (query === '') return refuse(400, 40001, 'ParamValidationError', 'q is required');
    if (pages.length === 0) {
      return refuse(422, 42206, 'AssertionFailureError', `No search results available for query ${query}`);
    }
    const bare = request.headers['x-respond-with'] === 'no-content';
    return good(
      pages.map((one) => ({
        title: one.title,
        url: one.url,
        description: one.snippet,
        content: bare ? '' : `# ${one.title}\n\n${one.snippet}`,
        ...(one.date !== undefined && { publishedTime: one.date }),
        usage: { tokens: 1_000 },
      })),
    );
  },
};

const good = (data: unknown): SimResponse =>
  json(200, { code: 200, status: 20_000, data, meta: { usage: { tokens: 10_000 } } });

const refuse = (
  code: number,
  status: number,
  name: string,
  message: string,
  more: { http?: number; headers?: Record<string, string> } = {},
): SimResponse =>
  json(
    more.http ?? code,
    { data: null, code, name, status, message, readableMessage: `${name}: ${message}` },
    more.headers,
  );

function scenarioFor(key: string): SimResponse | undefined {
  const balance = 'Account balance not enough to run this query, please recharge.';
  switch (key) {
    case '':
      return refuse(
        401,
        40_103,
        'AuthenticationRequiredError',
        'Authentication is required to use this endpoint.',
      );
    case 'jina_bad':
      return refuse(401, 40_102, 'AuthenticationFailedError', 'Invalid API key');
    case 'jina_empty':
      return refuse(402, 40_203, 'InsufficientBalanceError', balance);
    case 'jina_200':
      return refuse(402, 40_203, 'InsufficientBalanceError', balance, { http: 200 });
    case 'jina_429':
      return refuse(429, 42_903, 'RateLimitTriggeredError', 'Rate limit exceeded', {
        headers: { 'retry-after': '3' },
      });
    case 'jina_503':
      return refuse(503, 50_301, 'ServiceNodeResourceDrainError', 'Try again later');
    default:
      return undefined;
  }
}

function read(target: URL, key: string, request: SimRequest): SimResponse {
  const host = target.hostname;
  if (host.includes('blank')) {
    return refuse(422, 42_206, 'AssertionFailureError', `No content available for URL ${target.href}`);
  }
  if (host.includes('closed') && key === '') {
    return refuse(403, 40_305, 'AbuseAlleviationError', `Anonymous access to domain ${host} blocked`);
  }
  const gone = host.includes('gone');
  const text = `The content of ${target.href}.`;
  const asText = request.headers['x-return-format'] === 'text';
  return good({
    title: `Page ${target.pathname}`,
    description: '',
    url: target.href,
    ...(asText ? { text } : { content: `# Page\n\n${text}` }),
    ...(request.headers['x-with-images-summary'] === 'true' && {
      images: { 'Image 1: A picture': `${target.origin}/image.png` },
    }),
    ...(gone
      ? { httpStatus: 404, httpStatusText: 'Not Found', warning: 'Target URL returned error 404: Not Found' }
      : { httpStatus: 200, httpStatusText: 'OK' }),
    usage: { tokens: 30 },
  });
}
