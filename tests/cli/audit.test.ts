import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lifeVerbs } from '../../src/cli/accounts/life.ts';
import { COMMANDS } from '../../src/cli/run.ts';
import { systemClock } from '../../src/core/clock.ts';
import { readConfig } from '../../src/engine/engine.ts';
import { lifeRoutes } from '../../src/gateway/admin/life.ts';
import { adminRoutes } from '../../src/gateway/admin/mount.ts';
import type { AdminRoute } from '../../src/gateway/admin/route.ts';
import { AUDITED, DEEDS } from '../../src/store/audit.ts';
import { BUDGET_UNITS } from '../../src/store/ledger/budget.ts';
import { LIFE_KINDS } from '../../src/store/lifecycle.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { silentLogger } from '../../src/core/log.ts';
import { runHeadgate } from '../support/cli.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { holdOf } from '../support/ledger/workload.ts';

/** Somebody, something of everything, and a request in doubt. */
async function furnish(store: Store) {
  const workspace = await store.accounts.createWorkspace({ name: 'Mill', tier: 'pro' });
  const { id: agent } = await store.agents.create({ workspace: workspace.id, name: 'Reader' });
  const [first, second] = await Promise.all(
    ['a', 'b'].map((label) => store.keys.create({ workspace: workspace.id, label })),
  );
  for (const name of ['ann', 'bea']) {
    const token = await store.sessions.createSetupToken({ name, role: 'owner' });
    await store.sessions.setUp({ token, name, password: 'correct horse battery' });
  }
  await store.accounts.topUp({ subscription: workspace.subscription, amount: 80_000 });
  await store.database.book(holdOf('asked-1', workspace.subscription));
  await store.database.book({
    kind: 'doubt',
    id: 'asked-1',
    subscription: workspace.subscription,
    reason: 'No answer.',
  });
  const budget = await store.budgets.set({
    workspace: workspace.id,
    level: 'workspace',
    unit: BUDGET_UNITS.find((unit) => unit !== 'credits') ?? 'credits',
    amount: 1_000_000,
    period: 'month',
  });
  await store.policies.set({ workspace: workspace.id, agent }, { deny: ['c.example'] });
  const [approved, denied] = await Promise.all(
    ['https://a.example/', 'https://b.example/'].map((url) =>
      store.approvals.ask({ owner: 'agent a', payers: [] }, { url, reason: 'It was not shown.', agent }),
    ),
  );
  const { webhook } = await store.webhooks.add({ url: 'https://hooks.example/T0/secret' });
  return {
    webhook: webhook.id,
    approved: approved?.code ?? '',
    denied: denied?.code ?? '',
    budget: budget.id,
    workspace: workspace.id,
    subscription: workspace.subscription,
    agent,
    rotated: first?.record.id ?? '',
    revoked: second?.record.id ?? '',
  };
}

/** Settings that differ in one thing. */
function settingsFile(home: string, workspace: string): string {
  const path = join(home, 'mill.toml');
  const text = `[workspace]\nid = "${workspace}"\nname = "Mill"\ntier = "starter"\nkeep_queries = true\n`;
  writeFileSync(path, text);
  return path;
}

const PROVIDER_KEY = 'tvly-of-the-audit-0123';
/** The beginning of a hash of the provider and the key. */
const PROVIDER_KEY_NAME = 'ad1a92afcb0e';

const latestOf = async (store: Store) => (await store.sessions.audit(1))[0];

