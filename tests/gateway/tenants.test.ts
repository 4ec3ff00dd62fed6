import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await createTestGateway();
});
afterAll(() => gateway.close());

test('F37, F38: two workspaces with one query: each asks the provider once, and neither is served from the cache of the other', async () => {
  const [first, second] = await Promise.all([gateway.newKey(), gateway.newKey()]);
  gateway.sim.reset();
  const ask = async (key: string): Promise<Record<string, unknown>> => {
    const response = await gateway.post(
      '/search',
      { query: 'tidal mills' },
      { authorization: `Bearer ${key}` },
    );
    expect(response.status).toBe(200);
    return (await response.json()) as Record<string, unknown>;
  };
  const crowd = Array.from({ length: 40 }, (_, index) => ask(index % 2 === 0 ? first.key : second.key));
  const answers = await Promise.all(crowd);
  expect(gateway.sim.requests).toHaveLength(2);
  expect(answers.every((answer) => (answer['results'] as unknown[]).length > 0)).toBe(true);
  expect(await ask(first.key)).toMatchObject({ cached: true });
  expect(gateway.sim.requests).toHaveLength(2);
  const third = await gateway.newKey();
  expect(await ask(third.key)).toMatchObject({ cached: false });
  expect(gateway.sim.requests).toHaveLength(3);
});

test('a caller says how old a cached answer may be, and whether its own is kept', async () => {
  const { key } = await gateway.newKey({ tier: 'pro' });
  const ask = async (more: object = {}) => {
    const body = { query: 'tidal mills of the coast', ...more };
    const response = await gateway.post('/search', body, { authorization: `Bearer ${key}` });
    expect(response.status).toBe(200);
    return ((await response.json()) as { cached: boolean }).cached;
  };
  expect(await ask({ no_store: true })).toBe(false);
  expect(await ask()).toBe(false);
  expect(await ask()).toBe(true);
  expect(await ask({ max_age: 60 })).toBe(true);
  // A caller that keeps nothing may still use what others have kept.
  expect(await ask({ no_store: true })).toBe(true);
  expect(await ask({ max_age: 0 })).toBe(false);
  const refused = await gateway.post(
    '/search',
    { query: 'tidal mills', max_age: -1 },
    { authorization: `Bearer ${key}` },
  );
  expect(refused.status).toBe(400);
});
