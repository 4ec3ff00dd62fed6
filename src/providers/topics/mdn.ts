/* MDN's own search of its web documentation: ten results a page, ten pages, no promise that it stays. */
import { own } from '../../core/own-text.ts';
import { textAt } from '../kit/json-path.ts';
import { pageOn } from '../kit/make-source.ts';
import { defineWebApi } from '../kit/web-api.ts';

const LOCALES: Record<string, string> = {
  de: 'de',
  es: 'es',
  fr: 'fr',
  ja: 'ja',
  ko: 'ko',
  pt: 'pt-BR',
  ru: 'ru',
  zh: 'zh-CN',
};

export const mdn = defineWebApi({
  id: 'mdn',
  title: own`MDN`,
  homepage: 'https://developer.mozilla.org',
  keys: 'none',
  baseUrl: 'https://developer.mozilla.org',
  paceMs: 1_000,
  limits: [{ requests: 60, perMs: 60_000 }],
  creditPrice: 0,
  topic: {
    intents: ['programming'],
    suits: (text) =>
      /\b(css|html|javascript|js|dom|svg|fetch|http|cors|cookie|websocket|canvas|flexbox|grid|selector|promise|async|wasm|webgl|array|typescript)\b/i.test(
        text,
      ),
    licence: own`CC BY-SA 2.5; credit MDN contributors`,
    mustCredit: true,
  },
  signals: [{ means: 'upstream_rate_limit', status: 429, body: 'Too many requests' }],
  search: {
    method: 'GET',
    path: '/api/v1/search',
    queryCharsMax: 200,
    pageMax: 10,
    takes: ['language'],
    domainsMax: 0,
    send: ({ text, language = 'en' }) => ({ q: text, sort: 'best', locale: LOCALES[language] ?? 'en-US' }),
    list: 'documents',
    fields: { url: 'page', title: 'title', snippet: 'summary' },
    row: (row) => ({
      ...(row as object),
      page: pageOn('https://developer.mozilla.org', textAt(row, 'mdn_url')),
    }),
    paging: { field: 'page', first: 1, step: 1, last: 10 },
    simulate: ({ path, sent, pages }) =>
      path === '/api/v1/search'
        ? {
            documents: pages(sent['q'], 10, (Number(sent['page'] ?? 1) - 1) * 10).map(
              ({ url, title, snippet }) => ({
                mdn_url: `/en-US/docs/${encodeURIComponent(url)}`,
                title,
                summary: snippet,
              }),
            ),
            metadata: { size: 10 },
          }
        : undefined,
  },
});
