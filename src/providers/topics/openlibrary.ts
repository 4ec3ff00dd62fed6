/* Open Library: books and their editions. It can be slow; errors are web pages. */
import { own } from '../../core/own-text.ts';
import { numberAt, textAt } from '../kit/json-path.ts';
import { pageOn } from '../kit/make-source.ts';
import { defineWebApi } from '../kit/web-api.ts';

const ISBN = /\b(?:97[89][- ]?)?(?:\d[- ]?){9}[\dX]\b/i;

export const openlibrary = defineWebApi({
  id: 'openlibrary',
  title: own`Open Library`,
  homepage: 'https://openlibrary.org/developers/api',
  keys: 'none',
  baseUrl: 'https://openlibrary.org',
  paceMs: 1_000,
  limits: [{ requests: 1, perMs: 1_000 }],
  creditPrice: 0,
  topic: { intents: ['books'], licence: own`open data; credit Open Library` },
  signals: [
    { means: 'upstream_rate_limit', status: 429, body: '<html>Too many requests</html>' },
    { means: 'upstream_unavailable', status: 503, body: '<html>Unavailable</html>' },
  ],
  search: {
    method: 'GET',
    path: '/search.json',
    queryCharsMax: 300,
    pageMax: 100,
    takes: ['language'],
    domainsMax: 0,
    send: ({ text, count, language }) => {
      const isbn = ISBN.exec(text)?.[0]?.replace(/[- ]/g, '');
      return {
        q: isbn === undefined ? text : `isbn:${isbn}`,
        fields: 'key,title,author_name,first_publish_year,edition_count,first_sentence',
        limit: count,
        lang: language,
      };
    },
    list: 'docs',
    fields: { url: 'page', title: 'title', snippet: 'about' },
    row: (row) => {
      const year = numberAt(row, 'first_publish_year');
      const by = textAt(row, 'author_name')?.replaceAll('\n', ', ');
      const told = [
        by === undefined ? '' : `by ${by}`,
        year === undefined ? '' : `first published in ${year}`,
        `${numberAt(row, 'edition_count') ?? 1} editions`,
      ];
      return {
        title: textAt(row, 'title'),
        page: pageOn('https://openlibrary.org', textAt(row, 'key')),
        about: [told.filter(Boolean).join(', '), textAt(row, 'first_sentence')].filter(Boolean).join('. '),
      };
    },
    simulate: ({ path, sent, pages }) => {
      const docs = pages(sent['q'], sent['limit']).map(({ title }, index) => ({
        key: `/works/OL${index + 1}W`,
        title,
        author_name: ['R. Doe'],
        first_publish_year: 1999,
        edition_count: 3,
      }));
      return path === '/search.json' ? { numFound: docs.length, docs } : undefined;
    },
  },
});
