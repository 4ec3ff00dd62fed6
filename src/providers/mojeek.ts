/*
 * Mojeek, an index of its own. What surprised us: errors are a `status` in a 200; `before` excludes its day; language and region are
 * boosts, not filters; only one site can be asked for.
 */
import { own } from '../core/own-text.ts';
import { at, textAt } from './kit/json-path.ts';
import { defineWebApi } from './kit/web-api.ts';

const BOOST = 100;
const DAY_MS = 86_400_000;

export const mojeek = defineWebApi({
  id: 'mojeek',
  title: own`Mojeek`,
  homepage: 'https://www.mojeek.com/services/search/web-search-api/',
  keys: 'required',
  keyVariable: own`MOJEEK_API_KEY`,
  auth: { query: 'api_key' },
  baseUrl: 'https://api.mojeek.com',
  paceMs: 250,
  // Plans differ; `credit_price` sets yours.
  creditPrice: 3_000,
  unverified: own`price, safe search and the form of errors`,
  refusal: (answer) => {
    const status = textAt(answer, 'response.status');
    return status === undefined || status === 'OK' ? undefined : status;
  },
  signals: [
    {
      means: 'upstream_authentication',
      status: 200,
      when: /\bkey\b/i,
      body: { response: { status: 'API key not valid' } },
    },
    { means: 'upstream_quota', status: 402, body: { response: { status: 'Plan exhausted' } } },
    { means: 'upstream_rate_limit', status: 429, body: { response: { status: 'Too many requests' } } },
  ],
  search: {
    method: 'GET',
    path: '/search',
    queryCharsMax: 1_000,
    pageMax: 10,
    takes: ['country', 'language', 'timeRange', 'startDate', 'endDate', 'exactMatch'],
    domainsMax: 1,
    send: ({ text, country, language, start, end, include }) => ({
      fmt: 'json',
      q: text,
      t: 10,
      site: include?.[0],
      since: start?.replaceAll('-', ''),
      before: end === undefined ? undefined : dayAfter(end).replaceAll('-', ''),
      lb: language?.toUpperCase(),
      lbb: language === undefined ? undefined : BOOST,
      rb: country?.toUpperCase(),
      rbb: country === undefined ? undefined : BOOST,
    }),
    list: 'response.results',
    isHtml: true,
    fields: { url: 'url', title: 'title', snippet: 'desc', published: 'date|timestamp' },
    paging: { field: 's', first: 1, step: 10 },
    simulate: ({ sent, pages }) => ({
      response: {
        status: 'OK',
        head: { query: at(sent, 'q'), start: sent['s'] ?? 1 },
        results: pages(sent['q'], sent['t'], Number(sent['s'] ?? 1) - 1).map(
          ({ url, title, snippet, date }) => ({
            url,
            title,
            desc: snippet,
            date: date?.slice(0, 10),
          }),
        ),
      },
    }),
  },
});

const dayAfter = (date: string): string => new Date(Date.parse(date) + DAY_MS).toISOString().slice(0, 10);
