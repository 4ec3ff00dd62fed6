import { expect, test } from 'vitest';
import { createHistory } from '../../src/gateway/door/history.ts';
import type { ChartedCall, Calls } from '../../src/store/calls.ts';
import { systemClock } from '../../src/core/clock.ts';
import { seededRandom } from '../support/seeded-random.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 10, 18, 12, 34, 56);

/** A log of calls in memory, as the store gives it. */
function logOf(rows: ChartedCall[]): Calls {
  return {
    facts: async (after: number, upTo: number) => rows.slice(after, upTo),
    latest: async () => rows.length,
    lastBefore: async (at: number) => rows.filter((row) => row.at < at).length,
    oldest: async () => rows[0]?.at,
  } as Partial<Calls> as Calls;
}

test('sums, percentiles and stacks are those of the rows, in every range', async () => {
  const random = seededRandom(7);
  const pick = <Item>(list: Item[]): Item => list[Math.floor(random() * list.length)] as Item;
  const rows = Array.from({ length: 4_000 }, (_, at): ChartedCall => ({
    at: NOW - Math.floor(((4_000 - at) / 4_000) ** 3 * 200 * 24 * HOUR_MS),
    ms: Math.floor(random() * 30_000),
    cached: random() < 0.3,
    credits: pick([0, 1, 2]),
    charged: pick([0, 8_000]),
    provider: pick(['tavily', 'brave', null]),
    workspace: pick(Array.from({ length: 12 }, (_one, index) => `ws_${index}`)),
    operation: pick(['search', 'extract']),
    outcome: pick(['ok', 'ok', 'empty', 'failed', 'timeout']),
  }));
  const history = createHistory(logOf(rows), { ...systemClock, now: () => NOW });
  for (const hours of [1, 6, 24, 168, 720, 2_160]) {
    const { from, to, stepMs, steps, stacks, now, before } = await history.timeline({
      from: NOW - hours * HOUR_MS,
      to: NOW + 1,
      by: 'workspace',
      zoneMs: 9 * HOUR_MS,
    });
    expect([hours, steps.length <= 92, from <= NOW - hours * HOUR_MS]).toEqual([hours, true, true]);
    const within = rows.filter((row) => row.at >= from && row.at < to);
    expect(now).toMatchObject({
      calls: within.length,
      failed: within.filter(({ outcome }) => outcome === 'failed' || outcome === 'timeout').length,
      cached: within.filter(({ cached }) => cached).length,
      charged: within.reduce((sum, row) => sum + row.charged, 0),
    });
    const sorted = within.map((row) => row.ms).sort((a, b) => a - b);
    const p95 = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0;
    expect(Math.abs((now.p95 ?? 0) - p95) / p95).toBeLessThan(0.051);
    expect(steps.reduce((sum, step) => sum + step.calls, 0)).toBe(within.length);
    // Twelve names are seven, and the rest.
    expect(stacks.map((stack) => 'name' in stack)).toEqual([true, true, true, true, true, true, true, false]);
    const stacked = stacks.flatMap(({ values }) => values).reduce((sum, value) => sum + value, 0);
    expect(stacked).toBe(within.length);
    // The time before begins with a whole slot.
    const since = (start: number): number => rows.filter((row) => row.at >= start && row.at < from).length;
    const slotMs = Math.min(stepMs, 3 * HOUR_MS);
    expect(before?.calls).toBeLessThanOrEqual(since(from - (to - from)));
    expect(before?.calls).toBeGreaterThanOrEqual(since(from - (to - from) + slotMs));
    // Steps begin where the days of the reader do.
    expect((from + 9 * HOUR_MS) % stepMs).toBe(0);
  }
});

test('there is no comparison with a time of which the log has nothing', async () => {
  const row = { at: NOW - HOUR_MS, ms: 5, cached: false, credits: 0, charged: 0, provider: null } as const;
  const rows: ChartedCall[] = [{ ...row, workspace: null, operation: 'search', outcome: 'ok' }];
  const history = createHistory(logOf(rows), { ...systemClock, now: () => NOW });
  const shown = await history.timeline({ from: NOW - 24 * HOUR_MS, to: NOW, by: 'provider', zoneMs: 0 });
  expect(shown).toMatchObject({ since: row.at, now: { calls: 1, p50: 5 }, stacks: [{ name: null }] });
  expect(shown.before).toBeUndefined();
});
