import type { Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { KeyBudget } from './retry-budget.ts';

export interface RetryOptions {
  clock: Clock;
  /** 0 ≤ value < 1. */
  random(): number;
  signal: AbortSignal;
  /** When the whole call must be over, in the clock's milliseconds. */
  deadline: number;
  retriesMax?: number;
  baseMs?: number;
  capMs?: number;
  /** Limits how much retries may add to the load of a key. */
  budget?: KeyBudget;
}

/**
 * Tries `attempt` (0, 1, 2 …) until it succeeds, fails for good, or trying again makes no sense. What the other side asked for
 * (`retryAfterMs`) is waited for in full; when that would miss the deadline, its error is thrown at once with the value.
 */
export async function withRetry<T>(
  attempt: (attemptNumber: number) => Promise<T>,
  options: RetryOptions,
): Promise<T> {
  const { clock, signal, budget } = options;
  const retriesMax = options.retriesMax ?? LIMITS.retriesMax;
  budget?.countCall();
  for (let retries = 0; ; retries += 1) {
    try {
      return await attempt(retries);
    } catch (thrown) {
      const error = HeadgateError.from(thrown);
      if (signal.aborted || !error.retryable || retries >= retriesMax) throw error;
      const waitMs = error.retryAfterMs ?? backoffMs(retries, options);
      if (clock.now() + waitMs >= options.deadline) throw error;
      if (budget !== undefined && !budget.takeRetry()) throw error;
      await clock.sleep(waitMs, signal);
    }
  }
}

/** Full jitter: callers that failed together do not come back together. */
function backoffMs(retries: number, options: RetryOptions): number {
  const baseMs = options.baseMs ?? LIMITS.retryBaseMs;
  const capMs = options.capMs ?? LIMITS.retryCapMs;
  return Math.round(options.random() * Math.min(capMs, baseMs * 2 ** retries));
}
