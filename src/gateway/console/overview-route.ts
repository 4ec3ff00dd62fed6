import { z } from 'zod';
import { integer, word } from '../../contract/fields.ts';
import { windowStart } from '../../core/window.ts';
import { CALL_GROUPS } from '../../store/calls.ts';
import { providerHealth } from '../admin/system.ts';
import type { GatewayContext } from '../door/context.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LATEST_CALLS = 12;
const NEAR_MAX = 8;
const moment = integer(0, Number.MAX_SAFE_INTEGER);

export const overviewQuery = z.object({
  /** A length up to now, or the time between two moments. */
  span: integer(HOUR_MS, 400 * DAY_MS).default(DAY_MS),
  from: moment.optional(),
  to: moment.optional(),
  by: word(CALL_GROUPS).default('provider'),
  /** Minutes by which the reader's clock is ahead of UTC. */
  zone: integer(-1_440, 1_440).default(0),
});

/** Everything that the first page shows, in one answer. */
export async function overviewOf(
  { span, to: end, from, by, zone }: z.output<typeof overviewQuery>,
  gateway: GatewayContext,
): Promise<object> {
  const { services, store, history } = gateway;
  await services.meter?.calls?.flush();
  const to = end ?? services.clock.now() + 1;
  const start = Math.min(from ?? to - span, to - HOUR_MS);
  const [timeline, latest, subscriptions, near, steps] = await Promise.all([
    history.timeline({ from: start, to, by, zoneMs: zone * 60_000 }),
    store.calls.page({ from: start, to }, { limit: LATEST_CALLS }),
    store.accounts.subscriptions(),
    nearLimit(gateway),
    firstSteps(gateway),
  ]);
  const sum = (of: 'balance' | 'reserved') => subscriptions.reduce((total, one) => total + one[of], 0);
  return {
    ...timeline,
    by,
    calls: latest.calls,
    names: await namesOf(gateway),
    providers: services.providers.map((ready) => providerHealth(ready, gateway)),
    balance: sum('balance'),
    held: sum('reserved'),
    near,
    first: steps,
    shared: services.shared.status(),
  };
}

/** Names of workspaces, agents and keys by their IDs. */
async function namesOf({ store }: GatewayContext): Promise<Record<string, string>> {
  const [agents, workspaces, keys] = await Promise.all([
    store.agents.list(),
    store.accounts.workspaces(),
    store.keys.list(),
  ]);
  return Object.fromEntries([
    ...[...agents, ...workspaces].map(({ id, name }) => [id, name] as const),
    ...keys.map(({ id, label }) => [id, label] as const),
  ]);
}

/** Subscriptions that have used priced calls today, the closest to their limit first. */
async function nearLimit({ store, services }: GatewayContext): Promise<object[]> {
  const [accounts, usage] = await Promise.all([
    store.accounts.subscriptions(),
    store.reports.usage({ from: windowStart(services.clock.now()) }, ['subscription']),
  ]);
  const tiers: Partial<Record<string, { calls_free: number; beyond: string }>> = services.config.tiers;
  const used = new Map(usage.map((row) => [row.group.subscription, row.counted]));
  return accounts
    .map(({ id, name, tier, available }) => {
      const { calls_free: limit = 0, beyond } = tiers[tier] ?? {};
      return { id, name, available, used: used.get(id) ?? 0, limit, beyond };
    })
    .filter((one) => one.used > 0)
    .sort((a, b) => b.used / b.limit - a.used / a.limit)
    .slice(0, NEAR_MAX);
}

/** What a new gateway still needs. */
async function firstSteps({ store, services }: GatewayContext): Promise<Record<string, boolean>> {
  const [keys, calls] = await Promise.all([store.keys.any(), store.calls.page({}, { limit: 1 })]);
  const [byMcp] = (await store.calls.page({ surface: 'mcp' }, { limit: 1 })).calls;
  return {
    provider: services.providers.some(({ keys: own }) => own.length > 0),
    key: keys,
    client: byMcp !== undefined,
    call: calls.calls.length > 0,
  };
}
