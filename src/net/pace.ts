import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import type { RequestWindow } from '../core/shared.ts';
import { createKeyed } from './keyed.ts';

export interface Pace {
  /** Resolves when it is this caller's turn: `intervalMs` after the previous one. First come, first served. */
  wait(key: string, intervalMs: number, signal: AbortSignal): Promise<void>;
  /** Counts a request against windows of time; returns how long to wait instead when one of them is full. */
  admit(key: string, windows: readonly RequestWindow[]): number | undefined;
}

interface Lane {
  nextAt: number;
  waiters: number;
}

/** No window is longer. */
const WINDOW_MS_MAX = 86_400_000;

/** Spaces out the requests of each key, because providers limit requests per second. */
export function createPace({ clock }: { clock: Clock }): Pace {
  const lanes = createKeyed<Lane>(
    () => ({ nextAt: 0, waiters: 0 }),
    (lane) => lane.waiters > 0 || lane.nextAt > clock.monotonic(),
  );
  /** When the latest requests were sent, oldest first: as many as the largest window counts. */
  const sent = createKeyed<{ times: number[] }>(
    () => ({ times: [] }),
    ({ times }) => times.length > 0 && (times.at(-1) ?? 0) > clock.monotonic() - WINDOW_MS_MAX,
  );
  return {
    admit: (key, windows) => {
      const { times } = sent.get(key);
      const now = clock.monotonic();
      const waits = windows.map(({ requests, perMs }) => (times.at(-requests) ?? -Infinity) + perMs - now);
      const waitMs = Math.max(0, ...waits);
      if (waitMs > 0) return waitMs;
      times.push(now);
      const most = Math.max(0, ...windows.map(({ requests }) => requests));
      if (times.length > most * 2) times.splice(0, times.length - most);
      return undefined;
    },
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
