import fc from 'fast-check';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import type { Database } from '../../src/store/database.ts';
import { BUDGET_LEVELS, BUDGET_THRESHOLDS, type BudgetRow } from '../../src/store/ledger/budget.ts';
import { BUDGET_COLUMNS } from '../../src/store/ledger/columns.ts';
import { decide } from '../../src/store/ledger/ledger.ts';
import type { LedgerAnswer, LedgerOperation } from '../../src/store/ledger/types.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { openSqlite } from '../../src/store/sqlite/sqlite.ts';
import { createMemoryLedger } from '../support/ledger/memory-ledger.ts';
import { startPair } from '../support/ledger/pair.ts';
import { buildGateway } from '../support/ledger/processes.ts';
import { holdOf } from '../support/ledger/workload.ts';
import { startPostgres } from '../support/postgres.ts';
import { sized } from '../support/sized.ts';

const HISTORIES = sized('histories of budgets', { small: 100, large: 10_000, full: 10_000 });
const SHARED = sized('histories of budgets at two gateways on PostgreSQL', {
  small: 20,
  large: 10_000,
  full: 10_000,
});
const KILLS = sized('kills of gateways that report thresholds', { small: 2, large: 20, full: 20 });
const CALLERS = sized('callers of two processes for the rest of a budget', {
  small: 60,
  large: 400,
  full: 1_000,
});
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 0, 30, 3, 58);

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
type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;
type Step = History['batches'][number]['steps'][number];

const PERIODS = ['day', 'month', '24h'];

/** When a period began and what counts in it, from the calendar and not from the budget. */
const startOf = (period: string, now: number): number => {
  if (period !== 'month') return Math.floor(now / DAY) * DAY;
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
};
/** A second, naive account of what must be reported: it keeps every use for ever and looks at all of them. */
function createOracle(budgets: BudgetRow[]) {
  const uses: { at: number; credits: number }[] = [];
  const told = new Set<string>();
  return {
    told,
    settled(at: number, credits: number, now: number): void {
      uses.push({ at, credits });
      for (const { id, period, amount } of budgets) {
        const start = startOf(period, now);
        const counts = (one: number): boolean =>
          period === '24h' ? Math.floor(one / HOUR) * HOUR + 25 * HOUR > now : one >= start;
        if (credits === 0) continue;
        const used = uses.filter((use) => counts(use.at)).reduce((sum, use) => sum + use.credits, 0);
        for (const threshold of BUDGET_THRESHOLDS)
          if (used * 100 >= threshold * amount) told.add(`${id} ${start} ${threshold}`);
      }
    },
  };
}

/** One history as operations of an account, and what was heard of them. */
function createPlayer(account: string, { amounts, hard }: History) {
  const budgets = amounts.map((amount, index): BudgetRow => ({
    id: `${account}-b${index}`,
    subscription: account,
    workspace: account,
    level: 'workspace',
    subject: account,
    unit: 'credits',
    amount,
    period: PERIODS[index] ?? 'day',
    zone: 'UTC',
    hard: hard ? 1 : 0,
  }));
  const oracle = createOracle(budgets);
  const tiers = { t: { callsFree: null, beyond: 'charge', creditsMax: null } } as const;
  const held = new Map<string, { at?: number; isSettled?: boolean }>();
  let made = 0;
  const operationOf = (one: Exclude<Step, { kind: 'limit' }>): LedgerOperation[] => {
    const ids = [...held.keys()];
    const id =
      'pick' in one ? ids[ids.length - 1 - (one.pick % Math.max(1, ids.length))] : `${account}-h${made++}`;
    if (id === undefined) return [];
    const subscription = account;
    if (one.kind === 'grant')
      return [{ kind: 'grant', subscription, reference: id, amount: one.amount, note: null }];
    if (one.kind === 'hold') {
      held.set(id, {});
      return [{ ...holdOf(id, account, account), credits: one.credits, tiers }];
    }
    if (one.kind !== 'settle') return [{ kind: one.kind, id, subscription }];
    const charges = [{ hold: id, credits: one.credits }];
    return [{ kind: 'commit', id: `u${id}`, subscription, charges, kept: null, tiers, overageMax: 4 }];
  };
  return {
    budgets,
    told: oracle.told,
    refusals: new Set<string>(),
    /** New amounts are there before the other steps. */
    amountsOf: (steps: Step[]) =>
      steps.flatMap((one) =>
        one.kind === 'limit' ? [[budgets[one.budget] as BudgetRow, one.amount] as const] : [],
      ),
    operationsOf: (steps: Step[]) => steps.flatMap((one) => (one.kind === 'limit' ? [] : operationOf(one))),
    heard(operation: LedgerOperation, answer: LedgerAnswer, now: number): void {
      // `ended` is the answer when it was held, not heard, and ended at the other gateway before it was sent again.
      if (operation.kind === 'hold' && (answer.status === 'held' || answer.status === 'ended')) {
        const hold = held.get(operation.id);
        if (hold !== undefined) hold.at ??= now;
      }
      if (answer.status === 'budget') this.refusals.add(answer.budget.id);
      if (operation.kind !== 'commit' || answer.status !== 'committed') return;
      const [ended] = answer.holds;
      const hold = held.get(operation.charges[0]?.hold ?? '');
      if (ended?.state !== 'settled' || hold === undefined || hold.isSettled === true) return;
      hold.isSettled = true;
      oracle.settled(hold.at ?? now, ended.credits ?? 0, now);
    },
  };
}

