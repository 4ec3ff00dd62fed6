/*
 * Exa: search and the text of pages. What surprised us: without `contents` results have no text at all; error tags are open-ended, so
 * that only the status counts; `costDollars` is the exact charge, which grows with the number of results.
 */
import { own } from '../core/own-text.ts';
import { creditsAt } from './kit/json-path.ts';
import { defineWebApi } from './kit/web-api.ts';

/** A credit is a tenth of a cent. */
const SEARCH_CREDITS = 7;
const RESULTS_INCLUDED = 10;

export const exa = defineWebApi({
  id: 'exa',
  title: own`Exa`,
  homepage: 'https://exa.ai',
  keys: 'required',
  keyVariable: own`EXA_API_KEY`,
  auth: { header: 'x-api-key' },
  baseUrl: 'https://api.exa.ai',
  choices: { type: ['auto', 'fast', 'instant', 'neural', 'keyword'] },
  paceMs: 100,
  creditPrice: 1_000,
  signals: [
    {
      means: 'upstream_authentication',
      status: 401,
      body: { error: 'Invalid API key', tag: 'INVALID_API_KEY' },
    },
    { means: 'upstream_quota', status: 402, body: { error: 'No credits left', tag: 'NO_MORE_CREDITS' } },
    { means: 'upstream_rate_limit', status: 429, body: { error: 'Too many requests' } },
  ],
  search: {
    path: '/search',
    queryCharsMax: 2_000,
    pageMax: 100,
    takes: ['country', 'safeSearch', 'timeRange', 'startDate', 'endDate', 'includeImages', 'includeFavicon'],
    topics: ['news', 'finance'],
    domainsMax: 1_000,
    supports: ['includeRawContent'],
    send: ({ text, count, topic, country, safeSearch, start, end, include, exclude, query }, { type }) => ({
      query: text,
      numResults: count,
      type,
      category: topic === 'general' ? undefined : topic === 'news' ? 'news' : 'financial report',
      includeDomains: include,
      excludeDomains: exclude,
      startPublishedDate: start === undefined ? undefined : `${start}T00:00:00.000Z`,
      endPublishedDate: end === undefined ? undefined : `${end}T23:59:59.999Z`,
      userLocation: country?.toUpperCase(),
      moderation: safeSearch,
      contents: { highlights: true, ...(query.includeRawContent !== undefined && { text: true }) },
    }),
    list: 'results',
    fields: {
      url: 'url',
      title: 'title',
      snippet: 'highlights|text|summary',
      content: 'text',
      published: 'publishedDate',
      favicon: 'favicon',
      image: 'image',
    },
    cost: ({ resultsMax }) => SEARCH_CREDITS + Math.max(0, Math.min(100, resultsMax) - RESULTS_INCLUDED),
    credits: (answer) => creditsAt(answer, 'costDollars.total'),
    simulate: ({ sent, pages }) => ({
      requestId: 'sim',
      results: pages(sent['query'], sent['numResults']).map(({ url, title, snippet, date }) => ({
        id: url,
        url,
        title,
        publishedDate: date ?? null,
        highlights: [snippet],
      })),
      costDollars: { total: 0.007 },
    }),
  },
  extract: {
    path: '/contents',
    urlsMax: 100,
    send: ({ urls }) => ({ urls, text: true }),
    list: 'results',
    fields: { url: 'url', title: 'title', content: 'text', published: 'publishedDate', favicon: 'favicon' },
    failed: { list: 'statuses', url: 'id', status: 'error.httpStatusCode' },
    simulate: ({ sent, read }) => {
      const urls = [sent['urls']].flat().map(String);
      return {
        results: urls.flatMap((url) => (read(url) === undefined ? [] : [{ url, ...read(url) }])),
        statuses: urls.map((id) => ({
          id,
          ...(read(id) === undefined
            ? { status: 'error', error: { tag: 'CRAWL_NOT_FOUND', httpStatusCode: 404 } }
            : { status: 'success' }),
        })),
        costDollars: { total: urls.length / 1_000 },
      };
    },
  },
});
