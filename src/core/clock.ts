/** Time as a value that is passed in, so that every wait can be played by a test. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, or rejects at once with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, ms);
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};

/** A clock that a test moves. Sleeping moves it forward at once and is recorded in `slept`. */
export function createTestClock(
  startMs = Date.UTC(2026, 0, 1),
): Clock & { slept: number[]; advance(ms: number): void } {
  let now = startMs;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      slept.push(ms);
      now += ms;
    },
  };
}

/** A clock that stands still until a test moves it; sleepers wake in order of their time, each with its work done before the next. */
export function createManualClock(startMs = Date.UTC(2026, 0, 1)): Clock & {
  readonly sleepers: number;
  advance(ms: number): Promise<void>;
} {
  let now = startMs;
  const sleepers = new Set<{ at: number; wake(): void }>();
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => {
        sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      const sleeper = {
        at: now + ms,
        wake: () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      sleepers.add(sleeper);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  return {
    now: () => now,
    get sleepers() {
      return sleepers.size;
    },
    sleep,
    advance: async (ms) => {
      const end = now + ms;
      for (;;) {
        // What the last one woke must have run, because it may sleep again.
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
