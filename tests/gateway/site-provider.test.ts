import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

/** Tavily's own crawl and map behind the gateway: chosen by the caller or the operator, paid as Tavily prices them. */
let gateway: TestGateway;
let auth: Record<string, string>;
let subscription: string;
beforeEach(async () => {
  gateway = await createTestGateway({
    config: { 'providers.tavily.api_key': 'tvly-test', 'tiers.pro.calls_free': 0 },
  });
  const made = await gateway.newKey({ tier: 'pro' });
  subscription = made.subscription;
  auth = { authorization: `Bearer ${made.key}` };
  await gateway.store.accounts.topUp({ subscription, amount: 1_000_000 });
});
afterEach(() => gateway.close());

const ask = async (path: string, body: object): Promise<[number, Record<string, unknown>]> => {
  const response = await gateway.post(path, body, auth);
  return [response.status, (await response.json()) as Record<string, unknown>];
};
const spent = async (): Promise<number> =>
  (1_000_000 - (await gateway.store.accounts.subscription(subscription)).balance) / 8_000;

describe('provider: "tavily" for /crawl and /map', () => {
  test('hands the walk to Tavily and settles what it says it charged', async () => {
    const [status, body] = await ask('/crawl', {
      url: 'mill.example',
      provider: 'tavily',
      limit: 20,
      include_usage: true,
      include_favicon: true,
    });
    expect([status, body]).toMatchObject([
      200,
      {
        base_url: 'mill.example',
        usage: { credits: 6 },
        outcome: 'ok',
        attempts: [{ provider: 'tavily', outcome: 'ok' }],
        warnings: [],
      },
    ]);
    expect(body['results']).toHaveLength(20);
    expect((body['results'] as object[])[0]).toMatchObject({
      url: 'https://mill.example/page-1',
      raw_content: expect.stringContaining('What Tavily read there.') as string,
      favicon: 'https://mill.example/favicon.ico',
      images: [],
      trust: 'untrusted_web',
    });
    expect(await spent()).toBe(6);
    const [, mapped] = await ask('/map', { url: 'mill.example', provider: 'tavily', instructions: 'wheels' });
    expect(mapped['results']).toHaveLength(30);
    expect(await spent()).toBe(12);
    expect(await gateway.store.reports.openHolds()).toEqual([]);
    const usage = await gateway.app.request('http://127.0.0.1/usage', { headers: auth });
    expect(await usage.json()).toMatchObject({
      key: { usage: 12, search_usage: 0, extract_usage: 0, crawl_usage: 6, map_usage: 6, research_usage: 0 },
      account: { crawl_usage: 6, map_usage: 6 },
    });
  });

  test('holds the most that the walk may cost before Tavily is asked', async () => {
    await gateway.store.accounts.topUp({ subscription, amount: -1_000_000 + 14 * 8_000 });
    // Fifty pages may cost 5 credits to map and 10 to read; 14 are there.
    const [status, body] = await ask('/crawl', { url: 'mill.example', provider: 'tavily' });
    expect([status, body]).toMatchObject([
      200,
      { attempts: [{ provider: 'tavily', outcome: 'quota' }, { provider: 'headgate' }] },
    ]);
    expect(gateway.sim.requests).toEqual([]);
    expect(await ask('/crawl', { url: 'mill.example', provider: 'tavily', limit: 45 })).toMatchObject([
      200,
      { attempts: [{ provider: 'tavily', outcome: 'ok' }] },
    ]);
  });

  test('a dry run prices the walk and asks nobody', async () => {
    expect(
      await ask('/crawl', { url: 'mill.example', provider: 'tavily', limit: 20, dry_run: true }),
    ).toMatchObject([200, { operation: 'crawl', credits_max: 6, cost_max: 48_000 }]);
    expect(gateway.sim.requests).toEqual([]);
    expect(await spent()).toBe(0);
  });

  test.each([
    ['is down', [{ kind: 'status', status: 500, times: 'always' }] as const, 'failed'],
    ['answers nonsense', [{ kind: 'status', status: 200, times: 'always' }] as const, 'failed'],
    ['refuses the site', undefined, 'invalid'],
  ])('when Tavily %s we walk ourselves, say so, and nothing is charged', async (_name, faults, outcome) => {
    if (faults !== undefined) gateway.sim.script('/tavily', [...faults]);
    const url = faults === undefined ? 'https://notgone.example' : 'https://mill.example';
    const [status, body] = await ask('/crawl', { url, provider: 'tavily', limit: 2 });
    expect([status, body]).toMatchObject([
      200,
      {
        attempts: [
          { provider: 'tavily', outcome },
          { provider: 'headgate', outcome: 'ok' },
        ],
        warnings: [expect.stringContaining('Tavily did not walk through the site') as string],
      },
    ]);
    expect((body['results'] as { raw_content: string }[])[0]?.raw_content).toContain('1742');
    expect(await spent()).toBe(0);
    expect(await gateway.store.reports.openHolds()).toEqual([]);
  });

  test('is refused in words when it is not set up, and for addresses that may not be read', async () => {
    expect(await ask('/map', { url: 'mill.example', provider: 'duckduckgo' })).toMatchObject([
      400,
      {
        detail: {
          error: expect.stringContaining('"duckduckgo" cannot map. Use one of auto, tavily, headgate'),
        },
      },
    ]);
    expect(await ask('/map', { url: 'http://169.254.169.254/', provider: 'tavily' })).toMatchObject([
      403,
      { detail: { code: 'blocked_host' } },
    ]);
    expect(gateway.sim.requests).toEqual([]);
  });

  test('the operator may choose it for everybody', async () => {
    const chosen = await createTestGateway({
      config: { 'providers.tavily.api_key': 'tvly-test', 'crawl.provider': ['tavily'] },
    });
    const response = await chosen.post('/map', { url: 'mill.example', limit: 3 });
    expect(await response.json()).toMatchObject({
      results: ['https://mill.example/page-1', 'https://mill.example/page-2', 'https://mill.example/page-3'],
      attempts: [{ provider: 'tavily', outcome: 'ok' }],
    });
    await chosen.close();
  });
});
