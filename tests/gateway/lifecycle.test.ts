import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lifeVerbs } from '../../src/cli/accounts/life.ts';
import { COMMAND_LINE } from '../../src/cli/verbs.ts';
import { parseCommandLine } from '../../src/core/command-line.ts';
import { createTestClock } from '../support/clock.ts';
import { LIMITS } from '../../src/core/limits.ts';
import { audited } from '../../src/store/audit.ts';
import { LIFE_KINDS, type LifeKind } from '../../src/store/lifecycle.ts';
import { runHeadgate } from '../support/cli.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { holdOf, settleOf } from '../support/ledger/workload.ts';
import { startPostgres } from '../support/postgres.ts';

const PASSWORD = 'correct horse battery';
const OURS = {
  'sec-fetch-site': 'same-origin',
  origin: 'http://127.0.0.1',
  'content-type': 'application/json',
};
const PLURALS: Record<LifeKind, string> = {
  workspace: 'workspaces',
  agent: 'agents',
  key: 'keys',
  person: 'people',
};
const postgres = await startPostgres();
afterAll(async () => postgres?.stop());

let count = 0;
/** A workspace with an agent, a key of the agent, a person with a client, a budget of each, and a webhook. */
async function furnish({ store }: TestGateway) {
  count += 1;
  const workspace = await store.accounts.createWorkspace({ name: `Mill ${count}`, tier: 'pro' });
  const agent = await store.agents.create({ workspace: workspace.id, name: 'Reader' });
  const mine = await store.keys.create({ workspace: workspace.id, label: 'ci', agent: agent.id });
  const person = `ann-${count}`;
  const token = await store.sessions.createSetupToken({ name: person, role: 'member' });
  await store.sessions.setUp({ token, name: person, password: PASSWORD });
  const client = await store.keys.create({ workspace: workspace.id, label: 'Client', client: 'c', person });
  const subjects = { workspace: workspace.id, agent: agent.id, key: mine.record.id, person };
  for (const level of LIFE_KINDS)
    await store.budgets.set({
      workspace: workspace.id,
      level,
      subject: subjects[level],
      unit: 'credits',
      amount: 100,
      period: 'day',
    });
  await store.webhooks.add({ url: 'https://hooks.example/x', workspace: workspace.id });
  return { ids: subjects, subscription: workspace.subscription, key: mine.key, client: client.key };
}
type Furnished = Awaited<ReturnType<typeof furnish>>;

const pathOf = (kind: LifeKind, { ids }: Furnished) => `/${PLURALS[kind]}/${encodeURIComponent(ids[kind])}`;
const callWith = async ({ app }: TestGateway, key: string) => {
  const answer = await app.request('http://127.0.0.1/usage', { headers: { authorization: `Bearer ${key}` } });
  return { status: answer.status, text: await answer.text() };
};
const rowsIn = async ({ store }: TestGateway, sql: string, ...values: string[]) =>
  (await store.database.read(sql, ...values)).length;

