import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminRoutes } from '../../src/gateway/admin/mount.ts';
import { ADMIN, createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

/** A key with admin scopes administers its own workspace: its keys, its agents, its usage. Everything else is the operator's. */
let gateway: TestGateway;
let own: Awaited<ReturnType<TestGateway['newKey']>>;
let other: Awaited<ReturnType<TestGateway['newKey']>>;
beforeAll(async () => {
  gateway = await createTestGateway({ config: { 'server.metrics_token': 'metrics-token-of-the-tests' } });
  own = await gateway.newKey({ tier: 'pro', scopes: ['search', 'admin:read', 'admin:write'] });
  other = await gateway.newKey({ tier: 'pro' });
});
afterAll(() => gateway.close());

interface Answer extends Record<string, unknown> {
  keys?: { workspace: string }[];
  record?: { id: string };
}

async function ask(method: string, path: string, body?: object): Promise<[number, Answer]> {
  const response = await gateway.app.request(`http://127.0.0.1/admin${path}`, {
    method,
    headers: { authorization: `Bearer ${own.key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return [response.status, (await response.json()) as never];
}

describe('a key with admin scopes', () => {
  test('lists, makes and revokes keys of its own workspace', async () => {
    const [, { keys }] = await ask('GET', '/keys');
    expect(keys?.map((key) => key.workspace)).toEqual([own.workspace]);
    const [status, made] = await ask('POST', '/keys', { workspace: own.workspace, label: 'second' });
    expect(status).toBe(200);
    const { id = '' } = made.record ?? {};
    expect((await ask('GET', `/keys/${id}`))[0]).toBe(200);
    expect((await ask('DELETE', `/keys/${id}`))[0]).toBe(200);
    const [audited] = await gateway.store.sessions.audit(1);
    expect(audited).toMatchObject({
      actor: `key ${own.id}`,
      action: expect.stringContaining(`revoked the key ${id} (second)`),
    });
  });

  test('makes and changes agents of its own workspace, and reads its usage', async () => {
    const [, agent] = await ask('POST', '/agents', { workspace: own.workspace, name: 'Reader' });
    expect((await ask('PATCH', `/agents/${String(agent['id'])}`, { name: 'Writer' }))[1]).toMatchObject({
      name: 'Writer',
    });
    const [, { agents }] = await ask('GET', '/agents');
    expect(agents).toHaveLength(1);
    expect((await ask('GET', '/usage?by=key'))[0]).toBe(200);
    expect((await ask('GET', `/workspaces/${own.workspace}`))[1]).toMatchObject({ id: own.workspace });
  });

  test('does not see or touch what belongs to another workspace', async () => {
    const theirs = await gateway.store.agents.create({ workspace: other.workspace, name: 'Theirs' });
    const refused = [
      await ask('GET', `/keys?workspace=${other.workspace}`),
      await ask('POST', '/keys', { workspace: other.workspace, label: 'mine' }),
      await ask('GET', `/usage?workspace=${other.workspace}`),
      await ask('POST', '/agents', { workspace: other.workspace, name: 'mine' }),
    ];
    expect(refused.map(([status]) => status)).toEqual([403, 403, 403, 403]);
    const hidden = [
      await ask('GET', `/keys/${other.id}`),
      await ask('DELETE', `/keys/${other.id}`),
      await ask('GET', `/agents/${theirs.id}`),
      await ask('PATCH', `/agents/${theirs.id}`, { name: 'mine' }),
      await ask('GET', `/workspaces/${other.workspace}`),
    ];
    expect(hidden.map(([status]) => status)).toEqual([404, 404, 404, 404, 404]);
    expect((await gateway.store.keys.get(other.id)).revoked).toBeNull();
    const [, { usage }] = await ask('GET', `/usage?by=workspace&subscription=${other.subscription}`);
    expect(usage).toEqual([]);
  });

  test('may use exactly the routes that are held to a workspace; the rest is the operator’s', async () => {
    const statuses = await Promise.all(
      adminRoutes
        .filter((route) => route.scopeToWorkspace === undefined)
        .map(async ({ method, path, body }) => {
          // Who asks is settled before what is asked is read: an empty body is refused for the same reason.
          const [status] = await ask(method, path.replace(':id', own.subscription), body && {});
          return [`${method} ${path}`, status];
        }),
    );
    expect(statuses.length).toBeGreaterThan(10);
    expect(statuses.filter(([, status]) => status !== 403)).toEqual([]);
  });

  test('does not read the metrics of the gateway; the metrics token reads nothing else', async () => {
    const open = await createTestGateway({
      config: { 'server.host': '0.0.0.0', 'server.metrics_token': 'metrics-token-of-the-tests' },
    });
    const reader = await open.newKey({ scopes: ['admin:read'] });
    const get = async (path: string, key: string) =>
      (await open.app.request(`http://127.0.0.1${path}`, { headers: { authorization: `Bearer ${key}` } }))
        .status;
    expect(await get('/metrics', reader.key)).toBe(403);
    expect(await get('/metrics', 'metrics-token-of-the-tests')).toBe(200);
    expect(await get('/admin/status', 'metrics-token-of-the-tests')).toBe(401);
    expect(await get('/metrics', ADMIN)).toBe(200);
    const invited = { name: 'kim', role: 'owner' as const, workspace: reader.workspace };
    const token = await open.store.sessions.createSetupToken(invited);
    const fields = { token, name: 'kim', password: 'correct horse battery' };
    const made = await open.post('/console/setup', fields, { origin: 'http://127.0.0.1' });
    const cookie = (made.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const seen = await open.app.request('http://127.0.0.1/metrics', { headers: { cookie } });
    expect([made.status, seen.status]).toEqual([200, 403]);
    await open.close();
  });
});
