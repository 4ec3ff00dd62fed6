import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import {
  createMemoryShared,
  SHARED_LIMITS,
  type PacedTurn,
  type RequestWindow,
  type Shared,
} from '../core/shared.ts';

export interface Pace {
  /**
   * Resolves when it is this caller's turn: `intervalMs` after the previous one, whoever that was. First come, first served.
   * Gateways that share their pace refuse at once what could not be served within `withinMs`.
   */
  wait(key: string, intervalMs: number, signal: AbortSignal, withinMs?: number): Promise<void>;
  /**
   * Resolves once the request before was written long enough ago, however late that was; call the result when this one is written. Only slow paces
   * wait here, because it takes two statements.
   */
  begin(key: string, intervalMs: number, signal: AbortSignal): Promise<() => void>;
  /** Counts a request against windows of time; returns how long to wait instead when one of them is full. */
  admit(key: string, windows: readonly RequestWindow[]): Promise<number | undefined>;
}

/** Spaces out the requests of each key, because providers limit requests per second. */
export function createPace(options: {
  clock: Clock;
  shared?: Pick<Shared, 'take' | 'turn' | 'begin'>;
}): Pace {
  const { clock, shared = createMemoryShared({ clock }) } = options;
  const waiters = new Map<string, number>();
  const add = (key: string, by: number): void => {
    const count = (waiters.get(key) ?? 0) + by;
    if (count === 0) waiters.delete(key);
    else waiters.set(key, count);
  };
  const take = async (key: string, windows: readonly RequestWindow[], isPeek: boolean): Promise<number> => {
    let waitMs = 0;
    for (const window of windows) {
      const refused = await shared.take(`provider ${key} ${window.perMs}`, window, isPeek);
      waitMs = Math.max(waitMs, refused?.retryAfterMs ?? 0);
    }
    return waitMs;
  };
  return {
    admit: async (key, windows) => {
      // A request that one window refuses is not counted in the others.
      const waitMs = (await take(key, windows, true)) || (await take(key, windows, false));
      return waitMs > 0 ? waitMs : undefined;
    },
    begin: async (key, intervalMs, signal) => {
      const { writtenPaceMs, writtenLookMs } = SHARED_LIMITS;
      if (intervalMs < writtenPaceMs) return () => undefined;
      for (;;) {
        const begun = await shared.begin(key, intervalMs);
        if (typeof begun === 'function') return begun;
        // While the request before is not written, nobody knows how long it takes.
        const isWritten = begun.retryAfterMs <= intervalMs;
        await clock.sleep(isWritten ? Math.ceil(begun.retryAfterMs) : writtenLookMs, signal);
      }
    },
    wait: async (key, intervalMs, signal, withinMs = LIMITS.siteTimeoutMs) => {
      signal.throwIfAborted();
      const waiting = waiters.get(key) ?? 0;
      if (waiting > LIMITS.paceWaitersMax) {
        throw new HeadgateError(
          'rate_limited',
          own`${waiting - 1} calls already wait for their turn. Try again later.`,
        );
      }
      add(key, 1);
      try {
        // Whoever was too late for a turn takes another one, with more time to get there.
        for (let aheadMs = 0; ;) {
          const turn = await shared.turn(key, intervalMs, withinMs, aheadMs);
          if ('retryAfterMs' in turn) throw tooFar(turn.retryAfterMs);
          await sleepUntil(turn, signal, clock);
          const lateMs = clock.monotonic() - turn.by;
          if (lateMs <= 0) return;
          aheadMs = Math.min(LATE_MS_MAX, aheadMs + 2 * lateMs);
        }
      } finally {
        add(key, -1);
      }
    },
  };
}

const LATE_MS_MAX = 1_000;

const tooFar = (retryAfterMs: number): HeadgateError =>
  new HeadgateError('rate_limited', 'The calls that wait for their turn leave no time for this one.', {
    remediation: 'Try again later.',
    retryAfterMs,
  });

async function sleepUntil(turn: PacedTurn, signal: AbortSignal, clock: Clock): Promise<void> {
  try {
    // A timer may fire a moment early.
    while (clock.monotonic() < turn.at) await clock.sleep(Math.max(1, turn.at - clock.monotonic()), signal);
    signal.throwIfAborted();
  } catch (thrown) {
    turn.giveBack();
    throw HeadgateError.from(thrown);
  }
}
