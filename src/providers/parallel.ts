/*
 * Parallel v1. What surprised us: options at the top level, as before v1, are refused with 422; the default mode is the dearest; there
 * is a first date but no last one.
 */
import { own } from '../core/own-text.ts';
import { defineWebApi } from './kit/web-api.ts';

const refused = (message: string) => ({ type: 'error', error: { ref_id: 'sim', message } });

export const parallel = defineWebApi({
  id: 'parallel',
  title: own`Parallel`,
  homepage: 'https://parallel.ai',
  keys: 'required',
  keyVariable: own`PARALLEL_API_KEY`,
  auth: { header: 'x-api-key' },
  baseUrl: 'https://api.parallel.ai',
  choices: { mode: ['basic', 'fast', 'turbo'] },
  paceMs: 100,
  creditPrice: 4_000,
  signals: [
    { means: 'upstream_authentication', status: 401, body: refused('Invalid API key') },
    { means: 'upstream_quota', status: 402, body: refused('Insufficient credit') },
    {
      means: 'upstream_rate_limit',
      status: 429,
      body: refused('Too many requests'),
      headers: { 'retry-after': '1' },
    },
  ],
  search: {
    path: '/v1/search',
    queryCharsMax: 1_000,
    pageMax: 40,
    takes: ['country', 'timeRange', 'startDate'],
    domainsMax: 100,
    send: ({ text, count, country, start, include, exclude }, { mode }) => {
      const policy = { include_domains: include, exclude_domains: exclude, after_date: start };
      const isOpen = Object.values(policy).every((one) => one === undefined);
      return {
        objective: text,
        search_queries: [text],
        mode,
        advanced_settings: {
          max_results: count,
          location: country,
          source_policy: isOpen ? undefined : policy,
        },
      };
    },
    list: 'results',
    fields: { url: 'url', title: 'title', snippet: 'excerpts', published: 'publish_date' },
    simulate: ({ sent, pages }) => {
      const { max_results: count } = (sent['advanced_settings'] ?? {}) as { max_results?: number };
      return {
        search_id: 'sim',
        results: pages([sent['search_queries']].flat()[0], count).map(({ url, title, snippet, date }) => ({
          url,
          title,
          publish_date: date?.slice(0, 10) ?? null,
          excerpts: [snippet],
        })),
        warnings: null,
      };
    },
  },
});