/** Plays a history in memory; a batch that is lost is heard only when it is sent again. */
function play(each: History): number {
  const account = { id: 's', tier: 't', balance: 0, reserved: 0, clock: 0, ahead: 0, budget_use: '' };
  const player = createPlayer('s', each);
  const ledger = createMemoryLedger(decide, account, player.budgets);
  let now = START;
  let resend: LedgerOperation[] = [];
  for (const { waitMs, fate, steps } of [...each.batches, { waitMs: 0, fate: 'ok' as const, steps: [] }]) {
    now += waitMs;
    for (const [budget, amount] of player.amountsOf(steps)) budget.amount = amount;
    const operations = [...resend, ...player.operationsOf(steps)];
    resend = fate === 'ok' ? [] : operations;
    const answers = ledger.run(operations, now, fate !== 'lost');
    if (fate === 'lost') continue;
    for (const [index, answer] of answers.entries())
      player.heard(operations[index] as LedgerOperation, answer, now);
  }
  const reported = ledger.events
    .filter(({ kind }) => kind === 'budget.threshold')
    .map(({ subject, period, threshold }) => `${subject} ${period} ${threshold}`);
  expect(reported.toSorted()).toEqual([...player.told].toSorted());
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
const program = await buildGateway();
const opened: Database[] = [];
afterAll(async () => {
  program.dispose();
  await Promise.all(opened.map((database) => database.close()));
  await server?.stop();
});

const sqliteLocation = async (): Promise<string> =>
  join(mkdtempSync(join(tmpdir(), 'headgate-pair-')), 'headgate.db');
const postgresLocation = async (): Promise<string> => (await server?.migratedUrl()) ?? '';
const open = (location: string): Database => {
  const options = { clock: systemClock, log: silentLogger, deadlineMs: 20_000 };
  const database = location.startsWith('postgres')
    ? openPostgres({ ...options, url: location })
    : openSqlite({ ...options, path: location, exclusive: false });
  opened.push(database);
  return database;
};

async function addAccounts(database: Database, ids: string[], tier: string, budgets: BudgetRow[]) {
  const marks = BUDGET_COLUMNS.map(() => '?').join(', ');
  await database.write([
    ...ids.map((id) => ({
      sql: 'INSERT INTO subscriptions (id, name, tier, balance, created) VALUES (?, ?, ?, 0, 0)',
      values: [id, id, tier],
    })),
    ...budgets.map((row) => ({
      sql: `INSERT INTO budgets (${BUDGET_COLUMNS.join(', ')}, created) VALUES (${marks}, 0)`,
      values: BUDGET_COLUMNS.map((column) => row[column]),
    })),
  ]);
}

const STORES: [name: string, locate: () => Promise<string>][] = [
  ['SQLite', sqliteLocation],
  ...(server === undefined ? [] : [['PostgreSQL', postgresLocation] satisfies [string, unknown]]),
];

test.each(STORES)(
  'two gateways as processes on %s: at every level exactly as many callers pass as the budget allows',
  async (_, locate) => {
    const location = await locate();
    const database = open(location);
    const who = { workspace: 'w', agent: 'a', key: 'k', person: 'p' };
    const allowed = Math.floor(CALLERS / 3);
    const budgetsOf = (account: (typeof BUDGET_LEVELS)[number]): BudgetRow[] => {
      const common = {
        subscription: account,
        workspace: 'w',
        unit: 'credits',
        zone: 'UTC',
        hard: 1,
      } as const;
      // Larger ones at every level decide nothing.
      const larger = BUDGET_LEVELS.map((level) => ({
        ...common,
        id: `${account} and ${level}`,
        level,
        subject: who[level],
        amount: allowed + 1,
        period: `${48 + BUDGET_LEVELS.indexOf(account)}h`,
      }));
      const period = `${24 + BUDGET_LEVELS.indexOf(account)}h`;
      return [
        { ...common, id: account, level: account, subject: who[account], amount: allowed, period },
        ...larger,
      ];
    };
    await addAccounts(database, [...BUDGET_LEVELS], 'pro', BUDGET_LEVELS.flatMap(budgetsOf));
    const tiers = { pro: { callsFree: null, beyond: 'charge', creditsMax: null } } as const;
    const pair = startPair(program, location);
    for (const level of BUDGET_LEVELS) {
      const answers = await Promise.all(
        Array.from({ length: CALLERS }, (_one, index) =>
          pair.book({ ...holdOf(`${level} ${index}`, level), ...who, tiers }, START),
        ),
      );
      expect(answers.filter(({ status }) => status === 'held')).toHaveLength(allowed);
      const refused = answers.filter(({ status }) => status !== 'held');
      for (const one of refused) expect(one).toMatchObject({ status: 'budget', budget: { id: level } });
    }
    await pair.stop();
    expect(await database.check()).toEqual([]);
  },
  600_000,
);

const COHORT = 250;

describe.skipIf(server === undefined)('two gateways on one PostgreSQL', () => {
  test('are killed again and again in random histories, and report every crossing once', async () => {
    const location = await postgresLocation();
    const database = open(location);
    const pair = startPair(program, location);
    const histories = fc.sample(history, { numRuns: SHARED, seed: 7 });
    const total = histories.flatMap(({ batches }) => batches).flatMap(({ steps }) => steps).length;
    const told = new Set<string>();
    const refusals = new Set<string>();
    let [now, heard, kills] = [START, 0, 0];
    for (let from = 0; from < histories.length; from += COHORT) {
      const cohort = histories.slice(from, from + COHORT);
      const players = cohort.map((each, index) => createPlayer(`s${from + index}`, each));
      await addAccounts(
        database,
        players.map((_one, index) => `s${from + index}`),
        't',
        players.flatMap(({ budgets }) => budgets),
      );
      const rounds = Math.max(...cohort.map(({ batches }) => batches.length));
      for (let round = 0; round < rounds; round += 1) {
        now += cohort.find(({ batches }) => batches.length > round)?.batches[round]?.waitMs ?? 0;
        const turns = players.map((player, index) => ({
          player,
          steps: cohort[index]?.batches[round]?.steps ?? [],
        }));
        const amounts = turns.flatMap(({ player, steps }) => player.amountsOf(steps));
        for (const [budget, amount] of amounts) budget.amount = amount;
        await database.write(
          amounts.map(([{ id }, amount]) => ({
            sql: 'UPDATE budgets SET amount = ? WHERE id = ?',
            values: [amount, id],
          })),
        );
        const at = now;
        const asked = turns.flatMap(({ player, steps }) =>
          player.operationsOf(steps).map(async (operation) => {
            player.heard(operation, await pair.book(operation, at), at);
            heard += 1;
            if (kills < KILLS && heard >= (total * 0.6 * (kills + 1)) / (KILLS + 1)) {
              kills += 1;
              await pair.kill(kills % 2);
            }
          }),
        );
        await Promise.all(asked);
      }
      for (const player of players) {
        for (const one of player.told) told.add(one);
        for (const one of player.refusals) refusals.add(one);
      }
    }
    await pair.stop();
    const events = await database.read('SELECT kind, subject, period, threshold FROM events');
    const crossed = events.filter(({ kind }) => kind === 'budget.threshold');
    const reported = crossed.map(({ subject, period, threshold }) => `${subject} ${period} ${threshold}`);
    expect(reported.toSorted()).toEqual([...told].toSorted());
    const exhausted = new Set(
      events.filter(({ kind }) => kind === 'budget.exhausted').map(({ subject }) => String(subject)),
    );
    expect([...refusals].filter((id) => !exhausted.has(id))).toEqual([]);
    expect({ kills, isMuch: reported.length > SHARED }).toEqual({ kills: KILLS, isMuch: true });
    expect(await database.check()).toEqual([]);
  }, 3_600_000);
});
