import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

let gateway: TestGateway;
let key: string;
let subscription: string;
beforeAll(async () => {
  gateway = await createTestGateway({
    config: {
      'providers.tavily.api_key': 'tvly-operator',
      'search.provider': 'tavily',
      'cache.enabled': false,
    },
  });
  ({ key, subscription } = await gateway.newKey({ tier: 'pro' }));
});
afterAll(() => gateway.close());

const search = (query: string, idempotencyKey: string): Promise<Response> =>
  gateway.post('/search', { query }, { authorization: `Bearer ${key}`, 'idempotency-key': idempotencyKey });

const paidCalls = async (): Promise<number> =>
  (await gateway.store.reports.usage({ subscription, provider: 'tavily' }, [])).reduce(
    (sum, row) => sum + row.calls,
    0,
  );

describe('Idempotency-Key', () => {
  test('the same key answers again what it answered, asks nobody and books nothing', async () => {
    const first = (await (await search('tidal mills', 'a')).json()) as Record<string, unknown>;
    const asked = gateway.sim.requests.length;
    const second = (await (await search('tidal mills', 'a')).json()) as Record<string, unknown>;
    expect(second['request_id']).toBe(first['request_id']);
    expect(second['results']).toEqual(first['results']);
    expect(gateway.sim.requests.length).toBe(asked);
    expect(await paidCalls()).toBe(1);
  });

  test('the same key for another request is refused with 422, and while the first runs with 409', async () => {
    await search('water wheels', 'b');
    const other = await search('wind mills', 'b');
    expect([other.status, await other.json()]).toMatchObject([
      422,
      { detail: { code: 'idempotency_mismatch' } },
    ]);
    gateway.sim.script('/tavily', [{ kind: 'delay', ms: 300 }]);
    const answers = await Promise.all([search('slow mills', 'c'), search('slow mills', 'c')]);
    expect(answers.map((response) => response.status).sort((a, b) => a - b)).toEqual([200, 409]);
    const refused = answers.find((response) => response.status === 409);
    expect(refused?.headers.get('retry-after')).toBe('1');
  });

  test('a call that failed may be tried again under its key', async () => {
    gateway.sim.script('/tavily', [{ kind: 'status', status: 500 }]);
    expect((await search('broken mills', 'd')).status).toBeGreaterThanOrEqual(500);
    expect((await search('broken mills', 'd')).status).toBe(200);
  });

  test('a key that is no key is refused', async () => {
    expect((await search('tidal mills', 'x'.repeat(201))).status).toBe(400);
    expect((await search('tidal mills', 'with space')).status).toBe(400);
  });
});
