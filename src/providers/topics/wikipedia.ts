/*
 * Wikipedia in the language of the query. What surprised us: results come ordered by page ID, `index` has the rank; without results
 * `query` is missing; errors come with status 200; a User-Agent without a contact gets a tenth of the limit, a library's default none.
 */
import { own } from '../../core/own-text.ts';
import { numberAt, textAt } from '../kit/json-path.ts';
import { defineWebApi } from '../kit/web-api.ts';
import type { SearchQuery } from '../../core/query.ts';
import { languageCode } from '../kit/wanted.ts';
import type { PublishedLimit, Signal } from '../provider.ts';

/** With a User-Agent that names a contact. */
export const WIKIMEDIA_LIMITS: readonly PublishedLimit[] = [{ requests: 200, perMs: 60_000 }];

/** Wikimedia's APIs report errors in answers with status 200. */
export const mediaWikiSignals: readonly Signal[] = [
  {
    means: 'upstream_rate_limit',
    status: 200,
    when: /ratelimited|maxlag/,
    body: { error: { code: 'ratelimited', info: 'You have exceeded your rate limit.' } },
  },
  { means: 'upstream_rate_limit', status: 429, body: 'Too many requests' },
  { means: 'upstream_blocked', status: 403, body: 'Please set a user-agent with a contact.' },
];

export const mediaWikiRefusal = (answer: unknown): string | undefined => textAt(answer, 'error.code');

export const wikipedia = defineWebApi({
  id: 'wikipedia',
  title: own`Wikipedia`,
  homepage: 'https://www.mediawiki.org/wiki/API:Etiquette',
  keys: 'none',
  baseUrl: 'https://wikipedia.org',
  paceMs: 350,
  limits: WIKIMEDIA_LIMITS,
  creditPrice: 0,
  topic: {
    intents: ['encyclopaedia', 'medicine', 'books'],
    licence: own`CC BY-SA 4.0; credit Wikipedia and link the page`,
    mustCredit: true,
    needsContact: true,
  },
  signals: mediaWikiSignals,
  refusal: mediaWikiRefusal,
  search: {
    method: 'GET',
    path: '/w/api.php',
    place: toLanguage,
    queryCharsMax: 300,
    pageMax: 20,
    takes: ['language'],
    domainsMax: 0,
    send: ({ text, count }) => ({
      action: 'query',
      format: 'json',
      formatversion: 2,
      generator: 'search',
      gsrsearch: text,
      gsrlimit: count,
      prop: 'extracts|info',
      exintro: 1,
      explaintext: 1,
      exlimit: 'max',
      inprop: 'url',
      redirects: 1,
      maxlag: 5,
    }),
    list: 'query.pages',
    listMayMiss: 'batchcomplete',
    order: (row) => numberAt(row, 'index') ?? 0,
    fields: { url: 'fullurl', title: 'title', snippet: 'extract' },
    paging: { field: 'gsroffset', first: 0, step: 'count', more: 'continue' },
    simulate: ({ path, sent, pages }) => {
      if (path !== '/w/api.php') return undefined;
      const from = Number(sent['gsroffset'] ?? 0);
      const found = pages(sent['gsrsearch'], sent['gsrlimit'], from).map(
        ({ url, title, snippet }, index) => ({
          pageid: 9_000 - index,
          title,
          index: from + index + 1,
          extract: snippet,
          fullurl: url,
        }),
      );
      if (found.length === 0) return { batchcomplete: true };
      return { continue: { gsroffset: from + found.length }, query: { pages: found.toReversed() } };
    },
  },
});

/** Each language has a host of its own; a server that somebody else runs stays as it is. */
function toLanguage(url: URL, { language }: SearchQuery): void {
  if (url.hostname === 'wikipedia.org') url.hostname = `${languageCode(language) ?? 'en'}.wikipedia.org`;
}
