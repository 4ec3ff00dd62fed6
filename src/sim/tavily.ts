import {
  bearerOf,
  json,
  objectIn,
  webPage,
  type SimRequest,
  type SimResponse,
  type SimUpstream,
} from './upstream.ts';
import { hasNothing, numberFrom, pagesAbout } from './pseudo.ts';
import { walkSite } from './tavily-site.ts';

/*
 * Tavily's /search, /extract, /crawl, /map and /usage with the messages of the real service. The key decides the scenario:
 *
 *   (none), tvly-bad  401      tvly-forbidden  403      tvly-429   429 with Retry-After: 2     tvly-quota  432
 *   tvly-paygo        433      tvly-500        500      tvly-503   503                         tvly-html   200 with a web page
 *   tvly-cut          200 with cut JSON                 tvly-keyless  429 with the envelope for callers without a key
 *
 * Every other key works. A query with `noresult` finds nothing; a URL with `gone` in its host fails; answers to /extract carry
 * normalised URLs (no `www.`, no trailing slash), as the real ones do.
 */

const RESULTS_MAX = 20;

export const tavilySim: SimUpstream = {
  id: 'tavily',
  handle(request) {
    const path = request.url.pathname;
    if (request.method === 'GET' && path === '/usage') return usageOf(request);
    if (request.method !== 'POST' || !['/search', '/extract', '/crawl', '/map'].includes(path)) {
      return json(404, { detail: 'Not Found' });
    }
    const body = objectIn(request);
    const scenario = scenarioFor(bearerOf(request) || stringOf(body?.['api_key']));
    if (scenario !== undefined) return scenario;
    if (body === undefined)
      return json(422, { detail: [{ type: 'json_invalid', loc: ['body', 0], msg: 'JSON decode error' }] });
    if (path === '/crawl' || path === '/map') return walkSite(path, body);
    return path === '/search' ? search(body, request) : extract(body);
  },
};

const usageOf = (request: SimRequest): SimResponse =>
  scenarioFor(bearerOf(request)) ??
  json(200, {
    key: { usage: 150, limit: null },
    account: {
      current_plan: 'Researcher',
      plan_usage: 150,
      plan_limit: 1_000,
      paygo_usage: 0,
      paygo_limit: null,
    },
  });

const refuse = (status: number, error: string, headers: Record<string, string> = {}): SimResponse =>
  json(status, { detail: { error } }, headers);

function scenarioFor(key: string): SimResponse | undefined {
  switch (key) {
    case '':
    case 'tvly-bad':
      return refuse(401, 'Unauthorized: missing or invalid API key.');
    case 'tvly-forbidden':
      return refuse(403, 'Forbidden.');
    case 'tvly-429':
      return refuse(
        429,
        'Your request has been blocked due to excessive requests. Please reduce rate of requests.',
        { 'retry-after': '2' },
      );
    case 'tvly-quota':
      return refuse(
        432,
        "This request exceeds your plan's set usage limit. Please upgrade your plan or contact support@tavily.com",
      );
    case 'tvly-paygo':
      return refuse(
        433,
        'This request exceeds the pay-as-you-go limit. You can increase your limit on the Tavily dashboard.',
      );
    case 'tvly-500':
      return refuse(500, 'Internal Server Error');
    case 'tvly-503':
      return webPage(503, 'Service unavailable');
    case 'tvly-html':
      return webPage(200, 'Welcome to the hotel network');
    case 'tvly-cut':
      return { ...json(200, {}), body: '{"query":"x","results":[{"url":"https://exam' };
    case 'tvly-keyless':
      return json(
        429,
        {
          error: {
            code: 'hourly_cap_reached',
            message: 'Hourly allowance reached.',
            window: 'hour',
            retry_after_seconds: 40,
            next_actions: [],
          },
        },
        { 'retry-after': '40' },
      );
    default:
      return undefined;
  }
}

type Body = Record<string, unknown>;

