/*
 * Firecrawl v2: search and scrape. What surprised us: it works without a key, with a daily limit for each address, but not with an empty
 * header; a page that answers 404 is a success with `metadata.statusCode`; news have a `snippet`, web pages a `description`.
 */
import { own } from '../core/own-text.ts';
import { googleDates } from './kit/google.ts';
import { at, numberAt, textAt } from './kit/json-path.ts';
import { defineWebApi } from './kit/web-api.ts';

const refused = (error: string) => ({ success: false, error });

export const firecrawl = defineWebApi({
  id: 'firecrawl',
  title: own`Firecrawl`,
  homepage: 'https://www.firecrawl.dev',
  keys: 'optional',
  keyVariable: own`FIRECRAWL_API_KEY`,
  keyPrefix: own`fc-`,
  auth: { header: 'authorization', scheme: 'Bearer' },
  baseUrl: 'https://api.firecrawl.dev',
  paceMs: 600,
  // Of the smallest plan; larger ones are cheaper.
  creditPrice: 5_000,
  refusal: (answer) => (at(answer, 'success') === false ? (textAt(answer, 'error') ?? 'error') : undefined),
  signals: [
    { means: 'upstream_authentication', status: 401, body: refused('Unauthorized: Invalid token') },
    { means: 'upstream_quota', status: 402, body: refused('Payment Required: Insufficient credits') },
    {
      means: 'upstream_rate_limit',
      status: 429,
      body: refused('Rate limit exceeded.'),
      headers: { 'retry-after': '6' },
    },
  ],
  search: {
    path: '/v2/search',
    needsKey: 'auto',
    queryCharsMax: 500,
    pageMax: 100,
    takes: ['country', 'safeSearch', 'timeRange', 'startDate', 'endDate', 'includeImages', 'exactMatch'],
    topics: ['news'],
    domainsMax: 100,
    domainsEither: true,
    send: (wanted) => ({
      query: wanted.text,
      limit: wanted.count,
      sources: [wanted.isNews ? 'news' : 'web'],
      includeDomains: wanted.include,
      excludeDomains: wanted.exclude,
      tbs: googleDates(wanted),
      country: wanted.country?.toUpperCase(),
      safe: wanted.safeSearch,
    }),
    list: 'data.web|data.news',
    listMayMiss: 'success',
    fields: {
      url: 'url',
      title: 'title',
      snippet: 'description|snippet',
      published: 'date',
      image: 'imageUrl',
    },
    cost: ({ resultsMax }) => 2 * Math.max(1, Math.ceil(Math.min(100, resultsMax) / 10)),
    credits: (answer) => numberAt(answer, 'creditsUsed'),
    simulate: ({ sent, pages }) => ({
      success: true,
      data: {
        [String([sent['sources']].flat()[0])]: pages(sent['query'], sent['limit']).map((page, index) => ({
          url: page.url,
          title: page.title,
          description: page.snippet,
          position: index + 1,
        })),
      },
      creditsUsed: 2,
    }),
  },
  extract: {
    path: '/v2/scrape',
    urlsMax: 1,
    send: ({ urls, timeoutMs }) => ({
      url: urls[0],
      formats: ['markdown'],
      onlyMainContent: true,
      timeout: timeoutMs === undefined ? undefined : Math.min(300_000, Math.max(1_000, timeoutMs)),
    }),
    fields: {
      title: 'data.metadata.title',
      snippet: 'data.metadata.description',
      content: 'data.markdown',
      published: 'data.metadata.publishedTime',
      favicon: 'data.metadata.favicon',
      image: 'data.metadata.ogImage',
    },
    pageStatus: 'data.metadata.statusCode',
    simulate: ({ sent, read }) => {
      const page = read(sent['url']);
      const metadata = {
        title: page?.title,
        sourceURL: sent['url'],
        statusCode: page === undefined ? 404 : 200,
      };
      return { success: true, data: { markdown: page?.text ?? 'Not found', metadata } };
    },
  },
});
