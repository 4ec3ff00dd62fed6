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

/** Milliseconds to wait from a Retry-After header: seconds or an HTTP date. Anything else is no statement. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!HTTP_DATE.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

/** Date.parse also takes things like `-5` or `1.5`, so the shape is checked first. */
const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .*\d{2}:\d{2}:\d{2}/i;
