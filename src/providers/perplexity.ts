/*
 * Perplexity's search, without its model. What surprised us: a snippet is the text of the page, of thousands of characters unless told
 * otherwise; domains to include and to exclude share one list and must not be mixed; dates are written month first.
 */
import { own } from '../core/own-text.ts';
import { americanDate } from './kit/google.ts';
import { defineWebApi } from './kit/web-api.ts';

const TOKENS_PER_PAGE = 512;

export const perplexity = defineWebApi({
  id: 'perplexity',
  title: own`Perplexity`,
  homepage: 'https://docs.perplexity.ai',
  keys: 'required',
  keyVariable: own`PERPLEXITY_API_KEY`,
  keyPrefix: own`pplx-`,
  auth: { header: 'authorization', scheme: 'Bearer' },
  baseUrl: 'https://api.perplexity.ai',
  paceMs: 100,
  creditPrice: 5_000,
  unverified: own`rate limit`,
  signals: [
    {
      means: 'upstream_authentication',
      status: 401,
      body: { error: { message: 'Invalid API key provided.', type: 'invalid_api_key', code: 401 } },
    },
    { means: 'upstream_quota', status: 402, body: { error: { message: 'No credits left.', code: 402 } } },
    {
      means: 'upstream_rate_limit',
      status: 429,
      body: { error: { message: 'Too many requests.', code: 429 } },
    },
  ],
  search: {
    path: '/search',
    queryCharsMax: 1_000,
    pageMax: 20,
    takes: ['country', 'language', 'timeRange', 'startDate', 'endDate'],
    domainsMax: 20,
    domainsEither: true,
    send: ({ query, text, count, country, language, range, start, end, include, exclude }) => {
      const isDated = query.startDate !== undefined || query.endDate !== undefined;
      return {
        query: text,
        max_results: count,
        max_tokens_per_page: TOKENS_PER_PAGE,
        country: country?.toUpperCase(),
        search_language_filter: language === undefined ? undefined : [language],
        search_domain_filter: include ?? exclude?.map((domain) => `-${domain}`),
        search_recency_filter: isDated ? undefined : range,
        search_after_date_filter: isDated && start !== undefined ? americanDate(start) : undefined,
        search_before_date_filter: isDated && end !== undefined ? americanDate(end) : undefined,
      };
    },
    list: 'results',
    fields: { url: 'url', title: 'title', snippet: 'snippet', published: 'date|last_updated' },
    simulate: ({ sent, pages }) => ({
      id: 'sim',
      results: pages(sent['query'], sent['max_results']).map(({ url, title, snippet, date }) => ({
        title,
        url,
        snippet,
        date: date?.slice(0, 10) ?? null,
        last_updated: null,
      })),
    }),
  },
});
