import { json, webPage, type SimResponse, type SimUpstream } from './upstream.ts';
import { hasNothing, pagesAbout } from './pseudo.ts';

/*
 * A SearXNG with JSON switched on and 35 results per query in pages of ten. A query can ask for a scenario:
 *
 *   …noresult…    no results, all engines well        sim:engines  no results, engines silent      sim:some    results, one engine silent
 *   sim:jsonoff   403, as with JSON switched off      sim:limiter  429                             sim:error   500
 *   !!x           302 to another site
 */
const RESULTS = 35;
const PAGE = 10;
const SILENT = [
  ['duckduckgo', 'CAPTCHA'],
  ['google', 'timeout'],
];

export const searxngSim: SimUpstream = {
  id: 'searxng',
  handle({ method, url, body }) {
    if (url.pathname !== '/search' && url.pathname !== '/') return undefined;
    const parameters = method === 'POST' ? new URLSearchParams(body) : url.searchParams;
    const query = parameters.get('q') ?? '';
    const page = Number(parameters.get('pageno') ?? 1);
    if (parameters.get('format') !== 'json') return webPage(200, '<div id="results"></div>');
    if (query === '') return json(400, { error: 'No query' });
    if (!Number.isInteger(page) || page < 1) return json(400, { error: 'Invalid value "pageno"' });
    return scenarioFor(query) ?? results(query, page);
  },
};

function scenarioFor(query: string): SimResponse | undefined {
  if (query === 'sim:jsonoff') return webPage(403, '<h1>Forbidden</h1>');
  if (query === 'sim:limiter') return { status: 429, headers: {}, body: 'Too Many Requests' };
  if (query === 'sim:error') return json(500, { error: 'search error' });
  if (/(^|\s)!!\S/.test(query))
    return { status: 302, headers: { location: 'https://www.example.com/' }, body: '' };
  return undefined;
}

function results(query: string, page: number): SimResponse {
  const none = hasNothing(query) || query === 'sim:engines';
  const shown = none ? [] : pagesAbout(query, RESULTS).slice((page - 1) * PAGE, page * PAGE);
  return json(200, {
    query,
    results: shown.map((one, index) => ({
      url: one.url,
      title: one.title,
      content: one.snippet,
      engine: 'simulated',
      engines: ['simulated'],
      template: 'default.html',
      positions: [index + 1],
      score: 6 / (index + 1),
      category: 'general',
      publishedDate: one.date?.replace('Z', '') ?? null,
      thumbnail: '',
    })),
    answers: [],
    corrections: [],
    infoboxes: [],
    suggestions: [],
    unresponsive_engines: query === 'sim:engines' ? SILENT : query === 'sim:some' ? SILENT.slice(0, 1) : [],
  });
}
