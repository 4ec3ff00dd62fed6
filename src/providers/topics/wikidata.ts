/* Wikidata's entities by name, with labels in the language of the query. It finds the beginnings of labels, not words in texts. */
import { own } from '../../core/own-text.ts';
import { textAt } from '../kit/json-path.ts';
import { defineWebApi } from '../kit/web-api.ts';
import { mediaWikiRefusal, mediaWikiSignals, WIKIMEDIA_LIMITS } from './wikipedia.ts';

export const wikidata = defineWebApi({
  id: 'wikidata',
  title: own`Wikidata`,
  homepage: 'https://www.wikidata.org/wiki/Wikidata:Data_access',
  keys: 'none',
  baseUrl: 'https://www.wikidata.org',
  paceMs: 350,
  limits: WIKIMEDIA_LIMITS,
  creditPrice: 0,
  topic: {
    intents: ['encyclopaedia'],
    // Labels are short: a question is none.
    suits: (text) => text.trim().split(/\s+/).length <= 5,
    licence: own`CC0`,
    needsContact: true,
  },
  signals: mediaWikiSignals,
  refusal: mediaWikiRefusal,
  search: {
    method: 'GET',
    path: '/w/api.php',
    queryCharsMax: 250,
    pageMax: 50,
    takes: ['language'],
    domainsMax: 0,
    send: ({ text, count, language = 'en' }) => ({
      action: 'wbsearchentities',
      format: 'json',
      search: text,
      language,
      uselang: language,
      type: 'item',
      limit: count,
    }),
    list: 'search',
    fields: { url: 'url', title: 'label|id', snippet: 'description' },
    row: (row) => ({ ...(row as object), url: `https:${textAt(row, 'url') ?? ''}` }),
    simulate: ({ path, sent, pages }) =>
      path === '/w/api.php'
        ? {
            searchinfo: { search: sent['search'] },
            search: pages(sent['search'], sent['limit']).map(({ url, title, snippet }, index) => ({
              id: `Q${index + 1}`,
              url: url.replace(/^https?:/, ''),
              label: title,
              description: snippet,
            })),
            success: 1,
          }
        : undefined,
  },
});
