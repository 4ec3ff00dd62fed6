import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestClock } from '../support/clock.ts';
import { LIMITS } from '../../src/core/limits.ts';
import { challengeOf } from '../../src/store/grants.ts';
import { runHeadgate } from '../support/cli.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { startPostgres } from '../support/postgres.ts';

const PUBLIC = 'http://127.0.0.1:8787';
const OURS = {
  'sec-fetch-site': 'same-origin',
  origin: 'http://127.0.0.1',
  'content-type': 'application/json',
};
const PASSWORD = 'correct horse battery';
const postgres = await startPostgres();
afterAll(async () => postgres?.stop());

const startGateway = (config: Record<string, unknown> = {}, clock = createTestClock(Date.now())) =>
  createTestGateway({ clock, config: { 'server.public_url': PUBLIC, ...config } });

/** Somebody who may use the workspace, and a token of a client that they signed in to. */
async function signedIn({ store, post }: TestGateway, workspace: string, name: string) {
  const token = await store.sessions.createSetupToken({ name, role: 'member' });
  const opened = await post('/console/setup', { token, name, password: PASSWORD }, OURS);
  const cookie = (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const verifier = 'v'.repeat(43);
  const shown = { client: 'c', redirect: 'http://localhost/cb', challenge: challengeOf(verifier) };
  const asked = {
    ...shown,
    clientName: 'Client',
    resource: PUBLIC,
    scopes: ['search' as const],
    browser: 'b',
  };
  const consent = { person: name, workspace, scopes: ['search' as const] };
  const code = await store.grants.allow(await store.grants.begin(asked), consent);
  const pair = await store.grants.redeem(code ?? '', shown);
  const keys = await store.keys.list(workspace);
  return { cookie, access: pair?.access ?? '', grant: keys.find((key) => key.person === name)?.id ?? '' };
}

const statusWith = async ({ app }: TestGateway, headers: Record<string, string>, path = '/usage') =>
  (await app.request(`http://127.0.0.1${path}`, { headers })).status;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe.runIf(postgres !== undefined)('two gateways on one PostgreSQL', () => {
  let here: TestGateway;
  let there: TestGateway;
  const clock = createTestClock(Date.now());
  beforeAll(async () => {
    const url = (await postgres?.migratedUrl()) ?? '';
    here = await startGateway({ 'store.url': url });
    there = await startGateway({ 'store.url': url }, clock);
  });
  afterAll(async () => {
    await here.close();
    await there.close();
  });

  test('what is revoked at one is refused at the other within a second', async () => {
    const { workspace, key, id } = await here.newKey();
    const one = await signedIn(here, workspace, 'ann');
    const two = await signedIn(here, workspace, 'bea');
    const three = await signedIn(here, workspace, 'cem');
    const revoked: [what: string, token: string, revoke: () => Promise<{ status: number }>][] = [
      ['a key', key, () => here.admin('DELETE', `/keys/${id}`)],
      ['a client', one.access, () => here.admin('DELETE', `/keys/${one.grant}`)],
      ['a person', two.access, () => here.admin('POST', '/people/bea/delete', { confirm: 'bea' })],
      ['a role', three.access, () => here.admin('PATCH', '/people/cem', { role: 'viewer' })],
    ];
    for (const [what, token, revoke] of revoked) {
      expect([what, await statusWith(there, bearer(token))]).toEqual([what, 200]);
      expect((await revoke()).status).toBe(200);
      // The other gateway knows a key for a second and not longer.
      clock.advance(LIMITS.keyKnownMs);
      expect([what, await statusWith(there, bearer(token))]).toEqual([what, 401]);
    }
    expect(LIMITS.keyKnownMs).toBeLessThanOrEqual(1_000);
    // Sessions of people are read at every request.
    expect(await statusWith(there, { cookie: two.cookie }, '/admin/workspaces')).toBe(401);
    expect(await statusWith(there, { cookie: one.cookie }, '/admin/workspaces')).toBe(200);
    await here.admin('DELETE', '/people/ann/sessions');
    expect(await statusWith(there, { cookie: one.cookie }, '/admin/workspaces')).toBe(401);
  });

  test('two owners who take each other’s role away at once leave one', async () => {
    const owners = async () => (await here.store.people.list()).filter(({ role }) => role === 'owner').length;
    for (const name of ['dov', 'eve']) {
      const token = await here.store.sessions.createSetupToken({ name, role: 'owner' });
      await here.store.sessions.setUp({ token, name, password: PASSWORD });
    }
    for (let round = 0; round < 30; round += 1) {
      const done = await Promise.allSettled([
        here.store.people.setRole('eve', 'admin'),
        there.store.people.setRole('dov', 'admin'),
      ]);
      expect([round, await owners()]).toEqual([round, 1]);
      expect(done.filter(({ status }) => status === 'rejected')).toHaveLength(1);
      await here.store.people.setRole('dov', 'owner');
      await here.store.people.setRole('eve', 'owner');
    }
  });
});

describe('a gateway on SQLite, which only one may have', () => {
  test('refuses within a second what a command has revoked', async () => {
    const clock = createTestClock(Date.now());
    const gateway = await startGateway({}, clock);
    const { workspace, key, id } = await gateway.newKey();
    const { access } = await signedIn(gateway, workspace, 'ann');
    const owner = await gateway.store.sessions.createSetupToken();
    await gateway.store.sessions.setUp({ token: owner, name: 'root', password: PASSWORD });
    for (const [token, argv] of [
      [key, ['key', 'revoke', id]],
      [access, ['person', 'delete', 'ann', '--yes']],
    ] as const) {
      expect(await statusWith(gateway, bearer(token))).toBe(200);
      expect((await runHeadgate([...argv], { home: gateway.home })).code).toBe(0);
      clock.advance(LIMITS.keyKnownMs);
      expect(await statusWith(gateway, bearer(token))).toBe(401);
    }
    await gateway.close();
  });
});
