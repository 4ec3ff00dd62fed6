/*
 * Microsoft Web IQ, the successor of Bing's search API. What surprised us: passages were once a list of objects and are a text now; the
 * wait of a rate limit is in the body; there are no dates to ask for.
 */
import { own } from '../core/own-text.ts';
import { defineWebApi } from './kit/web-api.ts';

const PASSAGE_CHARS = 1_000;
const refused = (errorCode: string, userMessage: string) => ({ errorCode, userMessage, traceId: 'sim' });

export const webiq = defineWebApi({
  id: 'webiq',
  title: own`Web IQ`,
  homepage: 'https://learn.microsoft.com/web-iq',
  keys: 'required',
  keyVariable: own`WEBIQ_API_KEY`,
  auth: { header: 'x-apikey' },
  baseUrl: 'https://api.microsoft.ai/v3',
  paceMs: 100,
  // Its price depends on the contract; `credit_price` sets it.
  creditPrice: 0,
  unverified: own`price; filters by domain`,
  signals: [
    { means: 'upstream_authentication', status: 401, body: refused('Unauthorized', 'The key is not valid.') },
    { means: 'upstream_quota', status: 402, body: refused('PaymentRequired', 'The quota is used up.') },
    {
      means: 'upstream_rate_limit',
      status: 429,
      body: { ...refused('TooManyRequests', 'Rate limit exceeded.'), retryAfter: 5 },
    },
  ],
  search: {
    path: ({ topic }) => (topic === 'news' ? '/search/news' : '/search/web'),
    queryCharsMax: 1_000,
    pageMax: 50,
    takes: ['country', 'language', 'safeSearch', 'exactMatch'],
    topics: ['news'],
    send: ({ text, count, country, language, safeSearch }) => ({
      query: text,
      maxResults: count,
      maxLength: PASSAGE_CHARS,
      language,
      region: country?.toUpperCase(),
      safeSearch: safeSearch === undefined ? undefined : safeSearch ? 'strict' : 'off',
    }),
    list: 'webResults|newsResults',
    fields: { url: 'url', title: 'title', snippet: 'content|content.0.text', published: 'lastUpdatedAt' },
    simulate: ({ path, sent, pages }) => ({
      [path === '/search/news' ? 'newsResults' : 'webResults']: pages(sent['query'], sent['maxResults']).map(
        ({ url, title, snippet, date }) => ({ title, url, content: snippet, lastUpdatedAt: date }),
      ),
      riskLevel: 'low',
      traceId: 'sim',
    }),
  },
});
