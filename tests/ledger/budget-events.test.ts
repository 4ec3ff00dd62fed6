import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createAccounts } from '../../src/store/accounts.ts';
import { createBudgets } from '../../src/store/budgets.ts';
import { BUDGET_THRESHOLDS, type BudgetRow } from '../../src/store/ledger/budget.ts';
import { decide } from '../../src/store/ledger/ledger.ts';
import type { LedgerOperation } from '../../src/store/ledger/types.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { createMemoryLedger } from '../support/ledger/memory-ledger.ts';
import { buildGateway } from '../support/ledger/processes.ts';
import { startPostgres } from '../support/postgres.ts';
import { sized } from '../support/sized.ts';
import { until } from '../support/until.ts';

const HISTORIES = sized('histories of budgets', { small: 300, large: 10_000, full: 10_000 });
const KILLS = sized('kills of gateways that report thresholds', { small: 2, large: 20, full: 20 });
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('hold' as const), credits: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('settle' as const), pick: fc.nat(12), credits: fc.nat(6) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('release' as const, 'doubt' as const), pick: fc.nat(12) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('grant' as const), amount: fc.nat(50) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('limit' as const),
      budget: fc.nat(2),
      amount: fc.integer({ min: 1, max: 20 }),
    }),
  },
);
/** `lost` is a kill before the commit, `unheard` one after it: both times everything is sent again, by another gateway. */
const batch = fc.record({
  waitMs: fc.constantFrom(0, 0, HOUR, 5 * HOUR, DAY, 31 * DAY),
  fate: fc.constantFrom('ok' as const, 'ok' as const, 'lost' as const, 'unheard' as const),
  steps: fc.array(step, { maxLength: 5 }),
});
const history = fc.record({
  amounts: fc.tuple(...[0, 1, 2].map(() => fc.integer({ min: 1, max: 20 }))),
  hard: fc.boolean(),
  batches: fc.array(batch, { maxLength: 16 }),
});

const PERIODS = ['day', 'month', '24h'];
const budgetOf = (amount: number, index: number, hard: boolean): BudgetRow => ({
  id: `b${index}`,
  subscription: 's',
  workspace: 'w',
  level: 'workspace',
  subject: 'w',
  unit: 'credits',
  amount,
  period: PERIODS[index] ?? 'day',
  zone: 'UTC',
  hard: hard ? 1 : 0,
  used: '',
});

/** When a period began and what counts in it, from the calendar and not from the budget. */
const startOf = (period: string, now: number): number => {
  if (period !== 'month') return Math.floor(now / DAY) * DAY;
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
};
/** A second, naive account of what must be reported: it keeps every use for ever and looks at all of them. */
function createOracle(budgets: BudgetRow[]) {
  const uses: { at: number; credits: number }[] = [];
  const told = new Map<string, number>();
  return {
    told,
    settled(hold: { at: number }, credits: number, now: number): void {
      uses.push({ at: hold.at, credits });
      for (const { id, period, amount } of budgets) {
        const start = startOf(period, now);
        const counts = (at: number): boolean =>
          period === '24h' ? Math.floor(at / HOUR) * HOUR + 25 * HOUR > now : at >= start;
        if (credits === 0) continue;
        const used = uses.filter(({ at }) => counts(at)).reduce((sum, use) => sum + use.credits, 0);
        for (const threshold of BUDGET_THRESHOLDS)
          if (used * 100 >= threshold * amount) told.set(`${id} ${start} ${threshold}`, 1);
      }
    },
  };
}

type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

