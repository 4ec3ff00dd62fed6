/*
 * You.com. What surprised us: there is a keyless tier at another address, with about a hundred searches a day; news are a list of their
 * own that is there only sometimes; an error may be a field of a 200.
 */
import { own } from '../core/own-text.ts';
import { textAt } from './kit/json-path.ts';
import { defineWebApi } from './kit/web-api.ts';

const COUNTRIES =
  'ar au at be br ca cl dk fi fr de hk in id it jp kr my mx nl nz no cn pl pt ph ru sa za es se ch tw tr gb us';

export const youcom = defineWebApi({
  id: 'youcom',
  title: own`You.com`,
  homepage: 'https://you.com/platform',
  keys: 'optional',
  keyVariable: own`YDC_API_KEY`,
  auth: { header: 'x-api-key' },
  baseUrl: 'https://ydc-index.io',
  bases: { keyless_base_url: 'https://api.you.com' },
  paceMs: 100,
  // Of the keyless tier, for each address; the figure is reported by others, not published.
  limits: [{ requests: 100, perMs: 86_400_000, withKey: Infinity }],
  creditPrice: 5_000,
  unverified: own`the bodies of errors and the daily limit without a key`,
  refusal: (answer) => textAt(answer, 'error|error.message|error.detail'),
  signals: [
    { means: 'upstream_authentication', status: 401, body: { detail: 'Invalid API key' } },
    { means: 'upstream_quota', status: 402, body: { detail: 'Payment required' } },
    { means: 'upstream_rate_limit', status: 429, body: { detail: 'Too many requests' } },
  ],
  search: {
    path: (_query, key) => (key === undefined ? '/v1/agents/search' : '/v1/search'),
    base: (key) => (key === undefined ? 'keyless_base_url' : 'base_url'),
    needsKey: 'auto',
    // The keyless address has answered with a broken gzip.
    headers: { 'accept-encoding': 'identity' },
    queryCharsMax: 1_000,
    pageMax: 100,
    takes: [
      'country',
      'language',
      'safeSearch',
      'timeRange',
      'startDate',
      'endDate',
      'includeFavicon',
      'includeImages',
      'exactMatch',
    ],
    topics: ['news'],
    countries: COUNTRIES,
    domainsMax: 500,
    send: ({ query, text, count, country, language, safeSearch, range, start, end, include, exclude }) => {
      const isDated = query.startDate !== undefined || query.endDate !== undefined;
      return {
        query: text,
        count,
        freshness: isDated ? `${start ?? '1970-01-01'}to${end ?? query.today ?? start}` : range,
        country: country?.toUpperCase(),
        language: language?.toUpperCase(),
        safesearch: safeSearch === undefined ? undefined : safeSearch ? 'strict' : 'off',
        include_domains: include,
        exclude_domains: exclude,
      };
    },
    list: ({ topic }) => (topic === 'news' ? 'results.news+results.web' : 'results.web'),
    listMayMiss: 'metadata.search_uuid',
    fields: {
      url: 'url',
      title: 'title',
      snippet: 'snippets|description',
      published: 'page_age',
      favicon: 'favicon_url',
      image: 'thumbnail_url',
    },
    paging: { field: 'offset', first: 0, step: 1, last: 9 },
    simulate: ({ path, sent, pages }) => {
      if (!/^\/v1\/(agents\/)?search$/.test(path)) return undefined;
      const count = Number(sent['count'] ?? 10);
      const web = pages(sent['query'], count, Number(sent['offset'] ?? 0) * count);
      return {
        results: {
          web: web.map(({ url, title, snippet, date }) => ({
            url,
            title,
            description: title,
            snippets: [snippet],
            page_age: date?.replace('Z', ''),
          })),
        },
        metadata: { search_uuid: 'sim', query: sent['query'], latency: 0.1 },
      };
    },
  },
});
