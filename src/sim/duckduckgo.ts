import type { SimulatedPage } from '../providers/provider.ts';
import { hasNothing, numberFrom, pagesAbout } from './pseudo.ts';
import type { SimRequest, SimResponse, SimUpstream } from './upstream.ts';

/*
 * DuckDuckGo as it behaves, on the small web of pseudo.ts. Every query has 27 results on three pages: an advertisement first,
 * then the Next form with a vqd that is tied to query and User-Agent. A query can ask for a scenario of the upstream:
 *
 *   …noresult…     the no-result page          sim:challenge  202 with a challenge      sim:challenge200  the same with 200
 *   sim:refused    403                         sim:blank      200 without results       sim:redirect, !x  303
 *   sim:gone       500                         sim:busy       429, Retry-After: 2       sim:lastpage      one result, then EOF
 *   sim:page2      challenged on the second page
 */

const RESULTS = 27;
const PAGE = 10;

/** The HTML page without scripts, mounted as `duckduckgo`. */
export const duckduckgoSim: SimUpstream = {
  id: 'duckduckgo',
  handle(request) {
    if (!/^\/html\/?$/.test(request.url.pathname)) return undefined;
    const form = new URLSearchParams(request.method === 'POST' ? request.body : request.url.search);
    const query = form.get('q') ?? '';
    if (query === '')
      return html(200, '<title>DuckDuckGo</title><form action="/html/" method="post"></form>');
    return scenarioFor(query) ?? results(query, form, request);
  },
};

/**
 * The Instant Answer API, mounted as `duckduckgo-answer`. Definitions, calculations and disambiguations
 * follow the query.
 */
export const duckduckgoAnswerSim: SimUpstream = {
  id: 'duckduckgo-answer',
  handle(request) {
    if (request.url.pathname !== '/' && request.url.pathname !== '') return undefined;
    const query = request.url.searchParams.get('q') ?? '';
    if (query === 'sim:challenge') return html(202, '');
    return {
      status: 200,
      headers: { 'content-type': 'application/x-javascript' },
      body: JSON.stringify({ ...EMPTY_ANSWER, ...answerTo(query) }),
    };
  },
};

function scenarioFor(query: string): SimResponse | undefined {
  if (query.startsWith('sim:challenge')) return challenge(query === 'sim:challenge200' ? 200 : 202);
  if (query === 'sim:refused') {
    return html(
      403,
      '<a href="mailto:error-lite+1@duckduckgo.com?subject=Error getting results">email us</a>',
    );
  }
  if (query === 'sim:blank') return html(200, '<div></div>');
  if (query === 'sim:gone') return html(500, 'gone');
  if (query === 'sim:busy') return { ...html(429, 'busy'), headers: { 'retry-after': '2' } };
  if (query === 'sim:redirect' || /(^|\s)![a-z]/i.test(query.replace(/"[^"]*"/g, ''))) {
    return { status: 303, headers: { location: 'https://www.example.com/' }, body: '' };
  }
  return query.length > 499 ? html(414, 'too long') : undefined;
}

function results(query: string, form: URLSearchParams, request: SimRequest): SimResponse {
  const vqd = `4-${numberFrom(query + (request.headers['user-agent'] ?? ''))}`;
  const start = Number(form.get('s') ?? 0);
  // A request for a later page without the token of the first is treated as a robot.
  const robot = start > 0 && (form.get('vqd') !== vqd || query === 'sim:page2');
  if (robot || !Number.isInteger(start)) return challenge(202);
  if (hasNothing(query)) return html(200, list(noResult(`No results found for ${escape(query)}`)));
  const all = pagesAbout(query, query === 'sim:lastpage' ? 1 : RESULTS);
  const shown = all.slice(start, start + PAGE);
  const wrap = request.method === 'GET' ? wrapped : (url: string) => url;
  const rows = shown.map((page) => row(page, wrap(page.url))).join('');
  const more = start + PAGE < all.length;
  const end = more
    ? nextForm(query, start + PAGE, vqd, form.get('kl') ?? '')
    : row(EOF, EOF.url) + noResult('');
  return html(200, list((start === 0 ? ADVERTISEMENT : '') + rows + end));
}

const html = (status: number, body: string): SimResponse => ({
  status,
  headers: { 'content-type': 'text/html; charset=UTF-8' },
  body: `<!DOCTYPE html><html><body class="body--html">${body}</body></html>`,
});

const challenge = (status: number): SimResponse =>
  html(
    status,
    '<form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html&amp;cc=sre" method="POST"><div class="anomaly-modal__mask"><div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></div></form>',
  );

const list = (rows: string): string =>
  `<div class="serp__results"><div id="links" class="results">${rows}</div></div>`;

const row = (page: SimulatedPage, href: string): string =>
  `<div class="result results_links results_links_deep web-result "><div class="links_main links_deep result__body">
<h2 class="result__title"><a rel="nofollow" class="result__a" href="${escape(href)}">${escape(page.title)}</a></h2>
<div class="result__extras"><div class="result__extras__url"><a class="result__url" href="${escape(href)}">${escape(page.url)}</a>
${page.date === undefined ? '' : `<span>&nbsp; &nbsp; ${page.date.replace('Z', '.0000000')}</span>`}</div></div>
${page.snippet === '' ? '' : `<a class="result__snippet" href="${escape(href)}">${escape(page.snippet)}</a>`}</div></div>`;

const noResult = (words: string): string =>
  `<div class="result results_links web-result result--no-result"><div class="no-results">${words}</div></div>`;

const nextForm = (query: string, start: number, vqd: string, region: string): string => {
  const fields = {
    q: query,
    s: start,
    nextParams: '',
    v: 'l',
    o: 'json',
    dc: start + 1,
    api: 'd.js',
    vqd,
    kl: region,
  };
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escape(String(value))}" />`,
  );
  return `<div class="nav-link"><form action="/html/" method="post"><input type="submit" value="Next" />${inputs.join('')}</form></div>`;
};

