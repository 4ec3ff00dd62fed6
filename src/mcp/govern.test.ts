import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callTool } from '../bridge/call.ts';
import type { AgentTool } from '../bridge/tool.ts';
import { systemClock } from '../core/clock.ts';
import { silentLogger } from '../core/log.ts';
import { createMeter } from '../meter/meter.ts';
import { unavailable } from '../store/ledger/batch-queue.ts';
import { createStore, type Store } from '../store/store.ts';
import { BRIDGE } from '../config/credit-price.ts';
import { createGovernor, parseToolNumbers, type GovernorOptions } from './govern.ts';

const folder = mkdtempSync(join(tmpdir(), 'headgate-govern-'));
let store: Store;
beforeAll(() => {
  store = createStore({
    location: join(folder, 'headgate.db'),
    clock: systemClock,
    exclusive: false,
    log: silentLogger,
  });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const tool = (execute: AgentTool['execute']): AgentTool => ({
  name: 'weigh',
  inputSchema: { type: 'object' },
  execute,
});
const context = () => ({ signal: new AbortController().signal, callId: '1' });

const meterWith = (price: number) =>
  createMeter({
    database: store.database,
    clock: systemClock,
    log: silentLogger,
    prices: { [BRIDGE]: price },
    tiers: {
      free: { callsFree: 1, beyond: 'block', creditsMax: null },
      pro: { callsFree: 0, beyond: 'charge', creditsMax: null },
    },
  });

const governor = (workspace: string, more: Partial<GovernorOptions> = {}) =>
  createGovernor({
    meter: meterWith(1_000),
    reports: store.reports,
    clock: systemClock,
    workspace,
    creditsOf: () => 3,
    limitOf: () => undefined,
    ...more,
  });

const usageOf = (workspace: string) => store.reports.usage({ workspace }, ['key', 'provider']);
const done = tool(() => 'done');
const broken = tool(() => {
  throw new Error('broken');
});

describe('governed bridge', () => {
  test('a paid workspace is charged per tool, failed calls cost nothing, and the usage names the tool', async () => {
    const { id, subscription } = await store.accounts.createWorkspace({ name: 'paid', tier: 'pro' });
    await store.accounts.topUp({ subscription, amount: 10_000 });
    const hooks = governor(id);
    await callTool(done, {}, context(), hooks);
    await callTool(broken, {}, context(), hooks);
    expect((await store.accounts.subscription(subscription)).balance).toBe(7_000);
    expect(await usageOf(id)).toMatchObject([
      { group: { key: null, provider: 'bridge/weigh' }, calls: 1, credits: 3, charged: 3_000, returned: 1 },
    ]);
  });

  test('a result whose charge cannot be written is not handed out, and is in doubt', async () => {
    const { id, subscription } = await store.accounts.createWorkspace({ name: 'lost', tier: 'pro' });
    await store.accounts.topUp({ subscription, amount: 10_000 });
    const { database } = store;
    const { book } = database;
    const meter = meterWith(1_000);
    database.book = async (operation) => {
      if (operation.kind === 'commit') throw unavailable('it is gone');
      return book(operation);
    };
    const result = await callTool(done, {}, context(), governor(id, { meter }));
    database.book = book;
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).not.toContain('done');
    await meter.sweep();
    expect(await store.doubts.list({ subscription })).toMatchObject([
      { provider: 'bridge/weigh', credits: 3 },
    ]);
    expect((await store.accounts.subscription(subscription)).balance).toBe(10_000);
  });

  test('a tool with a price that ran when its process ended is in doubt; one without is not', async () => {
    const { id, subscription } = await store.accounts.createWorkspace({ name: 'crashed', tier: 'pro' });
    await store.accounts.topUp({ subscription, amount: 10_000 });
    for (const price of [1_000, 0]) {
      const { beforeCall } = governor(id, { meter: meterWith(price) });
      await beforeCall({ tool: done, input: {}, context: context() });
    }
    const rows = await store.database.read(
      'SELECT price, asked IS NOT NULL AS asked FROM holds WHERE subscription = ? ORDER BY price',
      subscription,
    );
    expect(rows.map((row) => [Number(row.price), Boolean(row.asked)])).toEqual([
      [0, false],
      [1_000, true],
    ]);
  });

  test('the free tier is blocked in words', async () => {
    const { id } = await store.accounts.createWorkspace({ name: 'free', tier: 'free' });
    const hooks = governor(id);
    expect((await callTool(done, {}, context(), hooks)).isError).not.toBe(true);
    const refused = await callTool(done, {}, context(), hooks);
    expect(refused.isError).toBe(true);
    expect(JSON.stringify(refused.content)).toMatch(/limit/i);
  });

  test('a caller of its own pays from its own workspace, and the usage names its key', async () => {
    const { id } = await store.accounts.createWorkspace({ name: 'other', tier: 'free' });
    const { record } = await store.keys.create({ workspace: id, label: 'k' });
    const auth = { workspace: id, key: record.id };
    await callTool(done, {}, { ...context(), auth }, governor('ws_nobody'));
    expect(await usageOf(id)).toMatchObject([
      { group: { key: record.id, provider: 'bridge/weigh' }, calls: 1 },
    ]);
  });

  test('a limit of a tool holds for calls at once, names itself, and counts tools that cost nothing', async () => {
    const { id } = await store.accounts.createWorkspace({ name: 'limited', tier: 'pro' });
    const hooks = governor(id, {
      meter: meterWith(0),
      limitOf: parseToolNumbers('limits', ['weigh=3', 'other=9']),
    });
    const one = async () => callTool(done, {}, context(), hooks);
    const first = [await one(), await one()];
    const rest = await Promise.all([one(), one(), one(), one()]);
    const passed = [...first, ...rest].filter((result) => result.isError !== true);
    expect(passed.length).toBeGreaterThanOrEqual(2);
    expect(passed.length).toBeLessThanOrEqual(3);
    await one();
    const refused = await one();
    expect(JSON.stringify(refused.content)).toMatch(
      /The limit of 3 calls of weigh \(rolling day, counted by the hour\) is reached\. The next call is possible at 20\d\d-/,
    );
    expect(await usageOf(id)).toMatchObject([{ calls: 3, charged: 0 }]);
  });

  test.each(['weigh', 'weigh=', 'weigh=x', '=3', 'weigh=-1'])('"%s" is no entry of a list', (entry) => {
    expect(() => parseToolNumbers('limits', [entry])).toThrow('[bridge] limits');
  });
});
