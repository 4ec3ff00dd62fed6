import { expect, test } from 'vitest';
import { createTestClock } from '../../tests/support/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { silentLogger } from '../core/log.ts';
import { unavailable } from '../store/ledger/batch-queue.ts';
import type { Database } from '../store/database.ts';
import type { LedgerAnswer, LedgerOperation } from '../store/ledger/types.ts';
import { CREDIT_MILLIONTHS } from '../core/money.ts';
import { createMeter } from './meter.ts';
import { beginUnitOfWork } from './unit-of-work.ts';

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
    log: async () => undefined,
    backup: async () => undefined,
    check: async () => [],
    close: async () => undefined,
  };
  return { database, seen, state };
}

const held = (operation: LedgerOperation): LedgerAnswer => {
  const ended = { credits: 1, reported: null, charged: 8_000, free: 0, late: 0, assumed: 0, already: false };
  switch (operation.kind) {
    case 'hold':
      return {
        status: 'held',
        hold: { id: operation.id, estimate: 1, amount: 8_000, free: 0, expires: 1 },
        behindMs: 0,
      };
    case 'begin':
      return { status: 'begun' };
    case 'commit': {
      const holds = operation.charges.map(({ hold: id }) => ({ ...ended, id, state: 'settled' as const }));
      return { status: 'committed', holds, balance: 0, callsLeft: null };
    }
    case 'release':
    case 'expire':
    case 'doubt':
      return { status: 'resolved', hold: { ...ended, id: operation.id, state: 'released' }, balance: 0 };
    default:
      throw new Error('not asked');
  }
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

test('F4, F6: an answer that cannot be booked is not delivered, and is in doubt as soon as the store is back', async () => {
  const { database, seen, state } = scripted(held);
  const meter = createMeter({
    database,
    clock: createTestClock(),
    log: silentLogger,
    prices: { tavily: CREDIT_MILLIONTHS },
  });
  const begun = await beginUnitOfWork(meter, { caller: { workspace: 'w' } });
  if (!('unit' in begun)) throw new Error('It was answered before.');
  const asked = await begun.unit.ask(request);
  const written = asked.answered(1);
  state.isDown = true;
  await expect(begun.unit.commit()).rejects.toMatchObject({
    code: 'storage_unavailable',
    remediation: expect.stringContaining('is not delivered'),
  });
  await expect(written).rejects.toMatchObject({ code: 'storage_unavailable' });
  await expect(meter.sweep()).rejects.toThrow('not available');
  state.isDown = false;
  await meter.sweep();
  await meter.sweep();
  const ends = seen.map((operation) => operation.kind).filter((kind) => kind !== 'expire');
  expect(ends).toEqual(['hold', 'doubt']);
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
  const meter = createMeter({ database, clock: createTestClock(), log: silentLogger, personal, prices: {} });
  const begun = await beginUnitOfWork(meter, { caller: {}, idempotencyKey: 'once', fingerprint: 'f' });
  if ('unit' in begun) await begun.unit.ask({ category: 'search', provider: 'duckduckgo', credits: 0 });
  expect(seen.map((operation) => operation.kind)).toEqual(['begin', 'hold']);
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