const EOF: SimulatedPage = { url: 'http://www.google.com/search?hl=en&q=x', title: 'EOF', snippet: '' };

const ADVERTISEMENT =
  '<div class="result results_links results_links_deep result--ad "><h2 class="result__title"><a rel="nofollow" class="result__a" href="https://duckduckgo.com/y.js?ad_domain=ads.example&amp;ad_provider=bingv7aa">Advertisement</a></h2></div>';

const wrapped = (url: string): string => `//duckduckgo.com/l/?uddg=${encodeURIComponent(url)}&rut=00`;

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const EMPTY_ANSWER = {
  Abstract: '',
  AbstractSource: '',
  AbstractText: '',
  AbstractURL: '',
  Answer: '' as unknown,
  AnswerType: '',
  Definition: '',
  DefinitionSource: '',
  DefinitionURL: '',
  Entity: '',
  Heading: '',
  Image: '' as unknown,
  Infobox: '' as unknown,
  Redirect: '',
  RelatedTopics: [] as unknown[],
  Results: [] as unknown[],
  Type: '',
  meta: { id: 'just_another_test' } as unknown,
};

function answerTo(query: string): Partial<typeof EMPTY_ANSWER> {
  if (query === '' || hasNothing(query)) return {};
  const sum = /^(\d+)\s*\+\s*(\d+)$/.exec(query);
  if (sum !== null) {
    const result = Number(sum[1]) + Number(sum[2]);
    return { Answer: { from: 'calculator', result: String(result) }, AnswerType: 'calc', Type: 'E' };
  }
  if (query.startsWith('!')) return { Redirect: 'https://www.example.com/', Type: 'E' };
  const source = { Source: 'Example Wiki', URL: `https://wiki.example.org/${encodeURIComponent(query)}` };
  const word = /^define (.+)$/i.exec(query)?.[1];
  if (word !== undefined) {
    return {
      Definition: `${word}: a word.`,
      DefinitionSource: source.Source,
      DefinitionURL: source.URL,
      Heading: word,
    };
  }
  const topics = [topic(`${query} basics`, 'Where to begin.'), topic(`${query} tools`, 'What to use.')];
  if (query.endsWith('disambiguation')) {
    const grouped = { Name: 'More', Topics: topics };
    return {
      Heading: query,
      RelatedTopics: [...topics, grouped, { Name: 'Empty' }],
      Type: 'D',
      Image: 0,
      meta: null,
    };
  }
  return {
    Heading: query,
    Abstract: `${query} is a topic.`,
    AbstractText: `${query} is a topic of the small web.`,
    AbstractSource: source.Source,
    AbstractURL: source.URL,
    Image: '/i/0.png',
    Infobox: {
      content: [{ data_type: 'string', label: 'First seen', value: '2026', wiki_order: 0 }],
      meta: [],
    },
    RelatedTopics: topics,
    Results: [topic('Official site', '')],
    Type: 'A',
  };
}

function topic(title: string, words: string): unknown {
  const url = `https://duckduckgo.com/${encodeURIComponent(title.replaceAll(' ', '_'))}`;
  const rest = words === '' ? '' : ` - ${words}`;
  return {
    FirstURL: url,
    Icon: { Height: '', URL: '', Width: '' },
    Result: `<a href="${url}">${escape(title)}</a>${escape(rest)}`,
    Text: title + rest,
  };
}
