import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import type { KeyScope } from '../../src/core/grant.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { BARE, MAIN } from '../support/mcp/built.ts';
import { until } from '../support/until.ts';

/** `headgate bridge --http` in a process of its own, with keys of a store that other processes change. */

const home = mkdtempSync(join(tmpdir(), 'headgate-governed-'));
const module = join(home, 'tools.mjs');
writeFileSync(
  module,
  `const inputSchema = { type: 'object' };
   export const tools = {
     weigh: { inputSchema, execute: () => 'heavy' },
     measure: { inputSchema, execute: () => 'long' },
     stubborn: { inputSchema, execute: () => new Promise(() => undefined) },
   };`,
);

let store: Store;
let bridge: ChildProcess;
let url = '';
let workspace = '';
let subscription = '';
const environment = () => ({
  ...BARE,
  HEADGATE_HOME: home,
  HEADGATE_BRIDGE__WORKSPACE: workspace,
  HEADGATE_BRIDGE__CREDITS: 'weigh=2',
  HEADGATE_BRIDGE__LIMITS: 'measure=1',
  HEADGATE_BRIDGE__CREDIT_PRICE: '1000',
  HEADGATE_TIERS__PRO__CALLS_FREE: '0',
});
beforeAll(async () => {
  store = createStore({
    location: join(home, 'headgate.db'),
    clock: systemClock,
    exclusive: false,
    log: silentLogger,
  });
  ({ id: workspace, subscription } = await store.accounts.createWorkspace({ name: 'Team', tier: 'pro' }));
  await store.accounts.topUp({ subscription, amount: 1_000_000 });
  bridge = spawn(process.execPath, [MAIN, 'bridge', module, '--http'], {
    env: environment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const line of createInterface(bridge.stderr ?? process.stdin)) {
    url = / at (http\S+)/.exec(line)?.[1] ?? '';
    if (url !== '') break;
  }
});
afterAll(async () => {
  bridge.kill('SIGTERM');
  await once(bridge, 'exit');
  await store.close();
  rmSync(home, { recursive: true, force: true });
});

const newKey = (owner = workspace, scopes?: KeyScope[]) =>
  store.keys.create({ workspace: owner, label: 'test', ...(scopes === undefined ? {} : { scopes }) });

async function connect(key: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

const statusWith = async (headers: Record<string, string>): Promise<number> =>
  (
    await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
  ).status;

test('each caller shows a key of the workspace, and pays per tool; the usage shows key and tool', async () => {
  const [first, second] = [await newKey(), await newKey()];
  for (const [key, calls] of [
    [first.key, 2],
    [second.key, 1],
  ] as const) {
    const client = await connect(key);
    for (let call = 0; call < calls; call += 1)
      expect((await client.callTool({ name: 'weigh' })).content).toEqual([{ type: 'text', text: 'heavy' }]);
    await client.close();
  }
  const usage = await store.reports.usage({ workspace }, ['key', 'provider']);
  const row = (key: string, calls: number) =>
    expect.objectContaining({
      group: { key, provider: 'bridge/weigh' },
      calls,
      credits: 2 * calls,
      charged: 2_000 * calls,
    });
  expect(usage).toEqual(expect.arrayContaining([row(first.record.id, 2), row(second.record.id, 1)]));
  expect((await store.accounts.subscription(subscription)).balance).toBe(1_000_000 - 6_000);
  const { calls } = await store.calls.page({ key: first.record.id }, { limit: 5 });
  const logged = { surface: 'mcp', workspace, operation: 'weigh', outcome: 'ok', credits: 2, charged: 2_000 };
  expect(calls).toMatchObject([logged, logged]);
});

test('a call that a budget refuses is logged, and so are those over stdio', async () => {
  const { key, record } = await newKey();
  await store.budgets.set({
    workspace,
    level: 'key',
    subject: record.id,
    unit: 'credits',
    amount: 1,
    period: 'day',
  });
  const client = await connect(key);
  expect((await client.callTool({ name: 'weigh' })).isError).toBe(true);
  await client.close();
  const local = new Client({ name: 'test', version: '1' });
  await local.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'bridge', module],
      env: environment(),
    }),
  );
  expect((await local.callTool({ name: 'weigh' })).isError).not.toBe(true);
  await local.close();
  const common = { workspace, operation: 'weigh' };
  const refused = { ...common, surface: 'mcp', key: record.id, code: 'limit_reached', charged: 0 };
  const paid = { ...common, surface: 'stdio', key: null, outcome: 'ok', charged: 2_000 };
  await until(async () => (await store.calls.page({ key: record.id }, { limit: 5 })).calls.length > 0);
  expect((await store.calls.page({ key: record.id }, { limit: 5 })).calls).toMatchObject([refused]);
  expect((await store.calls.page({ surface: 'stdio' }, { limit: 5 })).calls).toMatchObject([paid]);
});

