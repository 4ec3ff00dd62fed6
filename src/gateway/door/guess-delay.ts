import type { Clock } from '../../core/clock.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';

export interface GuessDelay {
  /** Counts a wrong guess for an address and a name, and resolves when its refusal may be sent. */
  wrong(names: string[], signal?: AbortSignal): Promise<void>;
  /** Resets the count after a correct secret. */
  right(names: string[]): void;
  readonly size: number;
}

/**
 * Delays refusals longer and longer the more guesses were wrong. A correct secret is never refused or
 * delayed, so a guesser cannot lock out the owner. Memory is bounded; the least recently used name is dropped
 * first.
 */
export function createGuessDelay(clock: Clock): GuessDelay {
  const counts = new Map<string, { wrong: number; at: number }>();
  let waiting = 0;

  const count = (name: string): number => {
    const before = counts.get(name);
    const isRecent = before !== undefined && clock.monotonic() - before.at < LIMITS.guessMemoryMs;
    const wrong = (isRecent ? before.wrong : 0) + 1;
    // Deleting first moves the name to the end, which keeps the map in order of use.
    counts.delete(name);
    counts.set(name, { wrong, at: clock.monotonic() });
    const [oldest] = counts.keys();
    if (counts.size > LIMITS.clientsMax && oldest !== undefined) counts.delete(oldest);
    return wrong;
  };
  return {
    wrong: async (names, signal) => {
      const delayMs = delayAfter(Math.max(...names.map(count)));
      if (delayMs === 0) return;
      if (waiting >= LIMITS.guessesWaitingMax)
        throw new HeadgateError('rate_limited', 'Too many failed attempts.', { retryAfterMs: delayMs });
      waiting += 1;
      await clock.sleep(delayMs, signal).finally(() => {
        waiting -= 1;
      });
    },
    right: (names) => names.forEach((name) => counts.delete(name)),
    get size() {
      return counts.size;
    },
  };
}

const FREE_TRIES = 4;
const FIRST_DELAY_MS = 250;

/** A few mistakes are free; after that the delay doubles. */
const delayAfter = (wrong: number): number =>
  wrong <= FREE_TRIES
    ? 0
    : Math.min(FIRST_DELAY_MS * 2 ** Math.min(wrong - FREE_TRIES - 1, 20), LIMITS.guessDelayMsMax);
