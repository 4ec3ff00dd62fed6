import type { ExtractOutput } from '../../contract/extract.ts';
import type { SearchOutput } from '../../contract/search.ts';
import { LIMITS } from '../../core/limits.ts';
import { redact } from '../../core/log.ts';
import { extractWire } from '../tavily/extract.ts';
import type { WireDoor } from './wire-door.ts';

/** Open WebUI's external search: a bare list of links. Failures are Tavily's, as it only logs their status. */
export const openWebuiSearch: WireDoor = {
  name: 'search',
  api: 'Open WebUI',
  routes: [{ method: 'POST', path: '/open-webui/search' }],
  decode: ({ query, count }) => ({
    query,
    ...(typeof count === 'number' ? { max_results: Math.min(count, LIMITS.resultsMax) } : {}),
  }),
  encode: ({ results }: SearchOutput) =>
    results.map(({ url, title, content }) => ({ link: url, title, snippet: content })),
};

/** Open WebUI's external loader: a document for each address, empty where the page could not be read. */
export const openWebuiLoader: WireDoor = {
  ...extractWire,
  name: 'extract',
  api: 'Open WebUI',
  routes: [{ method: 'POST', path: '/open-webui/loader' }],
  encode: ({ results, failed_results: failed }: ExtractOutput) => [
    ...results.map((page) => ({
      page_content: page.raw_content,
      metadata: {
        source: page.url,
        title: page.title,
        ...(page.description === undefined ? {} : { description: page.description }),
        ...(page.language === undefined ? {} : { language: page.language }),
        trust: page.trust,
      },
    })),
    ...failed.map(({ url, error }) => ({ page_content: '', metadata: { source: redact(url), error } })),
  ],
};
