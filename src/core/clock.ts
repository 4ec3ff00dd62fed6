import { onAbort } from './on-abort.ts';

/** Time, passed in as a value so that tests control every wait. */
export interface Clock {
  /** Milliseconds since the epoch. Follows the system time, which can be set forward and back. */
  now(): number;
  /**
   * Milliseconds since an arbitrary moment in this process. Never goes back, even when the system time does.
   */
  monotonic(): number;
  /** Resolves after `ms`, or rejects at once with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls `action` after `ms` and returns a function that cancels it. The timer does not keep the process
   * running.
   */
  after(ms: number, action: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        stopListening();
        resolve();
      }, ms);
      const stopListening = listen(signal, (reason) => {
        clearTimeout(timer);
        reject(reason);
      });
    }),
  after: (ms, action) => {
    const timer = setTimeout(action, ms).unref();
    return () => clearTimeout(timer);
  },
};

/**
 * The time that limits are measured with. It follows the system time but never goes back and never stands
 * still: when the system time is set back, this one continues from where it was.
 */
export function createSteadyTime({ monotonic }: Pick<Clock, 'monotonic'>): (wall: number) => number {
  let steady = -Infinity;
  let at = monotonic();
  return (wall) => {
    const passed = monotonic() - at;
    at += passed;
    steady = Math.max(steady + passed, wall);
    return Math.floor(steady);
  };
}

/**
 * A clock for tests. Sleeping advances it at once and is recorded in `slept`. `step` sets the system time
 * without letting time pass.
 * @testonly
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
 * @testonly
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
      const stopListening = listen(signal, (reason) => {
        sleepers.delete(sleeper);
        reject(reason);
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

function listen(signal: AbortSignal | undefined, action: (reason: Error) => void): () => void {
  return signal === undefined ? () => {} : onAbort(signal, () => action(signal.reason as Error));
}
