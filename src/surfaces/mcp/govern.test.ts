import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callTool } from '../../bridge/call.ts';
import type { AgentTool } from '../../bridge/tool.ts';
import { systemClock } from '../../core/clock.ts';
import { silentLogger } from '../../core/log.ts';
import { createMeter } from '../../meter/meter.ts';
import { createStore, type Store } from '../../store/store.ts';
import { BRIDGE_PROVIDER, createGovernor, parseToolCredits } from './govern.ts';

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

describe('governed bridge', () => {
  test('a paid workspace is charged per tool, failed calls cost nothing, and the free tier is blocked in words', async () => {
    const meter = createMeter({
      database: store.database,
      clock: systemClock,
      log: silentLogger,
      prices: { [BRIDGE_PROVIDER]: 1_000 },
      tiers: {
        free: { callsFree: 1, beyond: 'block', creditsMax: null },
        pro: { callsFree: 0, beyond: 'charge', creditsMax: null },
      },
    });
    const paid = await store.accounts.createWorkspace({ name: 'paid', tier: 'pro' });
    await store.accounts.topUp({ subscription: paid.subscription, amount: 10_000 });
    const hooks = createGovernor({ meter, workspace: paid.id, creditsOf: parseToolCredits(['weigh=3']) });
    await callTool(
      tool(() => 'done'),
      {},
      context(),
      hooks,
    );
    await callTool(
      tool(() => {
        throw new Error('broken');
      }),
      {},
      context(),
      hooks,
    );
    expect((await store.accounts.subscription(paid.subscription)).balance).toBe(7_000);

    const free = await store.accounts.createWorkspace({ name: 'free', tier: 'free' });
    const blocked = createGovernor({ meter, workspace: free.id, creditsOf: parseToolCredits([]) });
    expect(
      (
        await callTool(
          tool(() => 'one'),
          {},
          context(),
          blocked,
        )
      ).isError,
    ).not.toBe(true);
    const refused = await callTool(
      tool(() => 'two'),
      {},
      context(),
      blocked,
    );
    expect(refused.isError).toBe(true);
    expect(JSON.stringify(refused.content)).toMatch(/limit/i);
  });
});
