import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  exportWorkspace,
  planImport,
  readSettings,
  renderSettings,
} from '../../src/cli/accounts/workspace-settings.ts';
import { settingRules } from '../../src/config/names.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { runHeadgate } from '../support/cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'headgate-settings-'));
for (const name of ['mill.wacz', 'weir.warc.gz']) writeFileSync(join(folder, name), '');
const stores = new Map<string, Store>();
const open = (name: string): Store => {
  const known = stores.get(name);
  if (known !== undefined) return known;
  const rules = settingRules({ tiers: { free: {}, pro: {} }, web: { folder } });
  const options = { clock: systemClock, log: silentLogger, exclusive: false, passwordCost: 1_024, rules };
  const store = createStore({ location: join(folder, name, 'headgate.db'), ...options });
  stores.set(name, store);
  return store;
};
afterAll(() => Promise.all([...stores.values()].map((store) => store.close())));

async function join_(store: Store, name: string): Promise<void> {
  const token = await store.sessions.createSetupToken({ name, role: 'viewer' });
  await store.sessions.setUp({ token, name, password: 'correct horse battery' });
}

/** A workspace with something of every kind that a file can hold, and of what it must not. */
async function furnished() {
  const store = open('from');
  const { id } = await store.accounts.createWorkspace({ name: 'Mill "one" 水車', tier: 'pro' });
  const reader = await store.agents.create({
    workspace: id,
    name: 'Reader',
    settings: { searchWebProvider: 'tavily' },
  });
  await store.agents.create({ workspace: id, name: 'Fetcher', settings: { fetchWebProvider: 'jina' } });
  const gone = await store.agents.create({ workspace: id, name: 'Gone' });
  const gonesBudget = {
    level: 'agent',
    subject: gone.id,
    unit: 'credits',
    amount: 3,
    period: 'month',
  } as const;
  await store.budgets.set({ workspace: id, ...gonesBudget });
  await store.life.archive('agent', gone.id);
  const { key, record } = await store.keys.create({ workspace: id, label: 'ci' });
  const { secret } = await store.webhooks.add({ url: 'https://hooks.example/T0/very-secret', workspace: id });
  await join_(store, 'ann');
  await store.people.setRole('ann', 'member', id);
  await store.accounts.setKeeps(id, { queries: true });
  await store.accounts.setWeb(id, { web: 'mill.wacz, weir.warc.gz', asOf: '2026-01-31' });
  const budget = { workspace: id, period: 'month' };
  await store.budgets.set({
    ...budget,
    level: 'workspace',
    unit: 'money',
    amount: 5_000_001,
    zone: 'Asia/Tokyo',
  });
  await store.budgets.set({
    ...budget,
    level: 'agent',
    subject: reader.id,
    unit: 'credits',
    amount: 10,
    hard: false,
  });
  await store.budgets.set({
    ...budget,
    level: 'person',
    subject: 'ann',
    unit: 'credits',
    amount: 7,
    period: '7d',
  });
  return { store, id, secrets: [key, secret, 'very-secret', record.id] };
}