/** Plays a history; a batch that is lost is not played on the oracle before it is sent again. */
function play({ amounts, hard, batches }: History): number {
  const account = { id: 's', tier: 't', balance: 0, reserved: 0, clock: 0, ahead: 0 };
  const budgets = amounts.map((amount, index) => budgetOf(amount, index, hard));
  const ledger = createMemoryLedger(decide, account, budgets);
  const oracle = createOracle(budgets);
  const tiers = { t: { callsFree: null, beyond: 'charge', creditsMax: null } } as const;
  const held = new Map<string, { at: number }>();
  let now = Date.UTC(2026, 0, 30, 3, 58);
  let [made, resend] = [0, [] as LedgerOperation[]];
  for (const { waitMs, fate, steps } of [...batches, { waitMs: 0, fate: 'ok' as const, steps: [] }]) {
    now += waitMs;
    const operations = [...resend];
    for (const one of steps) {
      const ids = [...held.keys()];
      const id = 'pick' in one ? ids[ids.length - 1 - (one.pick % Math.max(1, ids.length))] : `h${made++}`;
      if (one.kind === 'limit') (budgets[one.budget] as BudgetRow).amount = one.amount;
      else if (one.kind === 'grant')
        operations.push({
          kind: 'grant',
          subscription: 's',
          reference: `g${made}`,
          amount: one.amount,
          note: null,
        });
      else if (id === undefined) continue;
      else if (one.kind === 'hold') {
        held.set(id, { at: -1 });
        const who = { subscription: 's', workspace: 'w', agent: null, key: null, person: null };
        const what = { category: 'search', provider: 'p', price: 1, counted: true, asks: true } as const;
        operations.push({ kind: 'hold', id, ...who, ...what, credits: one.credits, ttlMs: 600_000, tiers });
      } else if (one.kind === 'settle')
        operations.push({
          kind: 'commit',
          id: `u${id}`,
          subscription: 's',
          charges: [{ hold: id, credits: one.credits }],
          kept: null,
          tiers,
          overageMax: 4,
        });
      else operations.push({ kind: one.kind, id, subscription: 's' });
    }
    resend = fate === 'ok' ? [] : operations;
    const answers = ledger.run(operations, now, fate !== 'lost');
    if (fate === 'lost') continue;
    for (const [index, answer] of answers.entries()) {
      const operation = operations[index] as LedgerOperation;
      const asked =
        operation.kind === 'hold' && answer.status === 'held' ? held.get(operation.id) : undefined;
      if (asked?.at === -1) asked.at = now;
      if (operation.kind !== 'commit' || answer.status !== 'committed') continue;
      const [ended] = answer.holds;
      const hold = held.get(operation.charges[0]?.hold ?? '');
      if (ended === undefined || ended.already || ended.state !== 'settled' || hold === undefined) continue;
      oracle.settled(hold, ended.credits ?? 0, now);
    }
  }
  const reported = ledger.events
    .filter(({ kind }) => kind === 'budget.threshold')
    .map(({ subject, period, threshold }) => `${subject} ${period} ${threshold}`);
  expect(reported.toSorted()).toEqual([...oracle.told.keys()].toSorted());
  return reported.length;
}

test('every crossing of a threshold is exactly one event, in any history of holds, charges, refunds, top-ups, limits, periods and crashes', () => {
  let reported = 0;
  fc.assert(
    fc.property(history, (each) => {
      reported += play(each);
    }),
    { numRuns: HISTORIES },
  );
  expect(reported).toBeGreaterThan(HISTORIES);
}, 3_600_000);

const server = await startPostgres();
afterAll(() => server?.stop());

describe.skipIf(server === undefined)('two gateways on one PostgreSQL', () => {
  test('are killed again and again, and report every threshold of every budget once', async () => {
    const url = (await server?.freshUrl()) ?? '';
    const database = openPostgres({ url, clock: systemClock, log: silentLogger, deadlineMs: 20_000 });
    const accounts = createAccounts(database, systemClock);
    const { id: workspace, subscription } = await accounts.createWorkspace({ name: 'Team', tier: 'pro' });
    await accounts.topUp({ subscription, amount: 9_000_000_000_000 });
    const budgets = createBudgets(database, systemClock, accounts);
    // The thresholds of many budgets lie close together, so that every kill is near one.
    for (let index = 0; index < 40; index += 1)
      await budgets.set({
        workspace,
        level: 'workspace',
        unit: 'credits',
        amount: (20 * 2 ** (index / 4)) | 0,
        period: `${1_000 + index}h`,
        hard: false,
      });
    const program = await buildGateway();
    const start = (name: string) =>
      program.start({ task: 'load', location: url, workspace, subscription, name });
    let gateways = [start('a0'), start('b0')];
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const index = kill % 2;
      const settledBy = () => gateways[index]?.lines.filter((line) => line.startsWith('S')).length ?? 0;
      await until(() => settledBy() >= 30, 120_000);
      await gateways[index]?.kill();
      gateways = gateways.map((one, at) => (at === index ? start(`${'ab'[index]}${kill}`) : one));
    }
    await Promise.all(gateways.map((one) => one.kill()));
    program.dispose();
    const [row] = await database.read("SELECT count(*) AS settled FROM holds WHERE state = 'settled'");
    const settled = Number(row?.['settled']);
    expect(settled).toBeGreaterThan(60);
    const events = await database.read(
      "SELECT subject, threshold FROM events WHERE kind = 'budget.threshold'",
    );
    const expected = (await budgets.list(workspace)).flatMap(({ id, amount }) =>
      BUDGET_THRESHOLDS.filter((threshold) => settled * 100 >= threshold * amount).map(
        (threshold) => `${id} ${threshold}`,
      ),
    );
    expect(events.map((event) => `${event['subject']} ${event['threshold']}`).toSorted()).toEqual(
      expected.toSorted(),
    );
    expect(expected.length).toBeGreaterThan(20);
    await database.close();
  }, 3_600_000);
});
