import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createTestClock } from '../../tests/support/clock.ts';
import { withinTime } from './deadline.ts';

/** Runs the garbage collector, which took the deadlines of calls. */
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const untilAborted = (signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve((signal.reason as Error).name), { once: true });
  });

test('time is up also after the garbage collector ran', async () => {
  const never = new AbortController().signal;
  const clock = createTestClock();
  const running = withinTime(never, 1_000, clock, untilAborted);
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  clock.advance(1_000);
  expect(await running).toBe('TimeoutError');
});

test('a signal of the caller counts as well, also one that has fired before', async () => {
  const caller = new AbortController();
  const clock = createTestClock();
  const running = withinTime(caller.signal, 1_000, clock, untilAborted);
  caller.abort();
  expect(await running).toBe('AbortError');
  await withinTime(caller.signal, 1_000, clock, async (signal) => expect(signal.aborted).toBe(true));
});

test('what is over has no timer any more', async () => {
  const clock = createTestClock();
  const signal = await withinTime(new AbortController().signal, 1_000, clock, async (inner) => inner);
  clock.advance(2_000);
  expect(signal.aborted).toBe(false);
});