/** What must hold of every gateway, whatever its store. */
function lifeCycle(start: () => Promise<{ here: TestGateway; there: TestGateway; later(): void }>) {
  let here: TestGateway;
  let there: TestGateway;
  let later: () => void;
  beforeAll(async () => {
    ({ here, there, later } = await start());
    // Somebody else is owner, and has a key.
    const token = await here.store.sessions.createSetupToken({ name: 'root', role: 'owner' });
    await here.store.sessions.setUp({ token, name: 'root', password: PASSWORD });
    await here.newKey();
  });
  afterAll(async () => {
    await here.close();
    if (there !== here) await there.close();
  });

  test.each(LIFE_KINDS)(
    '%s: archived, its calls are refused and say why; restored, they are served',
    async (kind) => {
      const at = await furnish(here);
      const key = kind === 'person' ? at.client : at.key;
      expect((await callWith(there, key)).status).toBe(200);
      const archive = (archived: boolean) => here.admin('POST', `${pathOf(kind, at)}/archive`, { archived });
      expect(await archive(true)).toMatchObject({
        status: 200,
        body: { kind, archived: expect.any(Number) },
      });
      later();
      const refused = await callWith(there, key);
      expect(refused.status).toBe(403);
      expect(refused.text).toContain(`The ${kind} of this call is archived.`);
      expect(await archive(false)).toMatchObject({ status: 200, body: { archived: null } });
      later();
      expect((await callWith(there, key)).status).toBe(200);
    },
  );

  test.each(LIFE_KINDS)('%s: deleted after it was said what depends on it, and confirmed', async (kind) => {
    const at = await furnish(here);
    const dependents = await here.admin('GET', `${pathOf(kind, at)}/dependents`);
    expect(dependents.body).toMatchObject({
      obstacle: null,
      counts: { budgets: kind === 'workspace' ? 4 : 1 },
    });
    const unsure = await here.admin('POST', `${pathOf(kind, at)}/delete`, { confirm: 'Mill' });
    expect(unsure.status).toBe(409);
    expect(JSON.stringify(unsure.body)).toMatch(/Depends on it: .*budgets \d/);
    expect((await callWith(here, at.key)).status).toBe(200);
    const done = await here.admin('POST', `${pathOf(kind, at)}/delete`, { confirm: at.ids[kind] });
    expect([kind, done.status]).toEqual([kind, 200]);
    later();
    expect((await callWith(there, kind === 'person' ? at.client : at.key)).status).toBe(401);
    expect((await here.admin('GET', `${pathOf(kind, at)}/dependents`)).status).toBe(404);
    expect(await rowsIn(here, 'SELECT 1 FROM budgets WHERE subject = ?', at.ids[kind])).toBe(0);
  });

  test.each(['workspace', 'agent', 'key'] as const)('%s: what was booked is not deleted', async (kind) => {
    const at = await furnish(here);
    const { workspace, agent, key } = at.ids;
    await here.store.accounts.topUp({ subscription: at.subscription, amount: 1_000_000 });
    const id = `booked-${count}`;
    await here.store.database.book({ ...holdOf(id, at.subscription), workspace, agent: `x/${agent}`, key });
    await here.store.database.book(settleOf(id, at.subscription, 1));
    const refused = await here.admin('POST', `${pathOf(kind, at)}/delete`, { confirm: at.ids[kind] });
    expect(refused.status).toBe(409);
    expect(JSON.stringify(refused.body)).toMatch(/bookings \d.+archived but not deleted.+archive /);
    await expect(here.store.life.remove(kind, at.ids[kind])).rejects.toThrow(/archived but not deleted/);
    expect((await here.admin('POST', `${pathOf(kind, at)}/archive`, {})).status).toBe(200);
    expect(await here.store.database.check()).toEqual([]);
  });

  test('a deletion and a booking at once: whatever was booked has its workspace', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { ids, subscription } = await furnish(here);
      const book = () => there.store.accounts.topUp({ subscription, amount: 5 }).catch(() => undefined);
      const remove = () => here.store.life.remove('workspace', ids.workspace).catch(() => undefined);
      await Promise.all(round % 2 === 0 ? [book(), remove()] : [remove(), book()]);
      const booked = await rowsIn(here, 'SELECT 1 FROM ledger WHERE subscription = ?', subscription);
      const left = await rowsIn(here, 'SELECT 1 FROM workspaces WHERE id = ?', ids.workspace);
      const account = await rowsIn(here, 'SELECT 1 FROM subscriptions WHERE id = ?', subscription);
      expect([round, left, account]).toEqual([round, booked, booked]);
    }
    expect(await here.store.database.check()).toEqual([]);
  });
}

