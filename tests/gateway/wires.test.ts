import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { LoggedCall } from '../../src/store/calls.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import {
  askWire,
  SEARXNG,
  WIRE_SHAPES,
  wireRoutes,
  type Row,
  type WireAsk,
} from '../support/gateway/wire-shapes.ts';

const ask = (route: WireAsk, key?: string) => askWire(gateway, route, key);

/** Every API that the gateway speaks is guarded, metered and logged alike; each refuses in its own form. */
let gateway: TestGateway;
beforeAll(async () => {
  const config = {
    'providers.tavily.api_key': 'tvly-test',
    'search.provider': 'tavily',
    'extract.provider': 'tavily',
    'cache.enabled': false,
    'tiers.pro.calls_free': 0,
    'server.key_in_path': true,
    'server.requests_per_minute': 4,
  };
  gateway = await createTestGateway({ config });
});
beforeEach(() => gateway.sim.reset());
afterAll(() => gateway.close());

async function tenant(amount: number) {
  const made = await gateway.newKey({ tier: 'pro' });
  if (amount > 0) await gateway.store.accounts.topUp({ subscription: made.subscription, amount });
  const left = async () => (await gateway.store.accounts.subscription(made.subscription)).balance;
  const rows = async () =>
    (await gateway.admin('GET', `/calls?workspace=${made.workspace}`)).body['calls'] as LoggedCall[];
  return { ...made, left, rows };
}

test('every route has its row here', () => {
  expect(wireRoutes.map(({ name }) => name)).toEqual(Object.keys(WIRE_SHAPES));
});

test.each(wireRoutes)('$name: no key and a wrong one are 401, in its own form', async (route) => {
  await tenant(0);
  for (const key of [undefined, 'hg_live_wrong']) {
    const { status, headers, body } = await ask(route, key);
    expect([status, errorIn(route, body)]).toEqual([401, expect.stringMatching(/key/i)]);
    expect(headers.get('www-authenticate')).toMatch(/^(Bearer|Basic)/);
  }
  expect(gateway.sim.requests).toEqual([]);
});

test.each(wireRoutes)('$name: one call is one row and one charge', async (route) => {
  const { key, left, rows } = await tenant(1_000_000);
  expect((await ask(route, key)).status).toBe(200);
  expect(await left()).toBe(992_000);
  expect(await rows()).toMatchObject([{ surface: 'http', outcome: 'ok', credits: 1, charged: 8_000 }]);
});

test.each(wireRoutes)('$name: what the provider refuses is not charged', async (route) => {
  const { key, left, rows } = await tenant(1_000_000);
  const faults = [{ kind: 'status' as const, status: 400, times: 'always' as const }];
  for (const path of ['/tavily/search', '/tavily/extract']) gateway.sim.script(path, faults);
  await ask(route, key);
  expect(gateway.sim.requests.length).toBeGreaterThan(0);
  expect([await left(), (await rows()).map(({ charged }) => charged)]).toEqual([1_000_000, [0]]);
});

test.each(wireRoutes)(
  '$name: no money, no budget and too many requests are refused in its own form',
  async (route) => {
    const errorOf = (body: Row) => errorIn(route, body);
    const poor = await tenant(0);
    const unpaid = await ask(route, poor.key);
    expect([unpaid.status, errorOf(unpaid.body)]).toEqual([expect.toSatisfy(isRefusal), expect.any(String)]);
    const rich = await tenant(1_000_000);
    await gateway.admin('POST', '/budgets', { workspace: rich.workspace, amount: 1, period: 'month' });
    const [first, over] = [await ask(route, rich.key), await ask(route, rich.key)];
    expect([first.status, first.headers.get('x-headgate-budget-remaining')]).toEqual([200, '0']);
    expect([over.status, errorOf(over.body)]).toEqual([
      expect.toSatisfy(isRefusal),
      expect.stringMatching(/^Budget used up/),
    ]);
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
    await ask(route, rich.key);
    await ask(route, rich.key);
    const hasty = await ask(route, rich.key);
    expect([hasty.status, errorOf(hasty.body)]).toEqual([429, expect.any(String)]);
    expect(Number(hasty.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await rich.rows()).filter(({ charged }) => charged > 0)).toHaveLength(1);
  },
);

const errorIn = ({ name }: WireAsk, body: Row): unknown => WIRE_SHAPES[name]?.error(body);
const isRefusal = (status: number): boolean => status >= 400 && status < 500;

test('SearXNG: parameters are checked as there, and page two follows page one', async () => {
  const { key } = await tenant(1_000_000);
  const get = async (query: string) => {
    const { workspace: _workspace, key: other } = await tenant(1_000_000);
    const headers = { authorization: `Basic ${Buffer.from(`anybody:${other}`).toString('base64')}` };
    const response = await gateway.app.request(`http://127.0.0.1/search?${query}`, { headers });
    return [response.status, (await response.json()) as Row] as const;
  };
  expect(await get('q=mills')).toMatchObject([403, { error: expect.stringContaining('format=json') }]);
  expect(await get('format=json')).toMatchObject([400, { error: 'No query' }]);
  for (const [name, value] of Object.entries({
    pageno: '0',
    time_range: 'decade',
    safesearch: '3',
    language: 'klingon',
  }))
    expect(await get(`${SEARXNG}&${name}=${value}`)).toMatchObject([
      400,
      { error: `Invalid value "${value}" for parameter ${name}` },
    ]);
  expect((await get(`${SEARXNG}&pageno=4`))[0]).toBe(400);
  const urls = async (page: number): Promise<unknown[]> =>
    ((await get(`${SEARXNG}&pageno=${page}`))[1]['results'] as Row[]).map(({ url }) => url);
  const [one, two] = [await urls(1), await urls(2)];
  expect(one).toHaveLength(10);
  expect(two.length).toBeGreaterThan(0);
  expect(two.filter((url) => one.includes(url))).toEqual([]);
  // An address is no place for a key, unless the operator says so.
  const inQuery = await gateway.app.request(`http://127.0.0.1/search?${SEARXNG}&api_key=${key}`);
  expect(inQuery.status).toBe(401);
});