describe('what commands change is in the audit log, in words', () => {
  const home = mkdtempSync(join(tmpdir(), 'headgate-audit-'));
  let store: Store;
  let at: Awaited<ReturnType<typeof furnish>>;
  beforeAll(async () => {
    store = createStore({
      location: join(home, 'headgate.db'),
      clock: systemClock,
      log: silentLogger,
      exclusive: false,
      passwordCost: 1_024,
    });
    at = await furnish(store);
  });
  afterAll(() => store.close());

  /** Every command that changes accounts, with what the log says. */
  const writing: Record<string, () => [argv: string[], said: RegExp]> = {
    console: () => [[], /^created a link that sets a password$/],
    'workspace create': () => [['Weir'], /^created the workspace Weir \(ws_\w+\)$/],
    'workspace set': () => [
      [at.workspace, '--tier', 'starter'],
      /^set the tier of Mill \(sub_\w+\) to starter$/,
    ],
    'workspace import': () => [
      [settingsFile(home, at.workspace)],
      /^set what Mill \(ws_\w+\) keeps of its calls: queries yes, answers no$/,
    ],
    'agent create': () => [
      ['Scout', '--workspace', at.workspace],
      /^created the agent Scout in Mill \(ws_\w+\)$/,
    ],
    'agent set': () => [
      [at.agent, '--search', 'tavily'],
      /^changed the agent Reader of Mill .*: search tavily, fetch off$/,
    ],
    'key create': () => [
      ['--workspace', at.workspace, '--label', 'ci'],
      /^created the key \w+ \(ci\) of Mill .* for search/,
    ],
    'key rotate': () => [[at.rotated], /^replaced the key \w+ \(a\) of Mill .* by \w+$/],
    'key revoke': () => [[at.revoked], /^revoked the key \w+ \(b\) of Mill \(ws_\w+\)$/],
    'budget set': () => [
      [at.workspace, '--credits', '50', '--per', 'day'],
      /^set the hard budget of workspace ws_\w+ in Mill \(ws_\w+\) to 50 credits per day$/,
    ],
    'budget remove': () => [
      [at.budget],
      /^removed the budget of \$1\.00 per month of workspace ws_\w+ in Mill/,
    ],
    'policy set': () => [
      [at.workspace, '--deny', 'a.example'],
      /^set the policy of workspace ws_\w+ in Mill \(ws_\w+\) to \{"deny":\["a\.example"\]\}$/,
    ],
    'policy approve': () => [[at.approved], /^allowed the address of [\w-]+ on a\.example for \w+$/],
    'policy deny': () => [[at.denied], /^denied the address of [\w-]+ on b\.example for \w+$/],
    'policy remove': () => [[at.agent], /^removed the policy of agent \w+ in Mill/],
    'webhook add': () => [['https://hooks.example/T0/secret'], /^added the webhook \w+ to hooks\.example$/],
    'webhook rotate': () => [[at.webhook], /^replaced the secret of the webhook \w+ to hooks\.example$/],
    'webhook test': () => [[at.webhook], /^sent a test event to the webhook \w+$/],
    'webhook replay': () => [[at.webhook], /^had events delivered again to the webhook \w+$/],
    'webhook remove': () => [[at.webhook], /^removed the webhook \w+ to hooks\.example$/],
    'credits top-up': () => [[at.workspace, '5.25'], /^added \$5\.25 to Mill \(sub_\w+\)$/],
    'person invite': () => [
      ['cem', '--role', 'member', '--workspace', at.workspace],
      /^invited cem as member of Mill/,
    ],
    'person role': () => [['bea', 'viewer'], /^made bea viewer$/],
    'person reset-factor': () => [['bea'], /^switched off the second factor of bea$/],
    'person delete': () => [['bea', '--yes'], /^removed bea$/],
    'ledger in-doubt': () => [
      ['resolve', 'asked-1', '--billed', '1'],
      /^resolved the request asked-1 in doubt: billed 1$/,
    ],
  };
  /**
   * Commands that change no accounts. The library is a folder of its own; a restore needs a store that nobody uses,
   * and has its row tested in restore.test.ts.
   */
  const reading = new Set(
    `workspace list, workspace show, workspace export, agent list, agent show, person list, key list, credits show, usage show, usage export,
     budget list, policy list, policy test, policy approvals, webhook list, webhook deliveries,
     ledger show, ledger export, store backup, store restore, store check, store copy`.split(/,\s+/),
  );

  test('every command that opens accounts is listed here', async () => {
    const all: string[] = [];
    for (const [name, { load }] of Object.entries(COMMANDS)) {
      const { command } = await load();
      // The verbs of account commands run on the store; others have none, or verbs of another kind.
      const verbs = Object.entries(command.verbs ?? {}).filter(([, verb]) => 'render' in verb);
      all.push(...verbs.map(([verb]) => `${name} ${verb}`));
    }
    expect(all.length).toBeGreaterThan(20);
    // These are looped over in lifecycle.test.ts.
    const life = LIFE_KINDS.flatMap((kind) => Object.keys(lifeVerbs(kind)).map((verb) => `${kind} ${verb}`));
    const declared = new Set([
      ...Object.keys(writing).filter((name) => name !== 'console'),
      ...reading,
      ...life,
    ]);
    expect(new Set(all)).toEqual(declared);
  });

  test.each(Object.keys(writing))('%s', async (name) => {
    const [argv, said] = writing[name]?.() ?? [[], /never/];
    const before = await latestOf(store);
    const ran = await runHeadgate([...name.split(' '), ...argv], { home });
    expect([ran.code, ran.err]).toEqual([0, '']);
    const entry = await latestOf(store);
    expect(entry?.seq).toBe((before?.seq ?? 0) + 1);
    expect(entry).toMatchObject({ actor: 'command line', action: expect.stringMatching(said) });
  });

  test('an invitation has a link that can be opened', async () => {
    const argv = ['person', 'invite', 'dov', '--role', 'viewer'];
    expect((await runHeadgate(argv, { home })).out).toMatch(
      /\n {2}http:\/\/127\.0\.0\.1:\d+\/#\/setup\/[\w-]{43}\n/,
    );
    const env = { HEADGATE_SERVER__PUBLIC_URL: 'https://search.example.com' };
    expect((await runHeadgate(argv, { home, env })).out).toContain('  https://search.example.com/#/setup/');
  });
});