describe('on one gateway with SQLite', () => {
  let gateway: TestGateway;
  lifeCycle(async () => {
    gateway = await createTestGateway();
    return { here: gateway, there: gateway, later: () => undefined };
  });

  test('every command and every change is in the audit log', async () => {
    const said: Record<string, (kind: LifeKind) => RegExp> = {
      rename: (kind) => (kind === 'person' ? /^renamed ann-\d+ to new-\d+$/ : /^renamed the .+ to new-\d+/),
      archive: () => /^archived /,
      restore: () => /^restored /,
      delete: (kind) => (kind === 'person' ? /^removed new-/ : /^deleted the .+new-\d+/),
    };
    for (const kind of LIFE_KINDS) {
      const at = await furnish(gateway);
      let id = at.ids[kind];
      for (const [name, verb] of Object.entries(lifeVerbs(kind))) {
        const args = parseCommandLine(
          [id, ...(name === 'rename' ? [`new-${count}`] : name === 'delete' ? ['--yes'] : [])],
          verb.flags ?? [],
          9,
        );
        const value = await verb.run(audited(gateway.store, COMMAND_LINE()), {
          args,
          words: args.words,
          flag: () => undefined,
          need: (given) => given ?? '',
          url: '',
          services: gateway.parts.services,
        });
        if (kind === 'person') id = `new-${count}`;
        expect(verb.render(value)).toContain(`new-${count}`);
        const [entry] = await gateway.store.sessions.audit(1);
        expect([kind, name, entry?.action]).toEqual([
          kind,
          name,
          expect.stringMatching(said[name]?.(kind) ?? /never/),
        ]);
      }
    }
  });

  test('on the command line nothing is deleted without --yes', async () => {
    const { ids } = await furnish(gateway);
    const { code, err } = await runHeadgate(['workspace', 'delete', ids.workspace], { home: gateway.home });
    expect(code).toBe(2);
    expect(err).toMatch(
      /Depends on it: agents 1, keys 2, budgets 4, webhooks 1\. To delete all of this, add --yes\./,
    );
    expect((await gateway.store.accounts.workspace(ids.workspace)).archived).toBeNull();
  });

  test('a person who is renamed keeps keys and budgets; a name that is taken is refused', async () => {
    const at = await furnish(gateway);
    const other = await furnish(gateway);
    const taken = await gateway.admin('POST', `${pathOf('person', at)}/rename`, { name: other.ids.person });
    expect(taken.status).toBe(409);
    expect(await rowsIn(gateway, 'SELECT 1 FROM api_keys WHERE person = ?', at.ids.person)).toBe(1);
    expect((await gateway.admin('POST', `${pathOf('person', at)}/rename`, { name: 'bea' })).status).toBe(200);
    expect(await rowsIn(gateway, 'SELECT 1 FROM api_keys WHERE person = ?', 'bea')).toBe(1);
    expect(await rowsIn(gateway, 'SELECT 1 FROM budgets WHERE subject = ?', 'bea')).toBe(1);
    expect(await gateway.store.sessions.verify('bea', PASSWORD)).toMatchObject({ name: 'bea' });
  });

  test('somebody who is archived can neither go on nor sign in; the last owner is not archived', async () => {
    const { ids } = await furnish(gateway);
    const signIn = () => gateway.post('/console/sign-in', { name: ids.person, password: PASSWORD }, OURS);
    const cookie = ((await signIn()).headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const look = async () =>
      (await gateway.app.request('http://127.0.0.1/admin/workspaces', { headers: { cookie } })).status;
    expect(await look()).toBe(200);
    await gateway.store.life.archive('person', ids.person);
    expect([await look(), (await signIn()).status]).toEqual([401, 401]);
    await gateway.store.life.archive('person', ids.person, false);
    expect([await look(), (await signIn()).status]).toEqual([200, 200]);
    const refused = await gateway.admin('POST', '/people/root/archive', {});
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      400,
      expect.stringContaining('last owner'),
    ]);
  });

  test('without a key, too, archived ones are refused; and the last keys are not deleted', async () => {
    const open = await createTestGateway({ config: { 'server.keyless': true } });
    const { ids } = await furnish(open);
    const list = async () => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      const accept = 'application/json, text/event-stream';
      const answer = await open.post(`/mcp/agents/${ids.agent}`, body, { accept });
      return { status: answer.status, text: await answer.text() };
    };
    expect((await list()).status).toBe(200);
    for (const kind of ['agent', 'workspace'] as const) {
      await open.store.life.archive(kind, ids[kind]);
      expect((await list()).text).toContain(`The ${kind} of this call is archived.`);
      await open.store.life.archive(kind, ids[kind], false);
    }
    // A gateway that has no keys serves everybody on its machine.
    const remove = () => open.store.life.remove('workspace', ids.workspace);
    await expect(remove()).rejects.toThrow(/a gateway without keys serves everybody/);
    await open.newKey();
    await remove();
    expect(await open.store.keys.list()).toHaveLength(1);
    await open.close();
  });
});

describe.runIf(postgres !== undefined)('on two gateways with PostgreSQL', () => {
  lifeCycle(async () => {
    const clock = createTestClock(Date.now());
    const config = { 'store.url': (await postgres?.migratedUrl()) ?? '' };
    const [here, there] = [await createTestGateway({ config }), await createTestGateway({ config, clock })];
    return { here, there, later: () => clock.advance(LIMITS.keyKnownMs) };
  });
});
