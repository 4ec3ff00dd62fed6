import type { SimRequest, SimResponse, SimUpstream } from './upstream.ts';

/*
 * A small web: `/web/<site>/…`. Three sites about one valley, linked with each other, with a sitemap, a robots.txt and a few
 * pages that misbehave. Everything is written here, so a test can say what it must find.
 */

const paragraph = (topic: string, fact: string): string =>
  `<p>${fact}</p><p>${topic} is described on this page in some detail, because a page with a single sentence is hardly a page. ` +
  `Readers who want more follow the links below; readers who want less can stop after the first paragraph, where the fact stands.</p>`;

interface Page {
  title: string;
  body: string;
  links: string[];
}

const PAGES: Record<string, Page> = {
  '/': {
    title: 'The Valley',
    body: paragraph('The valley', 'The valley is 42 kilometres long and has one river.'),
    links: ['/river', '/mill', '/private/diary', '/mill?utm_source=x'],
  },
  '/river': {
    title: 'The River',
    body: paragraph('The river', 'The river rises at 1,830 metres and carries most water in May.'),
    links: ['/', '/river/gate', '/history'],
  },
  '/river/gate': {
    title: 'The Headgate',
    body: paragraph(
      'The headgate',
      'The headgate was built in 1911 and lets 12 cubic metres per second into the canal.',
    ),
    links: ['/river'],
  },
  '/mill': {
    title: 'The Mill',
    body: paragraph('The mill', 'The mill has ground wheat since 1742 and is run by the Aldana family.'),
    links: ['/', '/river', '/broken'],
  },
  '/history': {
    title: 'History',
    body: paragraph('History', 'The first canal was dug in 1788, long before the headgate.'),
    links: ['/river/gate', '/mill'],
  },
  '/private/diary': { title: 'Diary', body: paragraph('The diary', 'Nobody may read this.'), links: [] },
};

const page = (base: string, { title, body, links }: Page): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title><meta name="description" content="About ${title.toLowerCase()}."></head>` +
  `<body><nav>${links.map((link) => `<a href="${base}${link}">${link}</a>`).join(' ')}</nav><main><article><h1>${title}</h1>${body}</article></main></body></html>`;

const DRAWN_TEXT =
  'The weir was raised by forty centimetres in 1934, and since then the upper meadows have been under water every spring. ' +
  'Whoever reads this page without running its scripts sees an empty frame, because the text comes from another address.';

/** A page that is empty until its script has fetched the text. */
const DRAWN: Record<string, SimResponse> = {
  '/drawn': {
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: '<!doctype html><title>The Weir</title><div id="root"></div><script type="module" src="/web/drawn.js"></script>',
  },
  '/drawn.js': {
    status: 200,
    headers: { 'content-type': 'text/javascript' },
    body:
      "const { title, text } = await (await fetch('/web/drawn.json')).json();" +
      "document.getElementById('root').innerHTML = `<main><article><h1>${title}</h1><p>${text}</p></article></main>`;",
  },
  '/drawn.json': {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'The Weir', text: DRAWN_TEXT }),
  },
};

/** The simulated web, mounted at `/web`. */
export const webSim: SimUpstream = {
  id: 'web',
  handle: (request: SimRequest): SimResponse | undefined => {
    const path = request.url.pathname;
    const html = { 'content-type': 'text/html; charset=utf-8' };
    const found = PAGES[path];
    if (found !== undefined) return { status: 200, headers: html, body: page('/web', found) };
    const drawn = DRAWN[path];
    if (drawn !== undefined) return drawn;
    if (path === '/shell')
      return {
        status: 200,
        headers: html,
        body: '<!doctype html><div id="root"></div><script src="/app.js"></script>',
      };
    if (path === '/plain')
      return {
        status: 200,
        headers: { 'content-type': 'text/plain' },
        body: 'Plain words about the valley.',
      };
    return { status: 404, headers: html, body: '<h1>Not found</h1>' };
  },
};

const originOf = (request: SimRequest): string => `http://${request.headers['host'] ?? 'localhost'}`;

/** The robots.txt and sitemap of the simulated web, at the root of its host. */
export const robotsSim: SimUpstream = {
  id: 'robots.txt',
  handle: (request) => ({
    status: 200,
    headers: { 'content-type': 'text/plain' },
    body: `User-agent: *\nDisallow: /web/private\nSitemap: ${originOf(request)}/sitemap.xml\n`,
  }),
};

export const sitemapSim: SimUpstream = {
  id: 'sitemap.xml',
  handle: (request) => ({
    status: 200,
    headers: { 'content-type': 'application/xml' },
    body: `<urlset>${['history', 'only-in-sitemap'].map((name) => `<url><loc>${originOf(request)}/web/${name}</loc></url>`).join('')}</urlset>`,
  }),
};