describe('what the admin API changes is in the audit log, in words', () => {
  let gateway: TestGateway;
  let at: Awaited<ReturnType<typeof furnish>>;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headgate-audit-'));
    writeFileSync(join(folder, 'headgate.toml'), '');
    gateway = await createTestGateway({
      config: { 'server.provider_keys_file': join(folder, 'keys.toml') },
      settingsFile: readConfig({ HEADGATE_HOME: folder }, folder).file,
    });
    at = await furnish(gateway.store);
  });
  afterAll(() => gateway.close());

  const writing: Record<string, () => [path: string, body: object | undefined, said: RegExp]> = {
    'POST /subscriptions': () => [
      '/subscriptions',
      { name: 'Dam' },
      /^created the subscription Dam with the tier free/,
    ],
    'PATCH /subscriptions/:id': () => [
      `/subscriptions/${at.subscription}`,
      { tier: 'starter' },
      /^set the tier of Mill/,
    ],
    'POST /subscriptions/:id/top-up': () => [
      `/subscriptions/${at.subscription}/top-up`,
      { amount: -1_500_000 },
      /^took \$1\.50 from Mill/,
    ],
    'POST /workspaces': () => ['/workspaces', { name: 'Weir' }, /^created the workspace Weir/],
    'PATCH /workspaces/:id': () => [
      `/workspaces/${at.workspace}`,
      { keep_queries: true },
      /^set what Mill \(ws_\w+\) keeps of its calls: queries yes, answers \w+$/,
    ],
    'POST /webhooks': () => ['/webhooks', { url: 'https://hooks.example/T0/secret' }, /^added the webhook/],
    'POST /webhooks/:id/rotate': () => [`/webhooks/${at.webhook}/rotate`, undefined, /^replaced the secret/],
    'POST /webhooks/:id/test': () => [`/webhooks/${at.webhook}/test`, undefined, /^sent a test event/],
    'POST /webhooks/:id/replay': () => [`/webhooks/${at.webhook}/replay`, {}, /^had events delivered again/],
    'DELETE /webhooks/:id': () => [`/webhooks/${at.webhook}`, undefined, /^removed the webhook/],
    'POST /agents': () => [
      '/agents',
      { workspace: at.workspace, name: 'Scout' },
      /^created the agent Scout in Mill/,
    ],
    'PATCH /agents/:id': () => [
      `/agents/${at.agent}`,
      { name: 'Writer' },
      /^changed the agent Writer of Mill/,
    ],
    'POST /keys': () => [
      '/keys',
      { workspace: at.workspace, label: 'ci' },
      /^created the key \w+ \(ci\) of Mill/,
    ],
    'POST /keys/:id/rotate': () => [`/keys/${at.rotated}/rotate`, {}, /^replaced the key/],
    'DELETE /keys/:id': () => [`/keys/${at.revoked}`, undefined, /^revoked the key/],
    'POST /budgets': () => [
      '/budgets',
      { workspace: at.workspace, amount: 5, period: '7d', hard: false },
      /^set the soft budget of workspace ws_\w+ in Mill .* to 5 credits per 168h$/,
    ],
    'DELETE /budgets/:id': () => [
      `/budgets/${at.budget}`,
      undefined,
      /^removed the budget of \$1\.00 per month/,
    ],
    'POST /policies': () => [
      '/policies',
      { workspace: at.workspace, rules: { allow: ['b.example'] } },
      /^set the policy of workspace .* to \{"allow":\["b\.example"\]\}$/,
    ],
    'POST /approvals/:id': () => [
      `/approvals/${at.approved}`,
      { approve: true },
      /^allowed the address of [\w-]+ on a\.example for \w+$/,
    ],
    'DELETE /policies/:id': () => [
      `/policies/${at.agent}`,
      undefined,
      /^removed the policy of agent \w+ in Mill/,
    ],
    'PATCH /config': () => [
      '/config',
      { key: 'cache.enabled', value: 'false' },
      /^set cache\.enabled to false in .*headgate\.toml$/,
    ],
    'POST /provider-keys/:id': () => [
      '/provider-keys/tavily',
      { key: PROVIDER_KEY },
      /^added the key \w{12} of Tavily$/,
    ],
    'PATCH /provider-keys/:id': () => [
      '/provider-keys/tavily',
      { order: [PROVIDER_KEY_NAME] },
      /^changed the order of the keys of Tavily$/,
    ],
    'POST /provider-keys/:id/:key/test': () => [
      `/provider-keys/tavily/${PROVIDER_KEY_NAME}/test`,
      undefined,
      /^tested the key \w{12} of Tavily$/,
    ],
    'DELETE /provider-keys/:id/:key': () => [
      `/provider-keys/tavily/${PROVIDER_KEY_NAME}`,
      undefined,
      /^removed the key \w{12} of Tavily$/,
    ],
    'POST /library/add': () => [
      '/library/add',
      { source: 'https://example.com/' },
      /^began to add https:\/\/example\.com\/ to the library of everybody/,
    ],
    'DELETE /library/jobs/:id': () => ['/library/jobs/1', undefined, /^cancelled the library job 1/],
    'POST /library/remove': () => [
      '/library/remove',
      { workspace: at.workspace, ids: ['none'] },
      /^removed 0 documents from the library of ws_/,
    ],
    'POST /library/compact': () => ['/library/compact', {}, /^compacted the library of everybody/],
    'POST /library/rebuild': () => ['/library/rebuild', {}, /^rebuilt the library of everybody/],
    'POST /people': () => ['/people', { name: 'cem', role: 'admin' }, /^invited cem as admin$/],
    'PATCH /people/:name': () => [
      '/people/bea',
      { role: 'none', workspace: at.workspace },
      /^took the role in Mill \(ws_\w+\) from bea$/,
    ],
    'DELETE /people/:name/sessions': () => ['/people/bea/sessions', undefined, /^ended the sessions of bea$/],
    'DELETE /people/:name/factor': () => [
      '/people/bea/factor',
      undefined,
      /^switched off the second factor of bea$/,
    ],
    'POST /people/:id/delete': () => ['/people/bea/delete', { confirm: 'bea' }, /^removed bea$/],
    'POST /in-doubt/:id': () => [
      '/in-doubt/asked-1',
      { billed: false },
      /^resolved the request asked-1 in doubt: not billed$/,
    ],
  };

  test('every route that changes something is listed here', () => {
    const changing = (routes: readonly AdminRoute[]) =>
      routes.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);
    // The routes of the life cycle are looped over in lifecycle.test.ts.
    expect(new Set(changing(adminRoutes))).toEqual(
      new Set([...Object.keys(writing), ...changing(lifeRoutes)]),
    );
  });

  test('every change is said, by whom, and a change that was refused is not', async () => {
    const wrong: unknown[] = [];
    for (const [route, asked] of Object.entries(writing)) {
      const [path, body, said] = asked();
      const [method = ''] = route.split(' ');
      const jobs = await gateway.admin('GET', '/library');
      const [job] = (jobs.body['jobs'] as { id: string }[]) ?? [];
      const { status } = await gateway.admin(method, path.replace('jobs/1', `jobs/${job?.id ?? '1'}`), body);
      const entry = await latestOf(gateway.store);
      const action = entry?.action.replace(job?.id ?? '1', '1') ?? '';
      if (status !== 200 || entry?.actor !== 'admin token' || !said.test(action))
        wrong.push([route, status, entry]);
    }
    expect(wrong).toEqual([]);
    const before = await latestOf(gateway.store);
    expect((await gateway.admin('DELETE', '/people/nobody/sessions')).status).toBe(404);
    expect(await latestOf(gateway.store)).toEqual(before);
  });
});

describe('the words of the audit log', () => {
  test('are there in Japanese, with the same fields', async () => {
    const file = new URL('../../src/gateway/console/static/deeds.js', import.meta.url).href;
    const { DEEDS_JA } = (await import(file)) as { DEEDS_JA: Record<string, string> };
    const fieldsOf = (text: string) => new Set(text.match(/\{\w+\}/g));
    for (const [did, english] of Object.entries(DEEDS)) {
      const japanese = DEEDS_JA[did];
      expect([did, fieldsOf(japanese ?? '')]).toEqual([did, fieldsOf(english)]);
    }
    expect(Object.keys(AUDITED).length).toBeGreaterThan(5);
  });
});
