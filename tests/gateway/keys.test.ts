import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

const QUERY = { query: 'tidal mills' };
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await createTestGateway();
});
afterAll(() => gateway.close());

const status = async (body: unknown, headers?: Record<string, string>): Promise<number> =>
  (await gateway.post('/search', body, headers)).status;

test('on this machine nobody needs a key until the first one exists', async () => {
  expect(await status(QUERY)).toBe(200);
  expect(await status(QUERY, bearer('tvly-whatever-a-client-insists-on'))).toBe(200);
  const { key } = await gateway.newKey();
  expect(await status(QUERY)).toBe(401);
  expect(await status(QUERY, bearer('tvly-whatever-a-client-insists-on'))).toBe(401);
  expect(await status(QUERY, bearer(key))).toBe(200);
});

test('a key is taken from the Authorization header, x-api-key, or the body; the header wins', async () => {
  const { key } = await gateway.newKey();
  expect(await status(QUERY, { 'x-api-key': key })).toBe(200);
  expect(await status({ ...QUERY, api_key: key })).toBe(200);
  expect(await status({ ...QUERY, apiKey: key })).toBe(200);
  expect(await status({ ...QUERY, api_key: 'wrong' }, bearer(key))).toBe(200);
  expect(await status({ ...QUERY, api_key: key }, bearer('wrong'))).toBe(401);
});

test('F62: wrong, malformed, expired, revoked and unknown keys get one and the same answer', async () => {
  const good = await gateway.newKey();
  const revoked = await gateway.newKey();
  const expired = await gateway.newKey({ expires: 1 });
  await gateway.world.store.keys.revoke(revoked.id);
  const wrong = `${good.key.slice(0, -3)}000`;
  const bodies = new Set<string>();
  for (const key of [wrong, 'tvly-x', expired.key, revoked.key, 'hg_live_']) {
    const response = await gateway.post('/search', QUERY, bearer(key));
    expect(response.status).toBe(401);
    bodies.add(await response.text());
  }
  expect([...bodies]).toEqual([
    '{"detail":{"error":"Unauthorized: missing or invalid API key.","code":"unauthenticated"}}',
  ]);
});

test('F62: a key that is revoked is refused by the very next call', async () => {
  const { key, id } = await gateway.newKey();
  expect(await status(QUERY, bearer(key))).toBe(200);
  expect((await gateway.admin('DELETE', `/keys/${id}`)).status).toBe(200);
  expect(await status(QUERY, bearer(key))).toBe(401);
});

test('F62: a key without the scope is refused with 403', async () => {
  const { key } = await gateway.newKey({ scopes: ['extract'] });
  expect(await status(QUERY, bearer(key))).toBe(403);
});

test('F62: an address that guesses is slowed down', async () => {
  const answers = new Set<number>();
  for (let guess = 0; guess < 100; guess += 1) answers.add(await status(QUERY, bearer(`hg_live_${guess}`)));
  expect([...answers]).toEqual([401, 429]);
});

test('a key that asks too fast is told when to come back', async () => {
  const slow = await createTestGateway({ config: { 'server.requests_per_minute': 3 } });
  const { key } = await slow.newKey();
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => slow.post('/search', QUERY, bearer(key))),
  );
  await slow.close();
  expect(answers.map((response) => response.status).sort((a, b) => a - b)).toEqual([200, 200, 200, 429, 429]);
  const refused = answers.find((response) => response.status === 429);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused?.json()).toMatchObject({
    detail: {
      error: 'Your request has been blocked due to excessive requests. Please reduce rate of requests.',
    },
  });
});

test('calls without a key are served beside keys when the operator allows it', async () => {
  const open = await createTestGateway({ config: { 'server.keyless': true } });
  await open.newKey();
  expect((await open.post('/search', QUERY)).status).toBe(200);
  expect((await open.post('/search', QUERY, bearer('tvly-wrong'))).status).toBe(401);
  await open.close();
});

test('a public address is refused at start unless there are keys, an admin, or the operator’s word', async () => {
  const start = async (config: Record<string, unknown>, withKey = false): Promise<string> => {
    const one = await createTestGateway({ config: { 'server.host': '0.0.0.0', ...config } });
    try {
      if (withKey) await one.newKey();
      await one.listen();
      return 'listens';
    } catch (thrown) {
      return (thrown as { code?: string }).code ?? String(thrown);
    } finally {
      await one.close();
    }
  };
  expect(await start({})).toBe('invalid_config');
  expect(await start({}, true)).toBe('listens');
  expect(await start({ 'server.admin_token': 'a-long-enough-token' })).toBe('listens');
  expect(await start({ 'server.keyless': true })).toBe('listens');
});
