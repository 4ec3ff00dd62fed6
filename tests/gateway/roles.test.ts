import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { includesRole, ROLES, type Role } from '../../src/core/roles.ts';
import { adminRoutes, roleFor } from '../../src/gateway/admin/mount.ts';
import { operations } from '../../src/gateway/operations.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

const PASSWORD = 'correct horse battery';
const OURS = {
  'sec-fetch-site': 'same-origin',
  origin: 'http://127.0.0.1',
  'content-type': 'application/json',
};
let gateway: TestGateway;
type Ask = (method: string, path: string, body?: unknown) => Promise<Response>;
const people = {} as Record<Role, Ask>;

async function join(name: string, role?: Role): Promise<Ask> {
  const token = await gateway.store.sessions.createSetupToken(
    role === undefined ? undefined : { name, role },
  );
  const made = await gateway.post('/console/setup', { token, name, password: PASSWORD }, OURS);
  expect(made.status).toBe(200);
  const cookie = (made.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const { csrf } = (await made.json()) as { csrf: string };
  return async (method, path, body) =>
    gateway.app.request(`http://127.0.0.1${path}`, {
      method,
      headers: { ...OURS, cookie, 'x-csrf-token': csrf },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
}

beforeAll(async () => {
  gateway = await createTestGateway();
  for (const role of ROLES) people[role] = await join(role, role);
});
afterAll(() => gateway.close());

describe('every role at every route', () => {
  const routes = adminRoutes.map((route) => ({
    method: route.method,
    // Nothing of this name exists, so who is let in changes nothing.
    path: `/admin${route.path.replace(/:\w+/g, 'nothing-of-this-name')}`,
    needed: roleFor(route),
  }));
  const runs = operations.map(({ contract }) => ({
    method: 'POST' as const,
    path: `/console/run/${contract.name}`,
    needed: 'member' as Role,
  }));
  test.each([...routes, ...runs])('$method $path needs $needed', async ({ method, path, needed }) => {
    for (const role of ROLES) {
      // A body that no route accepts: roles are checked before it is read.
      const body = method === 'GET' ? undefined : { 'no such field': true };
      const { status } = await people[role](method, path, body);
      expect([role, status === 403]).toEqual([role, !includesRole(role, needed)]);
    }
  });

  test('people change nothing about people unless they are owners', () => {
    const writes = adminRoutes.filter(({ path, method }) => path.startsWith('/people') && method !== 'GET');
    expect(writes.length).toBeGreaterThan(3);
    expect(new Set(writes.map(roleFor))).toEqual(new Set(['owner']));
  });
});

describe('people', () => {
  test('are invited with a role, listed, given another role, and removed', async () => {
    const owner = people.owner;
    const invited = await owner('POST', '/admin/people', { name: 'mira', role: 'viewer' });
    const { token } = (await invited.json()) as { token: string };
    const stranger = { token, name: 'somebody-else', password: PASSWORD };
    expect((await gateway.post('/console/setup', stranger, OURS)).status).toBe(403);
    const mira = { token, name: 'mira', password: PASSWORD };
    expect((await gateway.post('/console/setup', mira, OURS)).status).toBe(200);
    const find = async () => (await gateway.store.people.list()).find(({ name }) => name === 'mira');
    expect(await find()).toMatchObject({ role: 'viewer', sessions: 1 });
    expect((await owner('PATCH', '/admin/people/mira', { role: 'member' })).status).toBe(200);
    expect(await find()).toMatchObject({ role: 'member' });
    expect((await owner('DELETE', '/admin/people/mira/sessions')).status).toBe(200);
    expect(await find()).toMatchObject({ sessions: 0 });
    expect((await owner('DELETE', '/admin/people/mira')).status).toBe(200);
    expect(await find()).toBeUndefined();
    const signIn = await gateway.post('/console/sign-in', { name: 'mira', password: PASSWORD }, OURS);
    expect(signIn.status).toBe(401);
  });

  test('a change of role or a removal takes effect with the next request, and ends clients', async () => {
    const ask = await join('noor', 'admin');
    const { workspace } = await gateway.newKey();
    const { record } = await gateway.store.keys.create({
      workspace,
      label: 'Client',
      client: 'c',
      person: 'noor',
    });
    expect((await ask('GET', '/admin/keys')).status).toBe(200);
    await gateway.store.people.setRole('noor', 'viewer');
    expect((await ask('POST', '/admin/keys', { workspace, label: 'x' })).status).toBe(403);
    await gateway.store.people.remove('noor');
    expect((await ask('GET', '/admin/keys')).status).toBe(401);
    expect((await gateway.store.keys.get(record.id)).revoked).not.toBeNull();
  });

  test('the last owner stays', async () => {
    const refused = await people.owner('DELETE', '/admin/people/owner');
    expect(refused.status).toBe(400);
    expect((await people.owner('PATCH', '/admin/people/owner', { role: 'admin' })).status).toBe(400);
    // The refusal has ended nothing.
    expect((await people.owner('GET', '/admin/people')).status).toBe(200);
    await join('second', 'owner');
    expect((await people.owner('PATCH', '/admin/people/owner', { role: 'admin' })).status).toBe(200);
  });
});
