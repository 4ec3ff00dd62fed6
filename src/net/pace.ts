import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { createKeyed } from './keyed.ts';

export interface Pace {
  /**
   * Resolves when it is this caller's turn: `intervalMs` after the previous turn and after any cooldown.
   * First come, first served.
   */
  wait(key: string, intervalMs: number, signal: AbortSignal): Promise<void>;
  /** Blocks all turns of this key until `untilMs`. */
  cooldown(key: string, untilMs: number): void;
  /** The time of the next free turn. */
  availableAt(key: string): number;
}

interface Lane {
  nextAt: number;
  coolUntil: number;
  waiters: number;
}

/** Spaces out the requests of each key, because providers limit requests per second. */
export function createPace({ clock }: { clock: Clock }): Pace {
  const lanes = createKeyed<Lane>(
    () => ({ nextAt: 0, coolUntil: 0, waiters: 0 }),
    (lane) => lane.waiters > 0 || lane.coolUntil > clock.monotonic() || lane.nextAt > clock.monotonic(),
  );
  const wait = async (key: string, intervalMs: number, signal: AbortSignal) => {
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
      await takeTurn(lane, intervalMs, signal, clock);
    } finally {
      lane.waiters -= 1;
    }
  };
  return {
    wait,
    cooldown: (key, untilMs) => {
      const lane = lanes.get(key);
      lane.coolUntil = Math.max(lane.coolUntil, untilMs);
    },
    availableAt: (key) => {
      const lane = lanes.peek(key);
      return Math.max(clock.monotonic(), lane?.nextAt ?? 0, lane?.coolUntil ?? 0);
    },
  };
}

async function takeTurn(lane: Lane, intervalMs: number, signal: AbortSignal, clock: Clock): Promise<void> {
  for (;;) {
    const turnAt = Math.max(clock.monotonic(), lane.nextAt, lane.coolUntil);
    lane.nextAt = turnAt + intervalMs;
    if (turnAt > clock.monotonic()) await sleepUntil(turnAt, lane, intervalMs, signal, clock);
    // A cooldown may have begun while we slept; the turn is then void and a later one is taken.
    if (lane.coolUntil <= clock.monotonic()) return;
  }
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
