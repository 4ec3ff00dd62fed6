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

/** As if a client at this address had asked; wrong keys of other tests are not held against it. */
const statusFrom = async (address: string, key: string): Promise<number> =>
  (
    await gateway.app.request(
      'http://127.0.0.1/search',
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...bearer(key) },
        body: JSON.stringify(QUERY),
      },
      { incoming: { socket: { remoteAddress: address } } },
    )
  ).status;

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
  expect(bodies.size).toBe(1);
  expect(JSON.parse([...bodies][0] ?? '')).toEqual({
    detail: {
      error: 'Unauthorized: missing or invalid API key.',
      code: 'unauthenticated',
      retryable: false,
      remediation: 'Check the key, or ask the operator of this gateway for a new one.',
    },
  });
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

test('a rotated key has the same rights, and the old one works until its grace is over', async () => {
  const old = await gateway.newKey({ scopes: ['search'] });
  const made = await gateway.admin('POST', `/keys/${old.id}/rotate`, { grace_hours: 1 });
  expect(made.status).toBe(200);
  const {
    key,
    record,
    old: before,
  } = made.body as never as {
    key: string;
    record: { scopes: string[]; workspace: string; expires: null };
    old: { expires: number };
  };
  expect(record).toMatchObject({ scopes: ['search'], workspace: old.workspace, expires: null });
  expect(before.expires).toBeGreaterThan(Date.now());
  expect(await statusFrom('192.0.2.2', key)).toBe(200);
  expect(await statusFrom('192.0.2.2', old.key)).toBe(200);
  expect((await gateway.admin('POST', `/keys/${old.id}/rotate`, { grace_hours: 0 })).status).toBe(200);
  expect(await statusFrom('192.0.2.2', old.key)).toBe(401);
  expect((await gateway.admin('POST', `/keys/${old.id}/rotate`, {})).status).toBe(400);
});

test('a key with networks is only accepted from them', async () => {
  const { workspace } = await gateway.newKey();
  const made = await gateway.admin('POST', '/keys', {
    workspace,
    label: 'office',
    networks: ['10.1.0.0/16', '2001:db8::/32'],
  });
  const { key } = made.body as { key: string };
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '2001:db8::7'])
    expect(await statusFrom(address, key)).toBe(200);
  for (const address of ['10.2.0.1', '2001:db9::7', '::1', 'local', ''])
    expect(await statusFrom(address, key)).toBe(403);
  const wrong = ['10.0.0.0/33', 'office', '10.0.0', '10.0.0.0/8/8'];
  for (const network of wrong)
    expect(
      (await gateway.admin('POST', '/keys', { workspace, label: 'x', networks: [network] })).status,
    ).toBe(400);
});

test('the last use of a key is known, not only its hour', async () => {
  const { key, id } = await gateway.newKey();
  const before = Date.now();
  expect(await statusFrom('192.0.2.1', key)).toBe(200);
  await expect.poll(async () => (await gateway.store.keys.get(id)).lastUsed).toBeGreaterThanOrEqual(before);
});

test('a person who opens an address for programs is told where to get a key', async () => {
  await gateway.newKey();
  const accept = 'text/html,application/xhtml+xml';
  const page = await gateway.app.request('http://127.0.0.1/usage', { headers: { accept } });
  expect(page.status).toBe(401);
  expect(page.headers.get('content-type')).toContain('text/plain');
  expect(await page.text()).toContain('Open / to sign in to the console');
  const program = await gateway.app.request('http://127.0.0.1/usage');
  expect(program.headers.get('content-type')).toContain('json');
  const host = await gateway.app.request('http://evil.example/', { headers: { accept } });
  expect(host.status).toBe(403);
  expect(await host.text()).toContain('The Host header names a host');
});
