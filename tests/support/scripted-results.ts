import { json, webPage, type SimUpstream } from '../../src/sim/upstream.ts';

export interface ScriptedResult {
  /** By default a page of the simulator itself, which holds the content. */
  url?: string;
  title: string;
  content: string;
}

/** Where the page of a result is; another content is another page. */
export const scriptedPage = (sim: string, index: number, { content }: ScriptedResult): string =>
  `${sim}/results/page/${content.length}/${index}`;

/**
 * A SearXNG that finds the same results whatever is asked, under `/results`, and their pages. The list may be changed between two calls.
 */
export const createScriptedResults = (results: ScriptedResult[]): SimUpstream => ({
  id: 'results',
  handle: ({ url, headers }) => {
    const page = results[Number(/\/page\/\d+\/(\d+)$/.exec(url.pathname)?.[1] ?? Number.NaN)];
    if (page !== undefined)
      return webPage(
        200,
        `<title>${page.title}</title><main><h1>${page.title}</h1><p>${page.content}</p></main>`,
      );
    return json(200, {
      results: results.map((one, index) => ({
        url: scriptedPage(`http://${headers['host'] ?? ''}`, index, one),
        ...one,
        engine: 'scripted',
        positions: [index + 1],
      })),
      unresponsive_engines: [],
    });
  },
});

/** The configuration that asks it and nobody else. */
export const scriptedResultsConfig = (sim: string): Record<string, unknown> => ({
  'providers.searxng.base_url': `${sim}/results`,
  'providers.searxng.pace_ms': 0,
  'providers.duckduckgo.enabled': false,
  'search.provider': 'searxng',
  'guard.allow': ['127.0.0.1'],
  'guard.ports': [Number(new URL(sim).port)],
});
