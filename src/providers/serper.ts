/*
 * Serper: Google's results. What surprised us: a bad key is 403, an empty account 400; there are no headers about limits; Google gives
 * about ten results per page whatever `num` says, and more than ten cost two credits.
 */
import { own } from '../core/own-text.ts';
import { GOOGLE_TAKES, googleDates, googleQuery } from './kit/google.ts';
import { defineWebApi } from './kit/web-api.ts';

export const serper = defineWebApi({
  id: 'serper',
  title: own`Serper`,
  homepage: 'https://serper.dev',
  keys: 'required',
  keyVariable: own`SERPER_API_KEY`,
  auth: { header: 'x-api-key' },
  baseUrl: 'https://google.serper.dev',
  paceMs: 20,
  creditPrice: 1_000,
  signals: [
    { means: 'upstream_authentication', status: 403, body: { message: 'Unauthorized.', statusCode: 403 } },
    {
      means: 'upstream_quota',
      status: 400,
      when: /not enough credits/i,
      body: { message: 'Not enough credits', statusCode: 400 },
    },
    { means: 'upstream_rate_limit', status: 429, body: { message: 'Too many requests', statusCode: 429 } },
  ],
  search: {
    path: ({ topic }) => (topic === 'news' ? '/news' : '/search'),
    queryCharsMax: 2_000,
    queryWordsMax: 32,
    pageMax: 10,
    takes: GOOGLE_TAKES,
    topics: ['news'],
    send: (wanted) => ({
      ...googleQuery(wanted),
      num: 10,
      tbs: googleDates(wanted),
    }),
    list: 'organic|news',
    listMayMiss: 'searchParameters',
    fields: { url: 'link', title: 'title', snippet: 'snippet', published: 'date', image: 'imageUrl' },
    paging: { field: 'page', first: 1, step: 1 },
    simulate: ({ path, sent, pages }) => {
      const found = pages(sent['q'], 10, (Number(sent['page'] ?? 1) - 1) * 10);
      const rows = found.map(({ url, title, snippet }, index) => ({
        title,
        link: url,
        snippet,
        position: index + 1,
      }));
      return { searchParameters: sent, [path === '/news' ? 'news' : 'organic']: rows, credits: 1 };
    },
  },
});
