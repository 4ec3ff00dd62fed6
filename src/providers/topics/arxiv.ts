/*
 * arXiv's preprints, an Atom feed. What surprised us: an error is an entry titled "Error" with status 200; titles have line breaks;
 * one request in three seconds is the limit.
 */
import { own } from '../../core/own-text.ts';
import { textAt } from '../kit/json-path.ts';
import { textOfHtml } from '../kit/make-source.ts';
import { defineWebApi } from '../kit/web-api.ts';

const ID = /\b\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}(?:v\d+)?\b/;
const ENTRIES_MAX = 200;

export const arxiv = defineWebApi({
  id: 'arxiv',
  title: own`arXiv`,
  homepage: 'https://info.arxiv.org/help/api/user-manual.html',
  keys: 'none',
  baseUrl: 'https://export.arxiv.org',
  paceMs: 3_000,
  limits: [{ requests: 1, perMs: 3_000 }],
  creditPrice: 0,
  topic: {
    intents: ['science'],
    licence: own`CC0 metadata; thank arXiv for use of its open access interoperability`,
  },
  signals: [
    { means: 'upstream_rate_limit', status: 503, body: 'Rate exceeded.' },
    { means: 'upstream_rate_limit', status: 429, body: 'Rate exceeded.' },
  ],
  decode: readFeed,
  refusal: (answer) =>
    textAt(answer, 'entries.0.title') === 'Error'
      ? (textAt(answer, 'entries.0.summary') ?? 'Error')
      : undefined,
  search: {
    method: 'GET',
    path: '/api/query',
    headers: { accept: 'application/atom+xml' },
    queryCharsMax: 300,
    pageMax: 100,
    takes: [],
    domainsMax: 0,
    send: ({ text, count }) => {
      const id = ID.exec(text)?.[0];
      const words = text
        .match(/[\p{L}\p{N}:-]+/gu)
        ?.filter((word) => !/^(arxiv|papers?|and|or|the|of|on|in|for|about)$/i.test(word));
      const all = (words ?? []).map((word) => `all:"${word}"`).join(' AND ');
      return {
        ...(id === undefined ? { search_query: all || 'all:none' } : { id_list: id }),
        max_results: count,
      };
    },
    list: 'entries',
    fields: { url: 'id', title: 'title', snippet: 'summary', published: 'published' },
    simulate: ({ path, sent, pages }) => {
      const asked = String(sent['search_query'] ?? sent['id_list'])
        .replace(/all:| AND|"/g, ' ')
        .replace(/ {2,}/g, ' ')
        .trim();
      const entries = pages(asked, sent['max_results']).map(
        ({ url, title, snippet }) =>
          `<entry><id>${url.replaceAll('&', '&amp;')}</id><title>${title}</title><summary>${snippet}</summary></entry>`,
      );
      return path === '/api/query'
        ? `<feed xmlns="http://www.w3.org/2005/Atom">${entries.join('')}</feed>`
        : undefined;
    },
  },
});

/** The entries of an Atom feed; undefined when it is none. */
function readFeed(body: string): unknown {
  if (!/<feed[\s>][^]*<\/feed>/.test(body)) return undefined;
  const entries = [...body.matchAll(/<entry[\s>]([^]*?)<\/entry>/g)].slice(0, ENTRIES_MAX);
  const field = (entry: string, name: string): string =>
    textOfHtml(new RegExp(`<${name}(?:\\s[^>]*)?>([^]*?)</${name}>`).exec(entry)?.[1] ?? '').replace(
      /\s+/g,
      ' ',
    );
  return {
    entries: entries.map(([, entry = '']) =>
      Object.fromEntries(['id', 'title', 'summary', 'published'].map((name) => [name, field(entry, name)])),
    ),
  };
}
