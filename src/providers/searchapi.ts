/*
 * SearchApi: Google's results. What surprised us: news come under either of two names; the key is in the address; Google gives ten
 * results per page.
 */
import { own } from '../core/own-text.ts';
import { americanDate, GOOGLE_RESULTS, GOOGLE_TAKES, googleQuery } from './kit/google.ts';
import { textAt } from './kit/json-path.ts';
import { defineWebApi } from './kit/web-api.ts';

export const searchapi = defineWebApi({
  id: 'searchapi',
  title: own`SearchApi`,
  homepage: 'https://www.searchapi.io',
  keys: 'required',
  keyVariable: own`SEARCHAPI_API_KEY`,
  auth: { query: 'api_key' },
  baseUrl: 'https://www.searchapi.io/api/v1',
  paceMs: 100,
  creditPrice: 4_000,
  unverified: own`price and the name of the list of news`,
  refusal: (answer) => textAt(answer, 'error'),
  signals: [
    { means: 'upstream_authentication', status: 401, body: { error: 'Invalid API key.' } },
    { means: 'upstream_quota', status: 402, body: { error: 'No searches left.' } },
    { means: 'upstream_rate_limit', status: 429, body: { error: 'Too many requests.' } },
    {
      means: 'empty',
      status: 200,
      when: /return(ed)? any results/i,
      body: { search_metadata: { status: 'Success' }, error: "Google didn't return any results." },
    },
  ],
  search: {
    method: 'GET',
    path: '/search',
    queryCharsMax: 1_000,
    queryWordsMax: 32,
    pageMax: 10,
    takes: [...GOOGLE_TAKES, 'includeFavicon'],
    topics: ['news'],
    send: (wanted) => {
      const { query, range, start, end, isNews } = wanted;
      const isDated = query.startDate !== undefined || query.endDate !== undefined;
      return {
        engine: isNews ? 'google_news' : 'google',
        ...googleQuery(wanted),
        time_period: isDated || range === undefined ? undefined : `last_${range}`,
        time_period_min: isDated && start !== undefined ? americanDate(start) : undefined,
        time_period_max: isDated && end !== undefined ? americanDate(end) : undefined,
      };
    },
    ...GOOGLE_RESULTS,
    paging: { field: 'page', first: 1, step: 1 },
    simulate: ({ sent, pages }) => ({
      search_metadata: { id: 'sim', status: 'Success' },
      organic_results: pages(sent['q'], 10, (Number(sent['page'] ?? 1) - 1) * 10).map((page, index) => ({
        position: index + 1,
        title: page.title,
        link: page.url,
        snippet: page.snippet,
      })),
    }),
  },
});
