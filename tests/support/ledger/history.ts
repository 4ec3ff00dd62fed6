import fc from 'fast-check';
import { expect } from 'vitest';
import type { LedgerAnswer, LedgerOperation, Tier } from '../../../src/store/ledger/types.ts';
import { createMemoryLedger, type Decide } from './memory-ledger.ts';
import { createModel, type Model } from './model.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

type Step =
  | { kind: 'hold'; category: 'search' | 'fetch'; credits: number; key: string | null; fingerprint: string }
  | { kind: 'settle'; pick: number; credits: number | null }
  | { kind: 'release' | 'expire' | 'again'; pick: number }
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
      key: fc.option(fc.constantFrom('a', 'b'), { freq: 3 }),
      fingerprint: fc.constantFrom('x', 'x', 'x', 'y'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      pick,
      credits: fc.option(fc.nat({ max: 6 }), { freq: 5 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('release' as const, 'expire' as const), pick }) },
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
      ),
      fate: fc.constantFrom('ok' as const, 'ok' as const, 'ok' as const, 'lost' as const, 'unheard' as const),
      steps: fc.array(step, { maxLength: 6 }),
    }),
    { maxLength: 14 },
  ),
});

/** Plays a history against the rules and against the model, and expects the same answers and sound totals. */
export function play(decide: Decide, { tier, balance, price, batches }: History): number {
  const ledger = createMemoryLedger(decide, { id: 's', tier: 't', balance: 0, reserved: 0, clock: 0 });
  const model = createModel('t');
  const issued: LedgerOperation[] = [];
  const ids: string[] = [];
  const all: LedgerOperation[] = [
    { kind: 'grant', subscription: 's', reference: 'start', amount: balance, note: null },
  ];
  let now = Date.UTC(2026, 0, 1, 0, 58);
  let undelivered = all;
  let count = 0;
  for (const batch of [...batches, { waitMs: 0, fate: 'ok' as const, steps: [] }]) {
    now += batch.waitMs;
    const made = batch.steps.flatMap((each) => operationOf(each, { ids, issued, tiers: { t: tier }, price }));
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
  made: { ids: string[]; issued: LedgerOperation[]; tiers: Record<string, Tier>; price: number },
): LedgerOperation[] {
  const { ids, issued } = made;
  const add = (operation: LedgerOperation): LedgerOperation[] => {
    issued.push(operation);
    return [operation];
  };
  const subscription = 's';
  if (step.kind === 'grant') return add({ ...step, subscription, note: null });
  if (step.kind === 'hold') {
    const id = `h${ids.length}`;
    ids.push(id);
    const { category, credits, key, fingerprint } = step;
    return add({
      kind: 'hold',
      id,
      subscription,
      workspace: null,
      agent: null,
      key: null,
      category,
      provider: 'p',
      price: made.price,
      credits,
      counted: true,
      ttlMs: 10 * MINUTE,
      tiers: made.tiers,
      idempotency: key === null ? null : { key, fingerprint, ttlMs: 25 * HOUR },
    });
  }
  const list: readonly unknown[] = step.kind === 'again' ? issued : ids;
  const chosen = list[list.length - 1 - (step.pick % Math.max(1, list.length))];
  if (chosen === undefined) return [];
  if (step.kind === 'again') return [chosen as LedgerOperation];
  const id = chosen as string;
  if (step.kind === 'settle')
    return add({ kind: 'settle', id, subscription, credits: step.credits, answer: 'done' });
  return add({ kind: step.kind, id, subscription });
}

function textOf(answer: LedgerAnswer): string {
  switch (answer.status) {
    case 'held':
      return `held ${answer.hold.free === 1} ${answer.hold.amount}`;
    case 'limit':
      return `limit ${answer.unit} ${answer.used} ${answer.resetAt}`;
    case 'insufficient':
      return `insufficient ${answer.available} ${answer.required}`;
    case 'resolved':
      return `resolved ${answer.hold.state} ${answer.hold.charged} ${answer.already}`;
    case 'granted':
      return `granted ${answer.balance} ${answer.already}`;
    case 'replay':
    case 'in_progress':
      return `${answer.status} ${answer.hold}`;
    case 'unknown':
      return `unknown ${answer.what}`;
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
