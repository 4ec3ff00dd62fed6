import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ownMsUntil, until } from '../support/until.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

/** A client that hangs up ends what is done for it, except what a priced provider already has: that is heard to its end and paid for. */
let gateway: TestGateway;
let url: string;
let authorization: string;
let subscription: string;
beforeEach(async () => {
  gateway = await createTestGateway({
    web: 'guarded',
    config: {
      'providers.tavily.api_key': 'tvly-test',
      'search.provider': 'tavily',
      'tiers.pro.calls_free': 0,
    },
  });
  ({ url } = await gateway.listen());
  const made = await gateway.newKey({ tier: 'pro' });
  subscription = made.subscription;
  authorization = `Bearer ${made.key}`;
  await gateway.store.accounts.topUp({ subscription, amount: 1_000_000 });
});
afterEach(() => gateway.close());

const web = (path: string): string => `${gateway.sim.url}/web${path}`;
const mcp = (name: string, input: object): object => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: input },
});

const heldCredits = async (): Promise<number> =>
  (await gateway.store.reports.openHolds()).reduce((sum, hold) => sum + hold.credits, 0);

type Case = [name: string, path: string, body: () => object, hangs: string, credits: number];
const CASES: Case[] = [
  ['search', '/search', () => ({ query: 'tidal mills' }), '/tavily/search', 1],
  [
    'extract with a priced reader',
    '/extract',
    () => ({ urls: ['https://mill.example/'], provider: 'tavily' }),
    '/tavily/extract',
    1,
  ],
  ['extract with our own reader', '/extract', () => ({ urls: [web('/mill')] }), '/web/mill', 0],
  ['crawl by Tavily', '/crawl', () => ({ url: 'mill.example', provider: 'tavily' }), '/tavily/crawl', 15],
  ['crawl of our own', '/crawl', () => ({ url: web('/') }), '/web/', 0],
  ['map of our own', '/map', () => ({ url: web('/') }), '/web/', 0],
  [
    'research that is streamed',
    '/research',
    () => ({ input: 'tidal mills', model: 'mini', stream: true }),
    '/tavily/search',
    1,
  ],
  [
    'MCP search',
    '/mcp?tools=tavily',
    () => mcp('tavily_search', { query: 'tidal mills' }),
    '/tavily/search',
    1,
  ],
  ['MCP fetch', '/mcp?tools=default', () => mcp('fetch_url', { url: web('/mill') }), '/web/mill', 0],
];

/** Calls, waits until something upstream hangs, and hangs up. */
async function hangUp(path: string, body: object, hangs: string, fault: 'hang' | 'later'): Promise<void> {
  const hanging = fault === 'hang' ? ({ kind: 'hang' } as const) : ({ kind: 'delay', ms: 300 } as const);
  gateway.sim.script(hangs, [{ ...hanging, times: 'always' }]);
  const controller = new AbortController();
  const call = fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      authorization,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(body),
    signal: controller.signal,
  }).then(
    (response) => response.text().catch(() => 'gone'),
    () => 'gone',
  );
  await until(() => gateway.sim.load.active > 0);
  controller.abort();
  expect(await call).toBe('gone');
}

const balance = async (): Promise<number> =>
  (await gateway.store.accounts.subscription(subscription)).balance;

describe('a client that hangs up', () => {
  test.each(CASES.filter(([, , , , credits]) => credits === 0))(
    '%s: the work upstream stops within 100 ms, and costs nothing',
    async (_name, path, body, hangs) => {
      await hangUp(path, body(), hangs, 'hang');
      expect(await ownMsUntil(() => gateway.sim.load.active === 0)).toBeLessThan(100);
      await until(async () => (await gateway.store.reports.openHolds()).length === 0);
      expect(await balance()).toBe(1_000_000);
    },
  );

  test.each(CASES.filter(([, , , , credits]) => credits > 0))(
    '%s: what the provider has is heard to its end and charged, and nothing more is asked',
    async (_name, path, body, hangs) => {
      await hangUp(path, body(), hangs, 'later');
      expect(await heldCredits()).toBeGreaterThan(0);
      await until(async () => (await gateway.store.reports.openHolds()).length === 0);
      const asked = gateway.sim.requests.filter((request) => request.url.pathname === hangs).length;
      expect(asked).toBeGreaterThan(0);
      const [usage] = await gateway.store.reports.usage({ subscription, provider: 'tavily' }, []);
      expect(usage).toMatchObject({ calls: asked, returned: 0 });
      expect(await balance()).toBe(1_000_000 - (usage?.charged ?? 0));
      expect(usage?.charged).toBeGreaterThan(0);
    },
  );

  test('a research that was taken on goes on without its client, because it is polled', async () => {
    const response = await fetch(`${url}/research`, {
      method: 'POST',
      headers: { authorization, connection: 'close' },
      body: JSON.stringify({ input: 'tidal mills', model: 'mini' }),
    });
    const { request_id: id } = (await response.json()) as { request_id: string };
    const state = async (): Promise<unknown> => {
      const answer = await fetch(`${url}/research/${id}`, { headers: { authorization } });
      return ((await answer.json()) as { status: string }).status;
    };
    await until(async () => (await state()) === 'completed', 20_000);
    expect(await gateway.store.reports.openHolds()).toEqual([]);
  });
});
