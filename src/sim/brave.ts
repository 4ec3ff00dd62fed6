import { json, type SimResponse, type SimUpstream } from './upstream.ts';
import { hasNothing, pagesAbout } from './pseudo.ts';

/*
 * Brave's web search. The key (X-Subscription-Token) decides the scenario:
 *
 *   (none)  422 VALIDATION       BSA-bad    422 SUBSCRIPTION_TOKEN_INVALID
 *   BSA-429 429 for a second     BSA-quota  429 with nothing left of the month      BSA-500  500
 *
 * Every other key works. A query with `noresult` has no `web`; every other has 45 results, in pages by `count` and `offset`.
 */
const RESULTS = 45;

export const braveSim: SimUpstream = {
  id: 'brave',
  handle({ url, headers }) {
    if (url.pathname !== '/web/search') return undefined;
    const parameters = url.searchParams;
    const query = parameters.get('q') ?? '';
    const count = Number(parameters.get('count') ?? 20);
    const offset = Number(parameters.get('offset') ?? 0);
    const scenario = scenarioFor(headers['x-subscription-token'] ?? '');
    if (scenario !== undefined) return scenario;
    const bad = query === '' || query.length > 400 || query.split(' ').length > 50;
    if (bad || !(count >= 1 && count <= 20) || !(offset >= 0 && offset <= 9)) {
      return refuse(422, 'VALIDATION', 'Unable to validate request parameter(s)');
    }
    if (hasNothing(query)) return json(200, { type: 'search', query: { original: query } });
    const all = pagesAbout(query, RESULTS);
    const shown = all.slice(offset * count, (offset + 1) * count);
    return json(200, {
      type: 'search',
      query: { original: query, more_results_available: (offset + 1) * count < RESULTS },
      web: {
        type: 'search',
        results: shown.map((page) => ({
          title: page.title,
          url: page.url,
          description: page.snippet.replace('examples', '<strong>examples</strong>'),
          ...(page.date !== undefined && { page_age: page.date.replace('Z', '') }),
          language: 'en',
          family_friendly: true,
          meta_url: {
            hostname: new URL(page.url).hostname,
            favicon: `${new URL(page.url).origin}/favicon.ico`,
          },
        })),
      },
    });
  },
};

const refuse = (
  status: number,
  code: string,
  detail: string,
  headers: Record<string, string> = {},
): SimResponse =>
  json(status, { type: 'ErrorResponse', error: { id: '0', code, detail, status }, time: 1 }, headers);

function scenarioFor(key: string): SimResponse | undefined {
  const limit = 'Request rate limit exceeded for plan.';
  switch (key) {
    case '':
      return refuse(422, 'VALIDATION', 'Unable to validate request parameter(s)');
    case 'BSA-bad':
      return refuse(422, 'SUBSCRIPTION_TOKEN_INVALID', 'The provided subscription token is invalid.');
    case 'BSA-429':
      return refuse(429, 'RATE_LIMITED', limit, {
        'x-ratelimit-remaining': '0, 1200',
        'x-ratelimit-reset': '1, 1419704',
      });
    case 'BSA-quota':
      return refuse(429, 'QUOTA_LIMITED', limit, {
        'x-ratelimit-remaining': '1, 0',
        'x-ratelimit-reset': '1, 1419704',
      });
    case 'BSA-500':
      return refuse(500, 'INTERNAL', 'Internal error.');
    default:
      return undefined;
  }
}