test('a limit of a tool is told to the model, and costs nothing', async () => {
  const { key } = await newKey();
  const client = await connect(key);
  expect((await client.callTool({ name: 'measure' })).isError).not.toBe(true);
  const balance = (await store.accounts.subscription(subscription)).balance;
  const refused = await client.callTool({ name: 'measure' });
  expect(refused.isError).toBe(true);
  expect(JSON.stringify(refused.content)).toContain(
    'Error: The limit of 1 call of measure (rolling day, counted by the hour) is reached.',
  );
  expect((await store.accounts.subscription(subscription)).balance).toBe(balance);
  await client.close();
});

test('a cancelled call of a tool that ignores its signal ends, and its credits are given back', async () => {
  const { key } = await newKey();
  const client = await connect(key);
  const available = async () => (await store.accounts.subscription(subscription)).available;
  const before = await available();
  const cancel = new AbortController();
  const ended = client
    .callTool({ name: 'stubborn' }, { signal: cancel.signal })
    .catch((thrown: unknown) => String(thrown));
  await until(async () => (await available()) < before);
  cancel.abort();
  expect(await ended).toMatch(/abort/i);
  await until(async () => (await available()) === before);
  await client.close();
});

test('no key, a wrong one, one of another workspace, and one without the scope are refused', async () => {
  const stranger = await store.accounts.createWorkspace({ name: 'Stranger', tier: 'pro' });
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  expect(await statusWith({})).toBe(401);
  expect(await statusWith(bearer('hg_wrong'))).toBe(401);
  expect(await statusWith(bearer((await newKey(stranger.id)).key))).toBe(403);
  expect(await statusWith(bearer((await newKey(workspace, ['search'])).key))).toBe(403);
  expect(await statusWith({ 'x-api-key': (await newKey()).key })).toBe(200);
});

test('a key that is revoked elsewhere is refused by the next call', async () => {
  const { key, record } = await newKey();
  const client = await connect(key);
  expect((await client.callTool({ name: 'weigh' })).isError).not.toBe(true);
  await store.keys.revoke(record.id);
  await expect(client.callTool({ name: 'weigh' })).rejects.toThrow(/not valid|Unauthorized|401/);
  await client.close();
});

test('over stdio, an archived workspace is refused: its calls, and a bridge that is started for it', async () => {
  const [command, args] = [process.execPath, [MAIN, 'bridge', module]];
  const given = {
    ...BARE,
    HEADGATE_HOME: home,
    HEADGATE_BRIDGE__WORKSPACE: workspace,
  };
  const transport = new StdioClientTransport({ command, args, env: given, stderr: 'ignore' });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  const weigh = async () => JSON.stringify(await client.callTool({ name: 'weigh' }));
  expect(await weigh()).toContain('heavy');
  const calls = async () => (await store.reports.usage({ workspace }, ['workspace']))[0]?.calls;
  const before = await calls();
  await store.life.archive('workspace', workspace);
  expect(await weigh()).toContain('The workspace of this call is archived.');
  expect(await calls()).toBe(before);
  const started = spawnSync(command, args, { env: given, encoding: 'utf8', input: '' });
  expect([started.status, started.stderr]).toEqual([1, expect.stringContaining('is archived.')]);
  await store.life.archive('workspace', workspace, false);
  expect(await weigh()).toContain('heavy');
  await client.close();
});
