import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { createKeyed } from './keyed.ts';

export interface Pace {
  /** Resolves when it is this caller's turn: `intervalMs` after the previous one. First come, first served. */
  wait(key: string, intervalMs: number, signal: AbortSignal): Promise<void>;
}

interface Lane {
  nextAt: number;
  waiters: number;
}

/** Spaces out the requests of each key, because providers limit requests per second. */
export function createPace({ clock }: { clock: Clock }): Pace {
  const lanes = createKeyed<Lane>(
    () => ({ nextAt: 0, waiters: 0 }),
    (lane) => lane.waiters > 0 || lane.nextAt > clock.monotonic(),
  );
  return {
    wait: async (key, intervalMs, signal) => {
      signal.throwIfAborted();
      const lane = lanes.get(key);
      if (lane.waiters >= LIMITS.paceWaitersMax) {
        throw new HeadgateError(
          'rate_limited',
          own`${lane.waiters} calls already wait for their turn. Try again later.`,
        );
      }
      lane.waiters += 1;
      try {
        const turnAt = Math.max(clock.monotonic(), lane.nextAt);
        lane.nextAt = turnAt + intervalMs;
        if (turnAt > clock.monotonic()) await sleepUntil(turnAt, lane, intervalMs, signal, clock);
      } finally {
        lane.waiters -= 1;
      }
    },
  };
}

async function sleepUntil(
  turnAt: number,
  lane: Lane,
  intervalMs: number,
  signal: AbortSignal,
  clock: Clock,
): Promise<void> {
  try {
    await clock.sleep(turnAt - clock.monotonic(), signal);
  } catch (thrown) {
    // A caller that leaves gives its turn back, unless somebody queued behind it.
    if (lane.nextAt === turnAt + intervalMs) lane.nextAt = turnAt;
    throw HeadgateError.from(thrown);
  }
}
