import fc from 'fast-check';
import { expect } from 'vitest';
import type { LedgerAnswer, LedgerOperation, Tier, BeginOperation } from '../../../src/store/ledger/types.ts';
import { createMemoryLedger, type Decide } from './memory-ledger.ts';
import { createModel, type Model } from './model.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

type Step =
  | { kind: 'begin'; key: string; fingerprint: string }
  | { kind: 'hold'; category: 'search' | 'fetch'; credits: number; asks: boolean }
  /** One unit of work, of one or two requests, with the latest key that was begun or without one. */
  | { kind: 'commit'; picks: number[]; credits: number | null; keyed: boolean; failed: boolean }
  | { kind: 'release' | 'expire' | 'doubt' | 'again'; pick: number }
  | { kind: 'resolve'; pick: number; billed: boolean }
  | { kind: 'grant'; amount: number; reference: string };

/** `lost` is a crash before COMMIT, `unheard` one after it: both times everything is delivered again. */
interface Batch {
  waitMs: number;
  fate: 'ok' | 'lost' | 'unheard';
  steps: Step[];
}

export interface History {
  tier: Tier;
  balance: number;
  price: number;
  batches: Batch[];
}

const pick = fc.nat({ max: 12 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('hold' as const),
      category: fc.constantFrom('search' as const, 'fetch' as const),
      credits: fc.nat({ max: 3 }),
      asks: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('begin' as const),
      key: fc.constantFrom('a', 'b'),
      fingerprint: fc.constantFrom('x', 'x', 'x', 'y'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('commit' as const),
      picks: fc.array(pick, { maxLength: 2 }),
      credits: fc.option(fc.nat({ max: 16 }), { freq: 5 }),
      keyed: fc.boolean(),
      failed: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('release' as const, 'expire' as const, 'doubt' as const),
      pick,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('resolve' as const), pick, billed: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('again' as const), pick }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('grant' as const),
      amount: fc.nat({ max: 20 }),
      reference: fc.constantFrom('r1', 'r2', 'r3'),
    }),
  },
);

/** Limits and balances vary from history to history: one fixed configuration hides bugs. */
export const history: fc.Arbitrary<History> = fc.record({
  tier: fc.record({
    callsFree: fc.option(fc.nat({ max: 4 }), { freq: 6 }),
    beyond: fc.constantFrom('block' as const, 'charge' as const),
    creditsMax: fc.option(fc.nat({ max: 8 }), { freq: 2 }),
  }),
  balance: fc.nat({ max: 24 }),
  price: fc.constantFrom(1, 3, 8),
  batches: fc.array(
    fc.record({
      waitMs: fc.constantFrom(
        0,
        MINUTE,
        11 * MINUTE,
        59 * MINUTE,
        HOUR,
        23 * HOUR,
        DAY,
        25 * HOUR,
        -2 * HOUR,
        -DAY,
        3_650 * DAY,
        -3_650 * DAY,
      ),
      fate: fc.constantFrom('ok' as const, 'ok' as const, 'ok' as const, 'lost' as const, 'unheard' as const),
      steps: fc.array(step, { maxLength: 6 }),
    }),
    { maxLength: 14 },
  ),
});

/** Plays a history against the rules and against the model, and expects the same answers and sound totals. */
export function play(decide: Decide, { tier, balance, price, batches }: History): number {
  const ledger = createMemoryLedger(decide, {
    id: 's',
    tier: 't',
    balance: 0,
    reserved: 0,
    clock: 0,
    ahead: 0,
    budget_use: '',
  });
  const model = createModel('t');
  const issued: LedgerOperation[] = [];
  const ids: string[] = [];
  const units: BeginOperation[] = [];
  const all: LedgerOperation[] = [
    { kind: 'grant', subscription: 's', reference: 'start', amount: balance, note: null },
  ];
  let now = Date.UTC(2026, 0, 1, 0, 58);
  let undelivered = all;
  let count = 0;
  for (const batch of [...batches, { waitMs: 0, fate: 'ok' as const, steps: [] }]) {
    now += batch.waitMs;
    const made = batch.steps.flatMap((each) =>
      operationOf(each, { ids, units, issued, tiers: { t: tier }, price }),
    );
    const operations = [...undelivered, ...made];
    undelivered = batch.fate === 'ok' ? [] : operations;
    count += operations.length;
    const answers = ledger.run(operations, now, batch.fate !== 'lost');
    if (batch.fate === 'lost') continue;
    const expected = operations.map((operation) => model.step(operation, now));
    if (batch.fate === 'ok') expect(answers.map(textOf)).toEqual(expected);
    expectSound(ledger, model);
    expectWithinLimit(model, tier);
  }
  return count;
}

