/* Crossref: the metadata of scholarly works. Abstracts are JATS XML and may be the publisher's; lists are limited to one a second. */
import { own } from '../../core/own-text.ts';
import { at, textAt } from '../kit/json-path.ts';
import { defineWebApi } from '../kit/web-api.ts';

const DOI = /\b10\.\d{4,9}\/\S*[^\s.,;)]/;

export const crossref = defineWebApi({
  id: 'crossref',
  title: own`Crossref`,
  homepage: 'https://www.crossref.org/documentation/retrieve-metadata/rest-api/',
  keys: 'none',
  baseUrl: 'https://api.crossref.org',
  paceMs: 1_000,
  limits: [{ requests: 1, perMs: 1_000 }],
  creditPrice: 0,
  topic: {
    intents: ['science'],
    licence: own`facts without copyright; abstracts belong to their publishers`,
    needsContact: true,
  },
  signals: [
    { means: 'upstream_rate_limit', status: 429, body: 'Too many requests', headers: { 'retry-after': '5' } },
    { means: 'upstream_blocked', status: 403, body: 'Blocked' },
  ],
  search: {
    method: 'GET',
    path: '/works',
    queryCharsMax: 500,
    pageMax: 100,
    takes: ['timeRange', 'startDate', 'endDate'],
    domainsMax: 0,
    send: ({ text, count, start, end }, { contact }) => {
      const doi = DOI.exec(text)?.[0];
      const filter = [
        ...(doi === undefined ? [] : [`doi:${doi}`]),
        ...(start === undefined ? [] : [`from-pub-date:${start}`]),
        ...(end === undefined ? [] : [`until-pub-date:${end}`]),
      ];
      return {
        'query.bibliographic': doi === undefined ? text : undefined,
        filter: filter.length === 0 ? undefined : filter.join(','),
        rows: count,
        select: 'DOI,title,URL,abstract,container-title,published,type',
        mailto: contact?.includes('@') === true ? contact.replace(/^mailto:/, '') : undefined,
      };
    },
    list: 'message.items',
    isHtml: true,
    only: (row) => textAt(row, 'type') !== 'component',
    fields: { url: 'URL', title: 'title', snippet: 'about', published: 'date' },
    row: (row) => ({
      ...(row as object),
      about: textAt(row, 'abstract') ?? textAt(row, 'container-title'),
      date: dateOf(at(row, 'published.date-parts.0')),
    }),
    simulate: ({ path, sent, pages }) =>
      path === '/works'
        ? {
            status: 'ok',
            message: {
              items: pages(sent['query.bibliographic'] ?? sent['filter'], sent['rows']).map(
                ({ url, title, snippet, date }) => ({
                  URL: url,
                  title: [title],
                  abstract: `<jats:p>${snippet}</jats:p>`,
                  ...(date !== undefined && {
                    published: { 'date-parts': [date.slice(0, 10).split('-').map(Number)] },
                  }),
                  type: 'journal-article',
                }),
              ),
            },
          }
        : undefined,
  },
});

/** `[2026, 3, 2]` as a date; parts may be missing. */
function dateOf(parts: unknown): string | undefined {
  if (!Array.isArray(parts) || typeof parts[0] !== 'number') return undefined;
  const [year, month = 1, day = 1] = parts.map(Number);
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}
