import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKeys } from '../../../src/store/keys.ts';
import { createReports, USAGE_GROUPS, type UsageRow } from '../../../src/store/reports.ts';
import {
  exportUsage,
  USAGE_CSV_HEAD,
  usageCsvLine,
  usageEvent,
  usagePage,
} from '../../../src/store/usage-export.ts';
import { seededRandom } from '../seeded-random.ts';
import { createWorld, type Engine, type World } from './world.ts';

/** Prices that no float holds as dollars, and one provider that is free. */
const PRICES = { tavily: 8_000, brave: 3_333, kagi: 12_347, duckduckgo: 0 };
const TOKEN_PRICES = { input: 2_500_001, output: 10_000_003 };
const TIERS = {
  some: { callsFree: 2, beyond: 'charge', creditsMax: null },
  none: { callsFree: 0, beyond: 'charge', creditsMax: null },
} as const;
const HOUR_MS = 3_600_000;
const DIMENSIONS = ['workspace', 'agent', 'key', 'provider', 'operation'] as const;

/** Usage in every grouping, and both exports, against the ledger: random histories, to the millionth. */
export function usageContract(engine: Engine, histories: number): void {
  describe(`${engine.name}: usage`, () => {
    let world: World;
    beforeAll(async () => {
      world = await createWorld(engine, { prices: PRICES, tiers: TIERS, tokenPrices: TOKEN_PRICES });
    });
    afterAll(() => world.dispose());

    test(`${histories} random histories: every sum is the ledger's`, async () => {
      let charges = 0;
      for (let seed = 1; seed <= histories; seed += 1) charges += await oneHistory(world, seed);
      expect(charges).toBeGreaterThan(histories);
    }, 600_000);

    test('an export ends before a day whose calls have not ended, and continues after a cursor', async () => {
      const { id: workspace, subscription } = await world.workspace('none', 1_000_000);
      const call = { workspace, category: 'search', provider: 'tavily', credits: 1 } as const;
      await world.meter.settle(await world.meter.hold(call), 1);
      const open = await world.meter.hold(call);
      world.clock.advance(48 * HOUR_MS);
      await world.meter.settle(await world.meter.hold(call), 1);
      const page = (more: { isFinal: boolean; after?: string; limit?: number }) =>
        usagePage(world.database, { filter: { subscription }, now: world.clock.now(), ...more });
      expect((await page({ isFinal: true })).rows).toEqual([]);
      await world.meter.settle(open, 1);
      expect((await page({ isFinal: true })).rows).toMatchObject([{ calls: 2, charged: 16_000 }]);
      const first = await page({ isFinal: false, limit: 1 });
      const second = await page({ isFinal: false, limit: 1, after: first.next ?? '' });
      expect([first.rows[0]?.calls, second.rows[0]?.calls, second.next]).toEqual([2, 1, undefined]);
      for (const after of ['?', 'W10', 'x'.repeat(5_000), ''])
        await expect(page({ isFinal: false, after })).rejects.toThrow('not a cursor');
    });
  });
}