function search(body: Body, request: SimRequest): SimResponse {
  const wrong = mistakeIn(body);
  if (wrong !== undefined) return refuse(400, wrong);
  const query = String(body['query']);
  const count = Math.min(RESULTS_MAX, Number(body['max_results'] ?? 5));
  const pages = hasNothing(query) ? [] : pagesAbout(query, count);
  const seams = body['search_depth'] === 'ultra-fast' ? 1 : Number(body['chunks_per_source'] ?? 3);
  const dated = body['topic'] === 'news' || body['include_published_date'] === true;
  const results = pages.map((page, index) => ({
    url: page.url,
    title: page.title,
    content: Array.from({ length: seams }, (_, part) => `${page.snippet} Part ${part + 1}.`).join(' [...] '),
    score: Math.round((0.95 - index * 0.03) * 1e4) / 1e4,
    raw_content: body['include_raw_content'] ? `# ${page.title}\n\n${page.snippet} Part 1.` : null,
    id: `${idOf(query).slice(0, 6)}-${String(index).padStart(2, '0')}`,
    ...(dated && { published_date: new Date(page.date ?? '2026-01-01T00:00:00Z').toUTCString() }),
    ...(body['include_favicon'] === true && { favicon: `${new URL(page.url).origin}/favicon.ico` }),
    ...(body['include_images'] === true && { images: [{ url: `${page.url}/image.png` }] }),
  }));
  return json(200, {
    query,
    follow_up_questions: null,
    answer: body['include_answer'] ? `${query} is a topic of the small web.` : null,
    images: body['include_images'] === true ? results.map((result) => `${result.url}/image.png`) : [],
    results,
    ...(body['auto_parameters'] === true && { auto_parameters: { topic: 'general', search_depth: 'basic' } }),
    response_time: 0.1,
    ...usage(body, body['search_depth'] === 'advanced' ? 2 : 1),
    request_id: uuidOf(request.body),
  });
}

function mistakeIn(body: Body): string | undefined {
  const { query, topic = 'general', max_results: count = 5, country } = body;
  if (typeof query !== 'string' || query === '') return 'Query is missing.';
  if (query.length < 2) return 'Query is too short. Min query length is 2 characters.';
  if (query.length > 400) return 'Query is too long. Max query length is 400 characters.';
  if (!['general', 'news', 'finance'].includes(String(topic))) {
    return "Invalid topic. Must be 'general', 'news', or 'finance'";
  }
  if (!Number.isInteger(count) || Number(count) < 0) return 'Invalid max results.';
  if (body['time_range'] !== undefined && (body['start_date'] ?? body['end_date']) !== undefined) {
    return 'When time_range is set, start_date or end_date cannot be set';
  }
  // Tavily takes names; a two-letter code is the usual mistake.
  if (country !== undefined && !/^[a-z ]{4,}$/i.test(stringOf(country))) {
    return 'Invalid country. Must be a valid country name from the list of supported countries.';
  }
  return Number(body['chunks_per_source'] ?? 3) > 3 ? 'Invalid chunks_per_source.' : undefined;
}

function extract(body: Body): SimResponse {
  const urls = [body['urls'] ?? []].flat().map(String);
  if (urls.length === 0) return refuse(400, 'No URLs provided.');
  if (urls.length > 20) return refuse(400, 'Max 20 URLs are allowed.');
  const isGone = (url: string): boolean => URL.parse(url)?.hostname.includes('gone') ?? true;
  const good = urls.filter((url) => !isGone(url));
  const text = (url: string): string => `# Page\n\nThe content of ${url}.`;
  return json(200, {
    results: good.map((url) => ({
      url: normalised(url),
      title: `Page ${new URL(url).pathname}`,
      raw_content:
        body['query'] === undefined ? text(url) : `${text(url)} [...] About ${stringOf(body['query'])}.`,
      images: body['include_images'] === true ? [`${new URL(url).origin}/image.png`] : [],
      ...(body['include_favicon'] === true && { favicon: `${new URL(url).origin}/favicon.ico` }),
    })),
    failed_results: urls
      .filter(isGone)
      .map((url) => ({ url: normalised(url), error: '404 Client Error: Not Found' })),
    response_time: 0.1,
    ...usage(body, Math.ceil(good.length / 5) * (body['extract_depth'] === 'advanced' ? 2 : 1)),
    request_id: uuidOf(urls.join(' ')),
  });
}

const usage = (body: Body, credits: number): { usage?: { credits: number } } =>
  body['include_usage'] === true ? { usage: { credits } } : {};

const normalised = (url: string): string => url.replace(/^(https?:\/\/)www\./, '$1').replace(/\/$/, '');

const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const idOf = (text: string): string => numberFrom(text).toString(16).padStart(8, '0');

const uuidOf = (text: string): string => `${idOf(text)}-0000-4000-8000-${idOf(`${text}!`)}0000`;
