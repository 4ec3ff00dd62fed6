/* Semantic Scholar: papers with one-sentence summaries. Without a key all callers of the world share one limit, and 429 is usual. */
import { own } from '../../core/own-text.ts';
import { textAt } from '../kit/json-path.ts';
import { defineWebApi } from '../kit/web-api.ts';

export const semanticscholar = defineWebApi({
  id: 'semanticscholar',
  title: own`Semantic Scholar`,
  homepage: 'https://www.semanticscholar.org/product/api',
  keys: 'optional',
  keyVariable: own`SEMANTIC_SCHOLAR_API_KEY`,
  auth: { header: 'x-api-key' },
  baseUrl: 'https://api.semanticscholar.org',
  paceMs: 1_000,
  limits: [
    { requests: 1, perMs: 1_000 },
    { requests: 100, perMs: 300_000, withKey: 300 },
  ],
  creditPrice: 0,
  topic: {
    intents: ['science', 'medicine'],
    licence: own`ODC-BY; credit Semantic Scholar`,
    mustCredit: true,
  },
  signals: [
    { means: 'upstream_authentication', status: 403, body: { message: 'Forbidden' } },
    { means: 'upstream_quota', status: 402, body: { message: 'Payment required' } },
    { means: 'upstream_rate_limit', status: 429, body: { message: 'Too Many Requests.', code: '429' } },
  ],
  search: {
    method: 'GET',
    path: '/graph/v1/paper/search',
    queryCharsMax: 300,
    pageMax: 100,
    takes: ['timeRange', 'startDate', 'endDate'],
    domainsMax: 0,
    send: ({ text, count, start, end }) => ({
      query: text.replaceAll('-', ' '),
      fields: 'title,url,abstract,tldr,publicationDate,externalIds',
      limit: count,
      publicationDateOrYear:
        start === undefined && end === undefined ? undefined : `${start ?? ''}:${end ?? ''}`,
    }),
    list: 'data',
    listMayMiss: 'total',
    fields: { url: 'page', title: 'title', snippet: 'tldr.text|abstract', published: 'publicationDate' },
    row: (row) => {
      const doi = textAt(row, 'externalIds.DOI');
      const id = textAt(row, 'externalIds.ArXiv');
      const paper = id === undefined ? textAt(row, 'url') : `https://arxiv.org/abs/${id}`;
      return { ...(row as object), page: doi === undefined ? paper : `https://doi.org/${doi}` };
    },
    simulate: ({ path, sent, pages }) => {
      const found = pages(sent['query'], sent['limit']);
      return path === '/graph/v1/paper/search'
        ? {
            total: found.length,
            offset: 0,
            data: found.map(({ url, title, snippet, date }) => ({
              url,
              title,
              abstract: snippet,
              publicationDate: date?.slice(0, 10),
            })),
          }
        : undefined;
    },
  },
});