async function oneHistory(world: World, seed: number): Promise<number> {
  const { meter, database, clock } = world;
  const random = seededRandom(seed);
  const upTo = (count: number): number => Math.floor(random() * count);
  const pick = <Item>(items: readonly Item[]): Item => items[upTo(items.length)] as Item;
  const first = await world.workspace(pick(['some', 'none']), 100_000_000);
  const { subscription } = first;
  const second = await world.accounts.createWorkspace({ name: 'Second', subscription });
  const { record } = await createKeys(database, clock).create({
    workspace: first.id,
    label: '=SUM(A1)',
    person: 'ada',
  });
  const callers = [
    { workspace: first.id, key: record.id },
    { workspace: first.id, agent: 'agent "1"', key: record.id },
    { workspace: second.id, agent: 'agent_2' },
  ];
  const tokens = { tokensIn: 0, tokensOut: 0, modelCost: 0 };
  for (let step = 4 + upTo(10); step > 0; step -= 1) {
    const caller = pick(callers);
    const category = pick(['search', 'fetch', 'crawl', 'map'] as const);
    const provider = pick(Object.keys(PRICES));
    const hold = await meter.hold({ ...caller, category, provider, credits: 1 + upTo(4) });
    const end = random();
    if (end < 0.7) await meter.settle(hold, upTo(6));
    else if (end < 0.8) await meter.settle(hold);
    else if (end < 0.9) await meter.release(hold);
    else await meter.doubt(hold, 'a test');
    if (random() < 0.3) {
      const used = { input: upTo(5_000), output: upTo(900) };
      meter.noteTokens(caller, 'a-model', used);
      tokens.tokensIn += used.input;
      tokens.tokensOut += used.output;
      const cost = used.input * TOKEN_PRICES.input + used.output * TOKEN_PRICES.output;
      tokens.modelCost += Math.round(cost / 1_000_000);
    }
    if (random() < 0.2) await world.accounts.topUp({ subscription, amount: 1 + upTo(1_000_000) });
    clock.advance(upTo(20) * HOUR_MS);
  }
  await meter.flush();
  return compare(world, subscription, { tokens, pageRows: 1 + upTo(5) });
}

/** Everything that shows the usage, beside the rows of the ledger itself. */
async function compare(
  { database, clock }: World,
  subscription: string,
  { tokens, pageRows }: { tokens: Record<string, number>; pageRows: number },
): Promise<number> {
  const reports = createReports(database);
  const booked = new Map<string, number>();
  let [total, charges] = [0, 0];
  for await (const entry of reports.exportLedger({ subscription })) {
    if (entry.kind !== 'charge') continue;
    const { workspace, agent, key, provider, category, amount } = entry;
    addTo(booked, [workspace, agent, key, provider, category], -amount);
    total -= amount;
    charges += 1;
  }
  const filter = { subscription };
  for (const by of [...USAGE_GROUPS.map((group) => [group]), [], [...DIMENSIONS]]) {
    const rows = await reports.usage(filter, by);
    expect(sumOf(rows, (row) => row.charged)).toBe(total);
    for (const [name, value] of Object.entries(tokens))
      expect([name, sumOf(rows, (row) => row[name as 'tokensIn'])]).toEqual([name, value]);
  }
  const rows: UsageRow[] = [];
  const query = { filter, isFinal: false, now: clock.now() };
  for (let after: string | undefined, more = true; more; more = after !== undefined) {
    const page = await usagePage(database, { ...query, after, limit: pageRows });
    rows.push(...page.rows);
    after = page.next;
  }
  const whole: UsageRow[] = [];
  for await (const row of exportUsage(database, query)) whole.push(row);
  expect(rows).toEqual(whole);
  for (const used of [await reports.usage(filter, [...DIMENSIONS]), rows]) {
    const shown = new Map<string, number>();
    for (const { group, charged } of used)
      if (charged !== 0)
        addTo(
          shown,
          DIMENSIONS.map((name) => group[name] as string | null),
          charged,
        );
    expect(shown).toEqual(booked);
  }
  const people = rows.filter(({ group }) => (group.key === null) !== (group.person === null));
  expect(people).toEqual([]);
  const head = USAGE_CSV_HEAD.trim().split(',');
  const cells = rows.map((row) =>
    usageCsvLine(row)
      .trim()
      .split(',')
      .at(head.indexOf('charged') - head.length),
  );
  expect(cells.reduce((sum, cell) => sum + Number(cell), 0)).toBe(total);
  const events = rows.map((row) => usageEvent(row) as { id: string; data: Record<string, number> });
  expect(events.reduce((sum, { data }) => sum + (data['charged'] ?? 0), 0)).toBe(total);
  expect(new Set(events.map(({ id }) => id)).size).toBe(rows.length);
  return charges;
}

const sumOf = (rows: UsageRow[], of: (row: UsageRow) => number): number =>
  rows.reduce((sum, row) => sum + of(row), 0);

function addTo(sums: Map<string, number>, group: (string | null)[], amount: number): void {
  const name = JSON.stringify(group);
  sums.set(name, (sums.get(name) ?? 0) + amount);
}
