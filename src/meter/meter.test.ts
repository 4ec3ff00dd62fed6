import { expect, test } from 'vitest';
import { createTestClock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { silentLogger } from '../core/log.ts';
import { unavailable } from '../store/ledger/batch-queue.ts';
import type { Database } from '../store/database.ts';
import type { LedgerAnswer, LedgerOperation } from '../store/ledger/types.ts';
import { CREDIT_MILLIONTHS } from '../core/money.ts';
import { createMeter } from './meter.ts';

const request = { workspace: 'w', category: 'search', provider: 'tavily', credits: 1 } as const;

/** A database that answers as told, or is down. */
function scripted(answer: (operation: LedgerOperation) => LedgerAnswer) {
  const seen: LedgerOperation[] = [];
  const state = { isDown: false };
  const database: Database = {
    dialect: 'sqlite',
    read: async () => (state.isDown ? Promise.reject(unavailable('it is down')) : [{ subscription: 's' }]),
    write: async () => [],
    book: async (operation) => {
      if (state.isDown) throw unavailable('it is down');
      seen.push(operation);
      return answer(operation);
    },
    bookEarly: async (operation) => {
      const answer = await database.book(operation);
      return { answer, committed: Promise.resolve(answer) };
    },
    backup: async () => undefined,
    check: async () => [],
    close: async () => undefined,
  };
  return { database, seen, state };
}

const held = (operation: LedgerOperation): LedgerAnswer => {
  if (operation.kind === 'grant') throw new Error('not asked');
  const hold = {
    id: operation.id,
    subscription: 's',
    workspace: null,
    agent: null,
    key: null,
    category: 'search' as const,
    provider: 'tavily',
    price: 8_000,
    estimate: 1,
    amount: 8_000,
    free: 0,
    counted: 1,
    hour: 0,
    state: operation.kind === 'hold' ? ('open' as const) : ('settled' as const),
    credits: operation.kind === 'settle' ? operation.credits : null,
    charged: 8_000,
    late: 0,
    assumed: 0,
    idempotency: null,
    created: 0,
    expires: 1,
    resolved: null,
  };
  return operation.kind === 'hold'
    ? { status: 'held', hold, behindMs: 0 }
    : { status: 'resolved', hold, balance: 0, already: false };
};

test('fails closed and says so when the store is down', async () => {
  const { database, state } = scripted(held);
  const meter = createMeter({
    database,
    clock: createTestClock(),
    log: silentLogger,
    prices: { tavily: CREDIT_MILLIONTHS },
  });
  state.isDown = true;
  const refused = await meter.hold(request).catch((thrown: unknown) => HeadgateError.from(thrown));
  expect(refused).toMatchObject({ code: 'storage_unavailable', status: 503, retryable: true });
  state.isDown = false;
  expect((await meter.hold(request)).metered).toBe(true);
});

test('F4, F6: work that is done while the store is down is booked later, and its result is not lost', async () => {
  const { database, seen, state } = scripted(held);
  const meter = createMeter({
    database,
    clock: createTestClock(),
    log: silentLogger,
    prices: { tavily: CREDIT_MILLIONTHS },
  });
  const hold = await meter.hold(request);
  state.isDown = true;
  expect(await meter.settle(hold, 1)).toMatchObject({ pending: true, credits: 1 });
  await expect(meter.sweep()).rejects.toThrow('not available');
  state.isDown = false;
  await meter.sweep();
  await meter.sweep();
  expect(seen.filter((operation) => operation.kind === 'settle')).toMatchObject([
    { id: hold.id, credits: 1 },
  ]);
});

test('research and crawl may hold longer than the default, never shorter and never for ever', async () => {
  const { database, seen } = scripted(held);
  const meter = createMeter({
    database,
    clock: createTestClock(),
    log: silentLogger,
    prices: { tavily: CREDIT_MILLIONTHS },
  });
  for (const ttlMs of [1, 660_000, 1e12]) await meter.hold({ ...request, ttlMs });
  expect(seen.map((operation) => operation.kind === 'hold' && operation.ttlMs)).toEqual([
    300_000, 660_000, 86_400_000,
  ]);
});

test("a person's daily limit counts a call under an idempotency key once: where a provider is asked", async () => {
  const { database, seen } = scripted(held);
  const personal = { callsPerDay: 5, creditsPerDay: null };
  const meter = createMeter({
    database,
    clock: createTestClock(),
    log: silentLogger,
    personal,
    prices: { tavily: CREDIT_MILLIONTHS },
  });
  const local = { category: 'search', credits: 0 } as const;
  await meter.hold({ ...local, provider: 'headgate-call', idempotencyKey: 'once', counts: false });
  await meter.hold({ ...local, provider: 'duckduckgo' });
  expect(seen.map((operation) => operation.kind === 'hold' && operation.counted)).toEqual([false, true]);
});

test('sweeps until it is told to stop, also when a sweep fails', async () => {
  const { database, state } = scripted(held);
  const stop = new AbortController();
  const clock = createTestClock();
  let sleeps = 0;
  const sleep = async (ms: number) => {
    if (ms !== LIMITS.sweepMs) return;
    sleeps += 1;
    state.isDown = sleeps < 3;
    if (sleeps === 5) stop.abort();
  };
  await createMeter({
    database,
    clock: { ...clock, sleep },
    log: silentLogger,
    prices: { tavily: CREDIT_MILLIONTHS },
  }).sweepUntil(stop.signal);
  expect(sleeps).toBe(5);
});
