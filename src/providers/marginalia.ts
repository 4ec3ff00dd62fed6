/*
 * Marginalia: the small, old and personal web. What surprised us: errors have no body; 503 is the rate limit. The shared key `public` is
 * nearly always over its limit and meant for trying things out, so a key of your own is needed. Free keys are for uses that are not
 * commercial (CC BY-NC-SA).
 */
import { own } from '../core/own-text.ts';
import { defineWebApi } from './kit/web-api.ts';

export const marginalia = defineWebApi({
  id: 'marginalia',
  title: own`Marginalia`,
  homepage: 'https://about.marginalia-search.com/article/api/',
  keys: 'required',
  keyVariable: own`MARGINALIA_API_KEY`,
  auth: { header: 'api-key' },
  baseUrl: 'https://api2.marginalia-search.com',
  paceMs: 1_000,
  creditPrice: 0,
  signals: [
    { means: 'upstream_authentication', status: 401, body: '' },
    { means: 'upstream_rate_limit', status: 503, body: '' },
  ],
  search: {
    method: 'GET',
    path: '/search',
    queryCharsMax: 1_000,
    pageMax: 100,
    takes: ['language', 'safeSearch'],
    send: ({ text, count, language, safeSearch }) => ({
      query: text,
      count,
      lang: language,
      nsfw: safeSearch === undefined ? undefined : safeSearch ? 1 : 0,
    }),
    list: 'results',
    fields: { url: 'url', title: 'title', snippet: 'description' },
    simulate: ({ sent, pages }) => ({
      license: 'CC-BY-NC-SA 4.0',
      query: sent['query'],
      results: pages(sent['query'], sent['count']).map(({ url, title, snippet }) => ({
        url,
        title,
        description: snippet,
        quality: 3.2,
      })),
    }),
  },
});
