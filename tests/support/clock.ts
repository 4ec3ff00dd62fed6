import type { Clock } from '../../src/core/clock.ts';
import { onAbort } from '../../src/core/on-abort.ts';

/**
 * A clock for tests. Sleeping advances it at once and is recorded in `slept`. `step` sets the system time
 * without letting time pass.
 */
export function createTestClock(
  startMs = Date.UTC(2026, 0, 1),
): Clock & { slept: number[]; advance(ms: number): void; step(ms: number): void } {
  let now = startMs;
  let passed = 0;
  const slept: number[] = [];
  const alarms = new Set<{ at: number; action(): void }>();
  const advance = (ms: number): void => {
    now += ms;
    passed += Math.max(0, ms);
    for (const alarm of alarms) if (alarm.at <= passed && alarms.delete(alarm)) alarm.action();
  };
  return {
    slept,
    now: () => now,
    monotonic: () => passed,
    advance,
    step: (ms) => {
      now += ms;
    },
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      slept.push(ms);
      advance(ms);
    },
    after: (ms, action) => {
      const alarm = { at: passed + ms, action };
      alarms.add(alarm);
      return () => void alarms.delete(alarm);
    },
  };
}

/**
 * A clock that stands still until a test advances it. Sleepers wake in order of their time, and each finishes
 * its work before the next wakes.
 */
export function createManualClock(startMs = Date.UTC(2026, 0, 1)): Clock & {
  readonly sleepers: number;
  advance(ms: number): Promise<void>;
} {
  let now = startMs;
  const sleepers = new Set<{ at: number; wake(): void }>();
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const sleeper = {
        at: now + ms,
        wake: () => {
          sleepers.delete(sleeper);
          stopListening();
          resolve();
        },
      };
      sleepers.add(sleeper);
      const stopListening =
        signal === undefined
          ? () => {}
          : onAbort(signal, () => {
              sleepers.delete(sleeper);
              reject(signal.reason as Error);
            });
    });
  return {
    now: () => now,
    monotonic: () => now - startMs,
    get sleepers() {
      return sleepers.size;
    },
    sleep,
    after: (ms, action) => {
      const cancel = new AbortController();
      sleep(ms, cancel.signal).then(action, () => undefined);
      return () => cancel.abort();
    },
    advance: async (ms) => {
      const end = now + ms;
      for (;;) {
        // Whoever woke last must have run, because it may sleep again.
        await new Promise((resolve) => setImmediate(resolve));
        const [next] = [...sleepers].sort((a, b) => a.at - b.at);
        if (next === undefined || next.at > end) break;
        now = Math.max(now, next.at);
        next.wake();
      }
      now = end;
    },
  };
}
