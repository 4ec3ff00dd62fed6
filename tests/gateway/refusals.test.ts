import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

/** F59: a site that says no, by robots.txt or by status, is believed: told once, asked once, charged nothing. */
let gateway: TestGateway;
let auth: Record<string, string>;
let subscription: string;
beforeAll(async () => {
  gateway = await createTestGateway({
    web: 'guarded',
    config: {
      'providers.tavily.api_key': 'tvly-test',
      'tiers.pro.calls_free': 0,
      'search.retries': 3,
      'search.retry_base_ms': 1,
    },
  });
  const made = await gateway.newKey({ tier: 'pro' });
  subscription = made.subscription;
  auth = { authorization: `Bearer ${made.key}` };
  await gateway.store.accounts.topUp({ subscription, amount: 1_000_000 });
});
beforeEach(() => gateway.sim.reset());
afterAll(() => gateway.close());

const ask = async (path: string, body: object): Promise<[number, Record<string, unknown>]> => {
  const response = await gateway.post(path, body, auth);
  return [response.status, (await response.json()) as Record<string, unknown>];
};
const web = (path: string): string => `${gateway.sim.url}/web${path}`;
const asked = (path: string): number =>
  gateway.sim.requests.filter((request) => request.url.pathname === path).length;
const balance = async (): Promise<number> =>
  (await gateway.store.accounts.subscription(subscription)).balance;

describe('F59: at the gateway', () => {
  test.each([
    [401, 'ACCESS_DENIED'],
    [403, 'ACCESS_DENIED'],
    [404, 'NOT_FOUND'],
    [410, 'NOT_FOUND'],
    [451, 'ACCESS_DENIED'],
  ])('F59: a page with status %i is reported, not retried and not charged', async (status, code) => {
    gateway.sim.script('/web/mill', [{ kind: 'status', status, times: 'always' }]);
    const [answered, body] = await ask('/extract', {
      urls: [web('/mill'), web('/river')],
      include_usage: true,
    });
    expect([answered, body]).toMatchObject([
      200,
      {
        results: [{ url: web('/river') }],
        failed_results: [
          { url: web('/mill'), error: expect.stringContaining(String(status)) as string, code },
        ],
        outcome: 'partial',
        usage: { credits: 0 },
      },
    ]);
    expect(asked('/web/mill')).toBe(1);
    expect(await balance()).toBe(1_000_000);
  });

  test('F59: pages that a priced reader could not read cost nothing', async () => {
    const [status, body] = await ask('/extract', {
      urls: ['https://gone.example/a', 'https://gone.example/b'],
      provider: 'tavily',
      include_usage: true,
    });
    expect([status, body]).toMatchObject([200, { results: [], outcome: 'failed', usage: { credits: 0 } }]);
    expect(body['failed_results']).toHaveLength(2);
    expect(asked('/tavily/extract')).toBe(1);
    expect(await balance()).toBe(1_000_000);
  });

  test('F59: what robots.txt denies is not asked for at all, and the answer says why', async () => {
    const [status, body] = await ask('/crawl', { url: web('/'), max_depth: 2 });
    expect([status, body]).toMatchObject([200, { outcome: 'partial' }]);
    expect(body['skipped']).toContainEqual({
      url: web('/private/diary'),
      reason: 'robots.txt does not allow it',
    });
    expect(asked('/web/private/diary')).toBe(0);
    expect(await ask('/crawl', { url: web('/private/diary') })).toMatchObject([
      403,
      { detail: { code: 'robots_denied', error: expect.stringContaining('robots.txt') as string } },
    ]);
    expect(asked('/web/private/diary')).toBe(0);
  });

  test('F59: a start page that is gone ends a crawl in words, after one request', async () => {
    gateway.sim.script('/web/', [{ kind: 'status', status: 410, times: 'always' }]);
    expect(await ask('/crawl', { url: web('/') })).toMatchObject([
      502,
      { detail: { code: 'extract_failed', error: expect.stringContaining('410') as string } },
    ]);
    expect(asked('/web/')).toBe(1);
  });
});

test.each(['127.0.0.0xg', '0x08080808', '8.8', 'files.1st'])(
  'the host %s is refused as an address on every road, and nobody is asked',
  async (host) => {
    for (const provider of ['auto', 'tavily']) {
      const [, read] = await ask('/extract', { urls: [`http://${host}/`], provider });
      expect(read).toMatchObject({
        results: [],
        failed_results: [{ error: expect.stringContaining('last part is a number') as string }],
      });
      for (const path of ['/crawl', '/map']) {
        const [status, walked] = await ask(path, { url: `http://${host}/`, provider });
        expect([status, walked]).toMatchObject([
          403,
          { detail: { error: expect.stringContaining('last part is a number') as string } },
        ]);
      }
    }
    expect(gateway.sim.requests).toEqual([]);
  },
);

test('a crawl in the background is refused where gateways share no PostgreSQL, and says what to use instead', async () => {
  const [status, body] = await ask('/crawls', { url: web('/mill') });
  expect([status, body]).toMatchObject([
    503,
    {
      detail: {
        code: 'not_configured',
        error: expect.stringContaining('Crawls in the background need PostgreSQL') as string,
        remediation: expect.stringContaining('POST /crawl') as string,
      },
    },
  ]);
});