test('an exported workspace is made again elsewhere, equal, without secrets; a second import changes nothing', async () => {
  const { store, id, secrets } = await furnished();
  const text = renderSettings(await exportWorkspace(store, id));
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  expect(text).not.toContain('Gone');
  expect(readSettings(text, 'mill.toml').budgets).toHaveLength(3);
  const file = join(folder, 'mill.toml');
  writeFileSync(file, text);
  const home = join(folder, 'to');
  const run = (...argv: string[]) =>
    runHeadgate(['workspace', ...argv], { home, env: { HEADGATE_WEB__FOLDER: folder } });

  const dry = await run('import', file, '--dry-run');
  expect(dry.out).toMatch(/^would change {2}workspace Mill "one" 水車 \(ws_\w+\): new, tier pro\n/);
  expect(dry.out).toContain('would change  budget agent Reader in credits per month: 10, soft, UTC');
  expect(dry.out).toContain('note  ann does not exist here: headgate person invite ann --role member');
  const target = open('to');
  expect(await target.accounts.workspaces()).toEqual([]);

  await join_(target, 'ann');
  expect((await run('import', file)).code).toBe(0);
  expect((await run('export', id)).out).toBe(text);
  const again = await run('import', file, '--json');
  expect(JSON.parse(again.out)).toMatchObject({ changes: [], notes: [], applied: true });
  const [entry] = await target.sessions.audit(1);
  expect(entry?.action).toMatch(/^set the .+ budget/);

  expect((await run('show', id)).out).toContain('mill.wacz,weir.warc.gz, as of 2026-01-31');
  const refused = await run('set', id, '--web', '../from/headgate.db');
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('is not the name of a snapshot')]);
  expect((await run('set', id, '--web', 'live')).out).not.toContain('.wacz');
  expect((await run('set', id, '--as-of', '2026-01-31')).err).toContain('no snapshot to look back into');
});

test('only what differs changes, and what the file does not name stays and is said', async () => {
  const store = open('differs');
  const { id } = await store.accounts.createWorkspace({ name: 'Mill', tier: 'free' });
  await store.agents.create({ workspace: id, name: 'Reader', settings: { searchWebProvider: 'tavily' } });
  await store.agents.create({ workspace: id, name: 'Other' });
  const settings = await exportWorkspace(store, id);
  const wanted = readSettings(
    renderSettings({
      ...settings,
      workspace: { ...settings.workspace, name: 'Weir', tier: 'pro' },
      agents: [{ name: 'Reader', fetch: 'jina' }],
    }),
    'x.toml',
  );
  const plan = await planImport(store, wanted);
  expect(plan.changes.map(({ says }) => says)).toEqual([
    'name: Mill → Weir',
    'tier: free → pro',
    'agent Reader: search off, fetch jina',
  ]);
  expect(plan.notes).toEqual(['agent Other is not in the file and stays as it is.']);
  for (const change of plan.changes) await change.apply();
  expect((await planImport(store, wanted)).changes).toEqual([]);
  expect((await store.agents.list(id)).map((agent) => agent.name)).toEqual(['Reader', 'Other']);
});

const base = '[workspace]\nid = "ws_x"\nname = "X"\ntier = "pro"\n';
test.each([
  ['no TOML', '[workspace', /is not valid TOML/],
  ['an unknown field', `${base}colour = "red"\n`, /unknown field colour/],
  ['a date without a snapshot', `${base}as_of = "2026-01-31"\n`, /as_of.*needs a snapshot/],
  ['a snapshot that is not there', `${base}web = "none.wacz"\n`, /none\.wacz/],
  ['an unknown tier', base.replace('"pro"', '"gold"'), /gold/],
  ['an unknown provider', `${base}[[agents]]\nname = "a"\nsearch = "nobody"\n`, /nobody/],
  [
    'two agents of one name',
    `${base}[[agents]]\nname = "a"\n[[agents]]\nname = "a"\n`,
    /Two agents are called a/,
  ],
  ['a budget of nothing', `${base}[[budgets]]\nper = "day"\n`, /either credits or usd/],
  ['a budget per fortnight', `${base}[[budgets]]\ncredits = 1\nper = "fortnight"\n`, /not a period/],
  ['a zone that is none', `${base}[[budgets]]\ncredits = 1\nper = "day"\nzone = "Mars"\n`, /not a time zone/],
  [
    'a budget of an agent that is not there',
    `${base}[[budgets]]\nagent = "b"\ncredits = 1\nper = "day"\n`,
    /no agent b/,
  ],
  ['a role that is none', `${base}[[people]]\nname = "ann"\nrole = "king"\n`, /must be one of/],
])('%s is refused before anything is changed', async (_, text, expected) => {
  const plan = async () => planImport(open('refused'), readSettings(text, 'bad.toml'));
  await expect(plan()).rejects.toThrow(expected);
});
