/*
 * Linkup: search and the text of a page. What surprised us: "no result" is a 400; 429 is also what an empty account gets; images are
 * among the results; a result has the text of the page and no date.
 */
import { own } from '../core/own-text.ts';
import { at } from './kit/json-path.ts';
import { defineWebApi } from './kit/web-api.ts';

const refused = (statusCode: number, code: string, message: string) => ({
  statusCode,
  error: { code, message, details: [] },
});

export const linkup = defineWebApi({
  id: 'linkup',
  title: own`Linkup`,
  homepage: 'https://www.linkup.so',
  keys: 'required',
  keyVariable: own`LINKUP_API_KEY`,
  auth: { header: 'authorization', scheme: 'Bearer' },
  baseUrl: 'https://api.linkup.so/v1',
  // `deep` costs ten times as much, and is left to those who call Linkup themselves.
  choices: { depth: ['standard', 'fast', 'flash'] },
  paceMs: 100,
  creditPrice: 1_000,
  signals: [
    {
      means: 'empty',
      status: 400,
      when: /SEARCH_QUERY_NO_RESULT/,
      body: refused(400, 'SEARCH_QUERY_NO_RESULT', 'The query did not yield any result.'),
    },
    { means: 'upstream_authentication', status: 401, body: refused(401, 'UNAUTHORIZED', 'Unknown key.') },
    {
      means: 'upstream_quota',
      status: 429,
      when: /INSUFFICIENT_FUNDS_CREDITS|EXCEED_BUDGET_LIMIT/,
      body: refused(429, 'INSUFFICIENT_FUNDS_CREDITS', 'Not enough credits.'),
    },
    {
      means: 'upstream_rate_limit',
      status: 429,
      body: refused(429, 'TOO_MANY_REQUESTS', 'Too many requests.'),
    },
  ],
  account: {
    path: '/credits/balance',
    left: 'balance',
    unit: own`credits`,
    simulate: () => ({ balance: 12.5 }),
  },
  search: {
    path: '/search',
    queryCharsMax: 1_000,
    pageMax: 50,
    takes: ['timeRange', 'startDate', 'endDate', 'includeFavicon'],
    domainsMax: 100,
    supports: ['includeRawContent'],
    send: ({ text, count, start, end, include, exclude }, { depth }) => ({
      q: text,
      depth,
      outputType: 'searchResults',
      maxResults: count,
      includeDomains: include,
      excludeDomains: exclude,
      fromDate: start,
      toDate: end,
    }),
    list: 'results',
    only: (row) => at(row, 'type') !== 'image',
    fields: { url: 'url', title: 'name', snippet: 'content', content: 'content', favicon: 'favicon' },
    cost: () => 5,
    simulate: ({ sent, pages }) => ({
      results: pages(sent['q'], sent['maxResults']).map(({ url, title, snippet }) => ({
        type: 'text',
        name: title,
        url,
        content: snippet,
      })),
    }),
  },
  extract: {
    path: '/fetch',
    urlsMax: 1,
    send: ({ urls }) => ({ url: urls[0] }),
    fields: { content: 'markdown' },
    unreadable: { status: 400, when: /"FETCH_/ },
    simulate: ({ sent, read }) => ({ markdown: read(sent['url'])?.text ?? '' }),
  },
});
