/* Hacker News through Algolia: stories, with the page that they link to. The terms allow the API only, and no copies of the whole. */
import { own } from '../../core/own-text.ts';
import { numberAt, textAt } from '../kit/json-path.ts';
import { defineWebApi } from '../kit/web-api.ts';

export const hackernews = defineWebApi({
  id: 'hackernews',
  title: own`Hacker News`,
  homepage: 'https://hn.algolia.com/api',
  keys: 'none',
  baseUrl: 'https://hn.algolia.com',
  paceMs: 100,
  limits: [{ requests: 10_000, perMs: 3_600_000 }],
  creditPrice: 0,
  topic: { intents: ['software', 'security'], licence: own`of its authors; link the story` },
  signals: [
    { means: 'upstream_rate_limit', status: 429, body: { message: 'Too many requests', status: 429 } },
  ],
  search: {
    method: 'GET',
    path: '/api/v1/search',
    queryCharsMax: 500,
    pageMax: 50,
    takes: ['timeRange', 'startDate', 'endDate'],
    domainsMax: 0,
    send: ({ text, count, start, end }) => {
      const filters = [
        ...(start === undefined ? [] : [`created_at_i>=${Date.parse(start) / 1_000}`]),
        ...(end === undefined ? [] : [`created_at_i<${Date.parse(end) / 1_000 + 86_400}`]),
      ];
      const numericFilters = filters.length === 0 ? undefined : filters.join(',');
      return { query: text, tags: 'story', hitsPerPage: count, numericFilters };
    },
    list: 'hits',
    isHtml: true,
    fields: { url: 'page', title: 'title', snippet: 'text', published: 'created_at' },
    row: (row) => ({
      ...(row as object),
      page: textAt(row, 'url') ?? `https://news.ycombinator.com/item?id=${textAt(row, 'objectID') ?? ''}`,
      text:
        textAt(row, 'story_text') ??
        `${numberAt(row, 'points') ?? 0} points, ${numberAt(row, 'num_comments') ?? 0} comments on Hacker News`,
    }),
    simulate: ({ path, sent, pages }) => {
      const hits = pages(sent['query'], sent['hitsPerPage']).map(({ url, title, date }, index) => ({
        objectID: String(41_000_000 + index),
        title,
        url,
        points: 120 - index,
        num_comments: 45,
        created_at: date,
      }));
      return path === '/api/v1/search' ? { hits, nbHits: hits.length } : undefined;
    },
  },
});
