import type { Clock } from '../core/clock.ts';
import { LIMITS } from '../core/limits.ts';
import { createKeyed } from './keyed.ts';

export interface KeyBudget {
  countCall(): void;
  /** True when one more retry is affordable; it is then spent. */
  takeRetry(): boolean;
}

/**
 * Retry tokens per key, so that an outage is not answered with three times the load: every call earns a tenth of a retry. A small
 * reserve, which fills up again with time, lets a quiet key retry too.
 */
export function createRetryBudget({ clock }: { clock: Clock }): { of(key: string): KeyBudget } {
  const tokens = createKeyed(() => ({ count: LIMITS.retryBudgetReserve as number, at: clock.now() }));
  const current = (key: string) => {
    const entry = tokens.get(key);
    const now = clock.now();
    const refilled = entry.count + (now - entry.at) / LIMITS.retryBudgetRefillMs;
    if (entry.count < LIMITS.retryBudgetReserve) entry.count = Math.min(LIMITS.retryBudgetReserve, refilled);
    entry.at = now;
    return entry;
  };
  return {
    of: (key) => ({
      countCall: () => {
        const entry = current(key);
        entry.count = Math.min(LIMITS.retryBudgetMax, entry.count + LIMITS.retryBudgetRatio);
      },
      takeRetry: () => {
        const entry = current(key);
        if (entry.count < 1) return false;
        entry.count -= 1;
        return true;
      },
    }),
  };
}
