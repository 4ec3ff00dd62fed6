/*
 * Kagi v1. What surprised us: `limit` only shortens the answer; 429 is also a used-up allowance; titles contain entities; a key may
 * inherit the settings of its account, so that results are personal.
 */
import { own } from '../core/own-text.ts';
import { textAt } from './kit/json-path.ts';
import { defineWebApi } from './kit/web-api.ts';

const refused = (code: string, message: string) => ({
  meta: { trace: 'sim', node: 'sim', ms: 1 },
  data: null,
  error: [{ code, message, url: 'https://kagi.com/api/docs/errors', location: null }],
});

export const kagi = defineWebApi({
  id: 'kagi',
  title: own`Kagi`,
  homepage: 'https://help.kagi.com/kagi/api/',
  keys: 'required',
  keyVariable: own`KAGI_API_KEY`,
  auth: { header: 'authorization', scheme: 'Bearer' },
  baseUrl: 'https://kagi.com/api/v1',
  paceMs: 100,
  creditPrice: 12_000,
  unverified: own`the codes of errors`,
  refusal: (answer) => textAt(answer, 'error.0.message'),
  signals: [
    {
      means: 'upstream_authentication',
      status: 401,
      body: refused('unauthorized', 'Access token is missing or invalid'),
    },
    {
      means: 'upstream_quota',
      status: 429,
      when: /usage limit|exhausted/i,
      body: refused('usage_limit', 'The usage limit is exhausted'),
    },
    { means: 'upstream_rate_limit', status: 429, body: refused('rate_limit', 'Too many requests') },
  ],
  search: {
    path: '/search',
    queryCharsMax: 1_000,
    pageMax: 50,
    takes: ['country', 'safeSearch', 'timeRange', 'startDate', 'endDate', 'includeImages', 'exactMatch'],
    topics: ['news'],
    domainsMax: 100,
    send: ({ query, text, count, isNews, country, safeSearch, range, start, end, include, exclude }) => {
      const isShort = range !== undefined && range !== 'year' && query.startDate === undefined;
      const lens = {
        sites_included: include,
        sites_excluded: exclude,
        time_relative: isShort ? range : undefined,
      };
      const filters = { region: country, after: isShort ? undefined : start, before: end };
      return {
        query: text,
        workflow: isNews ? 'news' : 'search',
        limit: count,
        safe_search: safeSearch,
        lens: isEmpty(lens) ? undefined : lens,
        filters: isEmpty(filters) ? undefined : filters,
      };
    },
    list: ({ topic }) => (topic === 'news' ? 'data.news' : 'data.search'),
    listMayMiss: 'meta',
    isHtml: true,
    fields: { url: 'url', title: 'title', snippet: 'snippet', published: 'time', image: 'image.url' },
    paging: { field: 'page', first: 1, step: 1, last: 10 },
    simulate: ({ sent, pages }) => ({
      meta: { trace: 'sim', node: 'sim', ms: 1 },
      data: {
        [String(sent['workflow'])]: pages(
          sent['query'],
          sent['limit'],
          (Number(sent['page'] ?? 1) - 1) * 50,
        ).map(({ url, title, snippet, date }) => ({ url, title, snippet, time: date })),
      },
    }),
  },
});

const isEmpty = (value: object): boolean => Object.values(value).every((one) => one === undefined);