function operationOf(
  step: Step,
  made: {
    ids: string[];
    units: BeginOperation[];
    issued: LedgerOperation[];
    tiers: Record<string, Tier>;
    price: number;
  },
): LedgerOperation[] {
  const { ids, units, issued, tiers } = made;
  const add = (operation: LedgerOperation): LedgerOperation[] => {
    issued.push(operation);
    return [operation];
  };
  const subscription = 's';
  if (step.kind === 'grant') return add({ ...step, subscription, note: null });
  if (step.kind === 'hold') {
    const id = `h${ids.length}`;
    ids.push(id);
    const { category, credits, asks } = step;
    return add({
      kind: 'hold',
      id,
      subscription,
      workspace: null,
      agent: null,
      key: null,
      person: null,
      category,
      provider: 'p',
      price: made.price,
      credits,
      counted: true,
      asks,
      ttlMs: 10 * MINUTE,
      tiers,
    });
  }
  if (step.kind === 'begin') {
    const { key, fingerprint } = step;
    const begin = {
      kind: 'begin',
      id: `u${units.length}`,
      subscription,
      key,
      fingerprint,
      ttlMs: 10 * MINUTE,
      tiers,
    } as const;
    units.push(begin);
    return add(begin);
  }
  if (step.kind === 'commit') return add(commitOf(step, { ids, units, tiers }));
  const list: readonly unknown[] = step.kind === 'again' ? issued : ids;
  const chosen = list[list.length - 1 - (step.pick % Math.max(1, list.length))];
  if (chosen === undefined) return [];
  if (step.kind === 'again') return [chosen as LedgerOperation];
  const id = chosen as string;
  if (step.kind === 'resolve') {
    const verdict = step.billed ? 'billed' : 'not_billed';
    return add({ kind: 'resolve', id, subscription, verdict, credits: 1 });
  }
  return add({ kind: step.kind, id, subscription });
}

function commitOf(
  { picks, credits, keyed, failed }: Extract<Step, { kind: 'commit' }>,
  made: { ids: string[]; units: BeginOperation[]; tiers: Record<string, Tier> },
): LedgerOperation {
  const { ids, units, tiers } = made;
  const chosen = picks.flatMap((index) => ids[ids.length - 1 - (index % Math.max(1, ids.length))] ?? []);
  const charges = [...new Set(chosen)].map((hold) => ({ hold, credits }));
  const unit = keyed ? units.at(-1) : undefined;
  const { key = '', fingerprint = '' } = unit ?? {};
  const answer = failed ? null : 'done';
  const kept = unit === undefined ? null : { key, fingerprint, ttlMs: 25 * HOUR, answer, failed };
  const id = unit?.id ?? 'alone';
  return { kind: 'commit', id, subscription: 's', charges, kept, tiers, overageMax: 4 };
}

function textOf(answer: LedgerAnswer): string {
  switch (answer.status) {
    case 'held':
      return `held ${answer.hold.free === 1} ${answer.hold.amount}`;
    case 'limit':
      return `limit ${answer.unit} ${answer.used} ${answer.resetInMs}`;
    case 'insufficient':
      return `insufficient ${answer.available} ${answer.required}`;
    case 'resolved':
      return `resolved ${answer.hold.state} ${answer.hold.charged} ${answer.hold.already}`;
    case 'granted':
      return `granted ${answer.balance} ${answer.already}`;
    case 'replay':
      return `replay ${answer.balance} ${answer.callsLeft}`;
    case 'committed': {
      const holds = answer.holds.map((hold) => `${hold.state} ${hold.charged} ${hold.already}`);
      const replay = answer.replay === undefined ? '' : ' replay';
      return `committed ${holds.join(', ')} ${answer.balance} ${answer.callsLeft}${replay}`;
    }
    case 'budget':
      return `budget ${answer.budget.used} ${answer.required} ${answer.budget.renewsInMs}`;
    case 'unknown':
      return `unknown ${answer.what}`;
    case 'begun':
    case 'ended':
    case 'in_progress':
    case 'mismatch':
    case 'overflow':
      return answer.status;
  }
}

/** L1: nothing appears, nothing disappears. */
function expectSound(ledger: ReturnType<typeof createMemoryLedger>, model: Model): void {
  const { account, rows, buckets } = ledger;
  const booked = rows.reduce((sum, row) => sum + row.amount, 0);
  const counted = [...buckets.values()].reduce((sum, bucket) => sum + bucket.count, 0);
  const alive = [...model.calls.values()].filter(
    (call) => call.goneAt === undefined || call.state === 'settled',
  );
  expect({ balance: account.balance, booked, reserved: account.reserved, counted }).toEqual({
    balance: model.balance(),
    booked: model.balance(),
    reserved: model.reserved(),
    counted: alive.length,
  });
}

/** L3, on exact times and not on buckets: at no admission did the 24 hours before it hold more than the limit. */
function expectWithinLimit(model: Model, tier: Tier): void {
  const limit = tier.callsFree;
  if (limit === null || tier.beyond !== 'block') return;
  const calls = [...model.calls.values()].filter((call) => !call.late);
  for (const call of calls) {
    const inside = calls.filter((other) => {
      const isBefore = other.at > call.at - DAY && other.at <= call.at;
      return isBefore && (other.goneAt === undefined || other.goneAt > call.at);
    });
    expect(inside.length).toBeLessThanOrEqual(limit);
  }
}
