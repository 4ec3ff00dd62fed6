import type { Clock } from '../core/clock.ts';
import { LIMITS } from '../core/limits.ts';
import { createKeyed } from './keyed.ts';

/**
 * What one call may spend on retries. Its identity also tells the breaker which requests belong to one call.
 */
export interface Turn {
  /** Counts a first request with this key. */
  countRequest(key: string): void;
  /** Takes one retry with this key from the budget; false when none is left. */
  takeRetry(key: string): boolean;
}

export interface RetryBudget {
  /** Counts a call of this caller. */
  open(caller: string): Turn;
}

/**
 * Limits how much retries add to the load of a provider during an outage. A caller with few calls per minute
 * always gets its retries; beyond that, every request earns a tenth of a retry for its key.
 */
export function createRetryBudget({ clock }: { clock: Clock }): RetryBudget {
  const callers = createKeyed(() => ({ recent: [] as number[] }));
  const tokens = createKeyed(() => ({ count: 0 }));
  return {
    open: (caller) => {
      const isQuiet = countCall(callers.get(caller), clock.monotonic());
      return {
        countRequest: (key) => {
          const entry = tokens.get(key);
          entry.count = Math.min(LIMITS.retryBudgetMax, entry.count + LIMITS.retryBudgetRatio);
        },
        takeRetry: (key) => {
          if (isQuiet) return true;
          const entry = tokens.get(key);
          if (entry.count < 1) return false;
          entry.count -= 1;
          return true;
        },
      };
    },
  };
}

/**
 * True when the caller, including this call, is within the calls per minute whose retries are always granted.
 */
function countCall(caller: { recent: number[] }, now: number): boolean {
  caller.recent = [...caller.recent.filter((at) => at > now - MINUTE_MS), now].slice(
    -(LIMITS.retryQuietCallsMax + 1),
  );
  return caller.recent.length <= LIMITS.retryQuietCallsMax;
}

const MINUTE_MS = 60_000;
