import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { includesRole, ROLES, type Role } from '../../src/core/roles.ts';
import { adminRoutes, roleFor } from '../../src/gateway/admin/mount.ts';
import { operations } from '../../src/gateway/operations.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { holdOf } from '../support/ledger/workload.ts';

const PASSWORD = 'correct horse battery';
const OURS = {
  'sec-fetch-site': 'same-origin',
  origin: 'http://127.0.0.1',
  'content-type': 'application/json',
};
let gateway: TestGateway;
type Ask = (method: string, path: string, body?: unknown) => Promise<Response>;
const people = {} as Record<Role, Ask>;

async function join(name: string, role: Role, workspace?: string): Promise<Ask> {
  const token = await gateway.store.sessions.createSetupToken({ name, role, workspace });
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
  gateway = await createTestGateway({ config: { 'server.public_url': 'http://127.0.0.1:8787' } });
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

describe('every role in a workspace at every route', () => {
  interface Place {
    workspace: string;
    subscription: string;
    key: string;
    agent: string;
  }
  const inWorkspace = {} as Record<Role, Ask>;
  let own: Place;
  let other: Place;
  const place = async (): Promise<Place> => {
    const { workspace, subscription, id: key } = await gateway.newKey();
    const agent = await gateway.store.agents.create({ workspace, name: 'Reader' });
    return { workspace, subscription, key, agent: agent.id };
  };
  beforeAll(async () => {
    own = await place();
    other = await place();
    for (const role of ROLES) inWorkspace[role] = await join(`workspace-${role}`, role, own.workspace);
    await join('elsewhere', 'member', other.workspace);
  });

  /** How each route that is open to those who administer a workspace is asked about one. */
  const about: Record<string, (at: Place) => { path?: string; body?: object }> = {
    'GET /subscriptions': () => ({}),
    'GET /workspaces': () => ({}),
    'GET /workspaces/:id': (at) => ({ path: `/workspaces/${at.workspace}` }),
    'GET /agents': (at) => ({ path: `/agents?workspace=${at.workspace}` }),
    'POST /agents': (at) => ({ body: { workspace: at.workspace, name: 'x' } }),
    'GET /agents/:id': (at) => ({ path: `/agents/${at.agent}` }),
    'PATCH /agents/:id': (at) => ({ path: `/agents/${at.agent}`, body: { name: 'x' } }),
    'GET /budgets': (at) => ({ path: `/budgets?workspace=${at.workspace}` }),
    'GET /policies': (at) => ({ path: `/policies?workspace=${at.workspace}` }),
    'GET /approvals': (at) => ({ path: `/approvals?workspace=${at.workspace}` }),
    'GET /policies/test': (at) => ({ path: `/policies/test?text=x&workspace=${at.workspace}` }),
    'GET /events': (at) => ({ path: `/events?workspace=${at.workspace}` }),
    'GET /keys': (at) => ({ path: `/keys?workspace=${at.workspace}` }),
    'POST /keys': (at) => ({ body: { workspace: at.workspace, label: 'x' } }),
    'GET /keys/:id': (at) => ({ path: `/keys/${at.key}` }),
    'POST /keys/:id/rotate': (at) => ({ path: `/keys/${at.key}/rotate`, body: {} }),
    'DELETE /keys/:id': (at) => ({ path: `/keys/${at.key}` }),
    ...Object.fromEntries(
      (['agent', 'key'] as const).flatMap((kind) => {
        const path = (at: Place) => `/${kind}s/${at[kind]}`;
        return [
          [`GET /${kind}s/:id/dependents`, (at: Place) => ({ path: `${path(at)}/dependents` })],
          [`POST /${kind}s/:id/rename`, (at: Place) => ({ path: `${path(at)}/rename`, body: { name: 'x' } })],
          [`POST /${kind}s/:id/delete`, (at: Place) => ({ path: `${path(at)}/delete`, body: {} })],
          [
            `POST /${kind}s/:id/archive`,
            (at: Place) => ({ path: `${path(at)}/archive`, body: { archived: false } }),
          ],
        ];
      }),
    ),
    'GET /people': () => ({}),
    'POST /people': (at) => ({ body: { name: 'new', role: 'viewer', workspace: at.workspace } }),
    'PATCH /people/:name': (at) => ({
      path: '/people/elsewhere',
      body: { role: 'viewer', workspace: at.workspace },
    }),
    'PATCH /workspaces/:id': (at) => ({ path: `/workspaces/${at.workspace}`, body: { keep_queries: true } }),
    'GET /calls': (at) => ({ path: `/calls?workspace=${at.workspace}` }),
    'GET /usage/export': (at) => ({ path: `/usage/export?workspace=${at.workspace}` }),
    'GET /usage': (at) => ({ path: `/usage?by=key&workspace=${at.workspace}` }),
  };

  /** What went otherwise than the role says, for one role at one route. */
  async function wrongs(route: (typeof adminRoutes)[number], role: Role): Promise<unknown[]> {
    const asked = about[`${route.method} ${route.path}`];
    const ask = async (given: { path?: string; body?: object }) => {
      const path = `/admin${given.path ?? route.path.replace(/:\w+/g, own.workspace)}`;
      const answer = await inWorkspace[role](route.method, path, given.body);
      return { status: answer.status, text: await answer.text() };
    };
    if (asked === undefined || route.scopeToWorkspace === undefined) {
      const { status } = await ask(route.method === 'GET' ? {} : { body: {} });
      return status === 403 && asked === undefined && !route.scopeToWorkspace ? [] : ['undeclared', status];
    }
    const wrong: unknown[] = [];
    const here = await ask(asked(own));
    // A deletion is asked for without the confirmation.
    const done = route.path.endsWith('/delete') ? 409 : 200;
    if (here.status !== (includesRole(role, roleFor(route)) ? done : 403)) wrong.push(['own', here]);
    if (Object.values(other).some((id) => here.text.includes(id))) wrong.push(['leak', here]);
    // A list that cannot be asked about one workspace is limited to one's own by itself.
    const { path, body } = asked(other);
    if (path === undefined && body === undefined) return wrong;
    const there = await ask(asked(other));
    if (![403, 404].includes(there.status)) wrong.push(['other', there]);
    if (body !== undefined && 'workspace' in body) {
      const { workspace: _, ...everywhere } = body as Record<string, unknown>;
      const wide = await ask({ ...(path === undefined ? {} : { path }), body: everywhere });
      if (![400, 403].includes(wide.status)) wrong.push(['everywhere', wide]);
    }
    return wrong;
  }

  test.each(adminRoutes)('$method $path', async (route) => {
    for (const role of ROLES) expect([role, await wrongs(route, role)]).toEqual([role, []]);
    // What was tried elsewhere has changed nothing there.
    expect(await gateway.store.keys.list(other.workspace)).toHaveLength(1);
    expect((await gateway.store.keys.get(other.key)).revoked).toBeNull();
    expect(await gateway.store.agents.list(other.workspace)).toMatchObject([{ name: 'Reader' }]);
  });

  /** Every route of the console with what it needs; `everybody` are those who are signed in, or not even that. */
  const consoleRoutes: Record<string, Role | 'everybody'> = {
    'GET /console/session': 'everybody',
    'POST /console/sign-in': 'everybody',
    'POST /console/sign-out': 'everybody',
    'POST /console/setup': 'everybody',
    'POST /console/password': 'everybody',
    'GET /console/factor': 'everybody',
    'POST /console/factor': 'everybody',
    'POST /console/factor/off': 'everybody',
    'GET /console/api/overview': 'viewer',
    'GET /console/api/live': 'everybody',
    'GET /console/failures-ja.json': 'everybody',
    'GET /console/warnings-ja.json': 'everybody',
    'GET /console/api/audit': 'viewer',
    'GET /console/api/agents/:id': 'viewer',
    'GET /console/api/connect': 'everybody',
    'GET /console/api/ledger.csv': 'viewer',
    'GET /console/api/research/:id': 'member',
    'GET /console/consent/:id': 'member',
    'POST /console/consent/:id': 'member',
    'GET /console/:file{.+}': 'everybody',
    ...Object.fromEntries(operations.map(({ contract }) => [`POST /console/run/${contract.name}`, 'member'])),
  };

  test('lists are limited to one’s own workspace', async () => {
    const list = async (path: string) => (await inWorkspace.viewer('GET', `/admin${path}`)).json();
    expect(await list('/workspaces')).toMatchObject({ workspaces: [{ id: own.workspace }] });
    expect(await list('/subscriptions')).toMatchObject({ subscriptions: [{ id: own.subscription }] });
    const { people: seen } = (await list('/people')) as { people: { name: string; role: null }[] };
    expect(seen.map(({ role }) => role)).toEqual(seen.map(() => null));
    expect(seen.map(({ name }) => name)).toContain('workspace-viewer');
    expect(seen.map(({ name }) => name)).not.toContain('owner');
  });

  test('every route of the console is declared', () => {
    const served = gateway.app.routes
      .filter(({ path }) => path.startsWith('/console'))
      .map(({ method, path }) => `${method} ${path}`);
    expect(new Set(served)).toEqual(new Set(Object.keys(consoleRoutes)));
  });

  test('the console shows and does only what belongs to the workspace', async () => {
    for (const role of ROLES) {
      const ask = inWorkspace[role];
      const status = async (method: string, path: string, body?: object) =>
        (await ask(method, `/console${path}`, body)).status;
      for (const path of ['/api/overview', '/api/audit', '/api/ledger.csv'])
        expect([role, path, await status('GET', path)]).toEqual([role, path, 403]);
      expect(await status('GET', `/api/agents/${own.agent}`)).toBe(200);
      expect(await status('GET', `/api/agents/${other.agent}`)).toBe(403);
      const input = { query: 'mills' };
      const may = includesRole(role, 'member') ? 200 : 403;
      expect([role, await status('POST', '/run/search', { input, workspace: own.workspace })]).toEqual([
        role,
        may,
      ]);
      expect([role, await status('POST', '/run/search', { input, agent: own.agent })]).toEqual([role, may]);
      for (const elsewhere of [{}, { workspace: other.workspace }, { agent: other.agent }])
        expect(await status('POST', '/run/search', { input, ...elsewhere })).toBe(403);
      expect(await status('GET', '/session')).toBe(200);
    }
  });

  test('an invitation into a workspace sets nobody’s password', async () => {
    const owner = inWorkspace.owner;
    const body = { name: 'owner', role: 'viewer', workspace: own.workspace };
    expect((await owner('POST', '/admin/people', body)).status).toBe(409);
    const invited = await owner('POST', '/admin/people', { ...body, name: 'later' });
    const { token } = (await invited.json()) as { token: string };
    await join('later', 'viewer');
    const late = { token, name: 'later', password: 'another password' };
    expect((await gateway.post('/console/setup', late, OURS)).status).toBe(403);
    const signIn = await gateway.post('/console/sign-in', { name: 'later', password: PASSWORD }, OURS);
    expect(signIn.status).toBe(200);
  });

  test('a role that is taken away takes its clients with it', async () => {
    await join('zoe', 'member', own.workspace);
    await gateway.store.people.setRole('zoe', 'viewer', other.workspace);
    const client = { label: 'Client', client: 'c', person: 'zoe' };
    const { record } = await gateway.store.keys.create({ workspace: own.workspace, ...client });
    const revoked = async () => (await gateway.store.keys.get(record.id)).revoked;
    await gateway.store.people.setRole('zoe', 'admin', own.workspace);
    expect(await revoked()).toBeNull();
    await gateway.store.people.setRole('zoe', null, own.workspace);
    expect(await revoked()).not.toBeNull();
    await gateway.store.people.remove('zoe');
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
    expect((await owner('POST', '/admin/people/mira/delete', { confirm: 'mira' })).status).toBe(200);
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
    const refused = await people.owner('POST', '/admin/people/owner/delete', { confirm: 'owner' });
    expect(refused.status).toBe(400);
    expect((await people.owner('PATCH', '/admin/people/owner', { role: 'admin' })).status).toBe(400);
    // The refusal has ended nothing.
    expect((await people.owner('GET', '/admin/people')).status).toBe(200);
    await join('second', 'owner');
    expect((await people.owner('PATCH', '/admin/people/owner', { role: 'admin' })).status).toBe(200);
  });

  test('calls of clients are reported as those of the person who signed in to them', async () => {
    const { workspace, subscription, id: own } = await gateway.newKey({ tier: 'pro' });
    await gateway.store.accounts.topUp({ subscription, amount: 1_000_000 });
    const client = { workspace, label: 'Client', client: 'c', person: 'ines' };
    const { record } = await gateway.store.keys.create(client);
    for (const [at, key] of [record.id, record.id, own].entries())
      await gateway.store.database.book({ ...holdOf(`by-${at}`, subscription), workspace, key });
    const usage = async (query: string) =>
      (await gateway.admin('GET', `/usage?subscription=${subscription}&${query}`)).body['usage'];
    expect(await usage('by=person')).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ group: { person: 'ines' }, calls: 2 }),
        expect.objectContaining({ group: { person: null }, calls: 1 }),
      ]),
    );
    expect(await usage('by=person,provider&person=ines')).toMatchObject([
      { group: { person: 'ines', provider: 'tavily' }, calls: 2, credits: 2 },
    ]);
    expect(await usage('person=nobody')).toEqual([]);
  });
});
