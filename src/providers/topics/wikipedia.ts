/*
 * Wikipedia in the language of the query. What surprised us: results come ordered by page ID, `index` has the rank; without results
 * `query` is missing; errors come with status 200; a User-Agent without a contact gets a tenth of the limit, a library's default none.
 */
import { own } from '../../core/own-text.ts';
import { numberAt } from '../kit/json-path.ts';
import { defineWebApi } from '../kit/web-api.ts';
import { mediaWikiRefusal, mediaWikiSignals, toLanguage, WIKIMEDIA_LIMITS } from './mediawiki.ts';

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
