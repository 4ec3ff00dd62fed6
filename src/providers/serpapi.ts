/*
 * SerpApi: Google's results. What surprised us: "no results" is an `error` in a 200; 429 is both too many requests and no searches
 * left, and only its text tells which; the key is in the address.
 */
import { own } from '../core/own-text.ts';
import { GOOGLE_RESULTS, GOOGLE_TAKES, googleDates, googleQuery } from './kit/google.ts';
import { textAt } from './kit/json-path.ts';
import { defineWebApi } from './kit/web-api.ts';

export const serpapi = defineWebApi({
  id: 'serpapi',
  title: own`SerpApi`,
  homepage: 'https://serpapi.com',
  keys: 'required',
  keyVariable: own`SERPAPI_API_KEY`,
  auth: { query: 'api_key' },
  baseUrl: 'https://serpapi.com',
  paceMs: 100,
  // Of the smallest plan; larger ones are cheaper.
  creditPrice: 15_000,
  refusal: (answer) => textAt(answer, 'error'),
  signals: [
    { means: 'upstream_authentication', status: 401, body: { error: 'Invalid API key.' } },
    {
      means: 'upstream_quota',
      status: 429,
      when: /run out of searches/i,
      body: { error: 'Your account has run out of searches.' },
    },
    {
      means: 'upstream_rate_limit',
      status: 429,
      body: { error: 'The hourly throughput limit is exceeded.' },
    },
    {
      means: 'empty',
      status: 200,
      when: /returned any results/i,
      body: {
        search_metadata: { status: 'Success' },
        error: "Google hasn't returned any results for this query.",
      },
    },
  ],
  account: {
    path: '/account.json',
    left: 'total_searches_left|plan_searches_left',
    unit: own`searches`,
    simulate: () => ({ plan_searches_left: 200, total_searches_left: 200 }),
  },
  search: {
    method: 'GET',
    path: '/search.json',
    queryCharsMax: 1_000,
    queryWordsMax: 32,
    pageMax: 10,
    takes: [...GOOGLE_TAKES, 'includeFavicon'],
    topics: ['news'],
    send: (wanted) => ({
      engine: 'google',
      ...googleQuery(wanted),
      tbs: googleDates(wanted),
      tbm: wanted.isNews ? 'nws' : undefined,
    }),
    ...GOOGLE_RESULTS,
    paging: { field: 'start', first: 0, step: 10 },
    simulate: ({ sent, pages }) => ({
      search_metadata: { id: 'sim', status: 'Success' },
      [sent['tbm'] === 'nws' ? 'news_results' : 'organic_results']: pages(
        sent['q'],
        10,
        Number(sent['start'] ?? 0),
      ).map(({ url, title, snippet }, index) => ({ position: index + 1, title, link: url, snippet })),
    }),
  },
});
