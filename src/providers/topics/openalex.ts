/*
 * OpenAlex: scholarly works of all fields. What surprised us: abstracts come as an index from words to positions; without a key a day has
 * about a hundred searches, and a used-up day is 429.
 */
import { own } from '../../core/own-text.ts';
import { at } from '../kit/json-path.ts';
import { defineWebApi } from '../kit/web-api.ts';

const DAY_MS = 86_400_000;
const WORDS_MAX = 400;

export const openalex = defineWebApi({
  id: 'openalex',
  title: own`OpenAlex`,
  homepage: 'https://developers.openalex.org',
  keys: 'optional',
  keyVariable: own`OPENALEX_API_KEY`,
  auth: { query: 'api_key' },
  baseUrl: 'https://api.openalex.org',
  paceMs: 100,
  limits: [{ requests: 100, perMs: DAY_MS, withKey: 1_000 }],
  creditPrice: 0,
  topic: { intents: ['science', 'medicine'], licence: own`CC0` },
  signals: [
    {
      means: 'upstream_authentication',
      status: 401,
      body: { error: 'Invalid API key', message: 'Not known.' },
    },
    {
      means: 'upstream_quota',
      status: 429,
      when: /budget|daily|credits/i,
      body: { error: 'Rate limit exceeded', message: 'The daily budget is used up.' },
    },
    {
      means: 'upstream_rate_limit',
      status: 429,
      body: { error: 'Rate limit exceeded', message: 'Slow down.' },
    },
    { means: 'upstream_rate_limit', status: 403, body: { error: 'Too fast', message: 'Slow down.' } },
  ],
  search: {
    method: 'GET',
    path: '/works',
    queryCharsMax: 500,
    pageMax: 100,
    takes: ['timeRange', 'startDate', 'endDate'],
    domainsMax: 0,
    send: ({ text, count, start, end }) => {
      const filter = [
        ...(start === undefined ? [] : [`from_publication_date:${start}`]),
        ...(end === undefined ? [] : [`to_publication_date:${end}`]),
      ];
      return {
        search: text,
        filter: filter.length === 0 ? undefined : filter.join(','),
        per_page: count,
        select: 'id,doi,display_name,publication_date,primary_location,abstract_inverted_index',
      };
    },
    list: 'results',
    fields: {
      url: 'primary_location.landing_page_url|doi|id',
      title: 'display_name',
      snippet: 'about',
      published: 'publication_date',
    },
    row: (row) => ({ ...(row as object), about: abstractOf(at(row, 'abstract_inverted_index')) }),
    simulate: ({ path, sent, pages }) => {
      const found = pages(sent['search'], sent['per_page']);
      return path === '/works'
        ? {
            meta: { count: found.length },
            results: found.map(({ url, title, snippet, date }) => ({
              id: url,
              display_name: title,
              publication_date: date?.slice(0, 10),
              abstract_inverted_index: { [snippet]: [0] },
            })),
          }
        : undefined;
    },
  },
});

/** The abstract that an index from words to positions stands for. */
function abstractOf(index: unknown): string | undefined {
  if (typeof index !== 'object' || index === null) return undefined;
  const placed = Object.entries(index).flatMap(([word, places]) =>
    Array.isArray(places)
      ? places.flatMap((place) => (typeof place === 'number' ? [[place, word] as const] : []))
      : [],
  );
  return placed
    .sort(([a], [b]) => a - b)
    .slice(0, WORDS_MAX)
    .map(([, word]) => word)
    .join(' ');
}