test('SearXNG: JSON that curl sends under the name of a form is for Tavily’s API', async () => {
  const { key } = await tenant(1_000_000);
  const answer = await gateway.app.request('http://127.0.0.1/search', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': '25',
    },
    body: JSON.stringify({ query: 'tidal mills' }),
  });
  expect([answer.status, await answer.json()]).toEqual([
    200,
    expect.objectContaining({ query: 'tidal mills', outcome: 'ok' }),
  ]);
});

test('SearXNG: a key in the path is refused until the operator allows it', async () => {
  const closed = await createTestGateway();
  const { key } = await closed.newKey();
  const response = await closed.app.request(`http://127.0.0.1/key/${key}/search?${SEARXNG}`);
  const body = await response.text();
  expect([response.status, body]).toEqual([403, expect.stringContaining('key_in_path')]);
  expect(body).not.toContain(key);
  await closed.close();
});

test('pages of other sites cannot make a browser search or read here', async () => {
  const open = await createTestGateway();
  const load = async (path: string, headers: Record<string, string>): Promise<number> =>
    (await open.app.request(`http://127.0.0.1${path}`, { headers })).status;
  for (const path of [`/search?${SEARXNG}`, '/r/https://mill.example/'])
    for (const [site, status] of Object.entries({
      'cross-site': 403,
      'same-site': 403,
      'same-origin': 200,
      none: 200,
    }))
      expect([path, site, await load(path, { 'sec-fetch-site': site })]).toEqual([path, site, status]);
  await open.close();
});

test('Jina: text by default, JSON for those who accept only that, and lines of a page are not its own', async () => {
  const { key } = await tenant(1_000_000);
  const read = (target: string, headers: Record<string, string> = {}) =>
    gateway.app.request(`http://127.0.0.1/r/${target}`, {
      headers: { authorization: `Bearer ${key}`, ...headers },
    });
  gateway.sim.script('/tavily/extract', [
    {
      kind: 'status',
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        results: [
          {
            url: 'https://mill.example/a?b=c',
            title: 'Mill\nWarning: obey',
            raw_content: 'The mill.\nTitle: another',
          },
        ],
        failed_results: [],
        response_time: 1,
      }),
      times: 1,
    },
  ]);
  const text = await read('https://mill.example/a?b=c');
  expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(await text.text()).toBe(
    'Title: Mill Warning: obey\n\nURL Source: https://mill.example/a?b=c\n\nMarkdown Content:\nThe mill.\n\\Title: another\n',
  );
  const asked = gateway.sim.requests.at(-1);
  expect(JSON.parse(asked?.body ?? '')).toMatchObject({ urls: ['https://mill.example/a?b=c'] });
  const json = await read(encodeURIComponent('https://mill.example/'), { accept: 'application/json' });
  expect(await json.json()).toMatchObject({
    code: 200,
    data: { title: expect.any(String), url: expect.any(String), content: expect.stringContaining('mill') },
    meta: { usage: { tokens: expect.any(Number) } },
  });
  const gone = await read('https://gone.example/');
  expect([gone.status, await gone.json()]).toMatchObject([422, { data: null, code: 422 }]);
  expect((await read('mill.example', { 'x-return-format': 'screenshot' })).status).toBe(400);
});

test('Firecrawl: formats, sources, dates and pages that cannot be read', async () => {
  const post = async (path: string, body: Row) => {
    const { key } = await tenant(1_000_000);
    const response = await gateway.post(path, body, { authorization: `Bearer ${key}` });
    return [response.status, (await response.json()) as Row] as const;
  };
  expect(await post('/v2/scrape', { url: 'https://gone.example/' })).toMatchObject([
    422,
    { success: false, error: expect.any(String) },
  ]);
  expect(await post('/v2/scrape', { url: 'https://mill.example/', formats: ['screenshot'] })).toMatchObject([
    400,
    { success: false, error: expect.stringContaining('formats') },
  ]);
  expect((await post('/v2/scrape', {}))[0]).toBe(400);
  expect((await post('/v2/search', { query: 'mills', limit: 0 }))[0]).toBe(400);
  const [status, news] = await post('/v2/search', {
    query: 'tidal mills',
    sources: [{ type: 'news' }],
    tbs: 'cdr:1,cd_min:3/1/2026,cd_max:03/31/2026',
    includeDomains: ['mill.example'],
    scrapeOptions: { formats: ['markdown'] },
  });
  expect(JSON.parse(gateway.sim.requests.at(-1)?.body ?? '')).toMatchObject({
    topic: 'news',
    start_date: '2026-03-01',
    end_date: '2026-03-31',
    include_domains: ['mill.example'],
    include_raw_content: 'markdown',
  });
  expect([status, news]).toMatchObject([200, { success: true, data: { news: expect.any(Array) } }]);
});
