import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Call } from '../core/call.ts';
import { createTestClock } from '../../tests/support/clock.ts';
import type { UnitOfWork } from '../core/unit-of-work.ts';
import { createCache } from '../net/cache.ts';
import { createSingleFlight } from '../net/single-flight.ts';
import type { RoutingServices } from './services.ts';
import { withCache } from './cached.ts';

const clock = createTestClock();

function world() {
  const cache = createCache<unknown>({ clock, entriesMax: 10, bytesMax: 1e6, ttlMs: 60_000 });
  return { cache, flights: createSingleFlight() } as unknown as RoutingServices & { cache: typeof cache };
}

/** A unit of work that only hears what must be written. */
const unitOf = (written: Promise<unknown>[], keepsAnswer = false): UnitOfWork => ({
  keepsAnswer,
  waitFor: (one) => void written.push(one),
  ask: () => expect.fail('not asked'),
  commit: () => expect.fail('not asked'),
  fail: () => expect.fail('not asked'),
});

const callOf = (written: Promise<unknown>[]): Call => ({
  requestId: 'r',
  caller: { workspace: 'w' },
  signal: new AbortController().signal,
  deadline: clock.now() + 1_000,
  unit: unitOf(written),
});

test('nothing is kept before it is paid for, and whoever joined waits for that too', async () => {
  const services = world();
  let pay = () => {};
  const payment = new Promise<void>((resolve) => (pay = resolve));
  const [first, second]: Promise<unknown>[][] = [[], []];
  const ask = async (call: Call) => {
    call.unit?.waitFor(payment);
    return 'answer';
  };
  const answers = await Promise.all([
    withCache(['q'], () => true, { call: callOf(first ?? []), services }, ask),
    withCache(
      ['q'],
      () => true,
      { call: callOf(second ?? []), services },
      () => Promise.reject(new Error('twice')),
    ),
  ]);
  expect(answers).toEqual([
    { value: 'answer', cached: false },
    { value: 'answer', cached: false },
  ]);
  expect([first?.length, second?.length, services.cache.size]).toEqual([1, 1, 0]);
  pay();
  await Promise.all([...(first ?? []), ...(second ?? [])]);
  expect(services.cache.size).toBe(1);
});

test('an answer whose payment failed is not kept', async () => {
  const services = world();
  const written: Promise<unknown>[] = [];
  const asked = withCache(
    ['q'],
    () => true,
    { call: callOf(written), services },
    async (inner) => {
      inner.unit?.waitFor(Promise.reject(new Error('lost')));
      return 'answer';
    },
  );
  await asked;
  await expect(Promise.all(written)).rejects.toThrow('lost');
  expect(services.cache.size).toBe(0);
});

test('a call whose answer is kept for a key joins nobody, because it is charged with that answer', async () => {
  const services = world();
  let asked = 0;
  const ask = async () => ((asked += 1), 'answer');
  const keyed = { ...callOf([]), unit: unitOf([], true) };
  await Promise.all([
    withCache(['q'], () => true, { call: callOf([]), services }, ask),
    withCache(['q'], () => true, { call: keyed, services }, ask),
  ]);
  expect(asked).toBe(2);
});

/** A rejection that nobody sees ends the process. */
describe('what cannot be written when nobody waits for it any more', () => {
  const unseen: unknown[] = [];
  const see = (reason: unknown): void => void unseen.push(reason);
  beforeEach(() => void process.on('unhandledRejection', see));
  afterEach(() => {
    process.off('unhandledRejection', see);
    unseen.length = 0;
  });
  const lost = (): Promise<never> => Promise.reject(new Error('The store is gone'));
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

  test('because the call has failed, is nobody’s crash', async () => {
    const asking = withCache(
      ['q'],
      () => true,
      { call: callOf([]), services: world() },
      async (inner) => {
        inner.unit?.waitFor(lost());
        throw new Error('No provider answered');
      },
    );
    await expect(asking).rejects.toThrow('No provider answered');
    await nextTurn();
    expect(unseen).toEqual([]);
  });

  test('because the caller has gone, is nobody’s crash', async () => {
    const gone = new AbortController();
    const call = { ...callOf([]), signal: gone.signal };
    let answer: (value: string) => void = () => undefined;
    const asking = withCache(
      ['q'],
      () => true,
      { call, services: world() },
      (inner) => {
        inner.unit?.waitFor(lost());
        return new Promise<string>((resolve) => (answer = resolve));
      },
    );
    gone.abort(new Error('hung up'));
    await expect(asking).rejects.toThrow('cancelled');
    answer('too late');
    await nextTurn();
    expect(unseen).toEqual([]);
  });
});
