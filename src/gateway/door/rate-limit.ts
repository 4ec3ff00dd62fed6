import type { Clock } from '../../core/clock.ts';

/** A rate limit per minute for each of a bounded number of names. */
export interface RateLimit {
  /** Takes one token, or returns how long to wait. */
  take(name: string): { retryAfterMs: number } | undefined;
  /** How long until a token is available, without taking it. */
  peek(name: string): { retryAfterMs: number } | undefined;
  readonly size: number;
}

const MINUTE_MS = 60_000;

/**
 * A token bucket per name: one minute's worth, refilled evenly. Each name needs one number, the time at which
 * its bucket is full again. The oldest of too many names is dropped. Changing the system clock has no effect.
 */
export function createRateLimit(options: {
  clock: Clock;
  perMinute: number;
  namesMax: number;
  /** Another time than a minute for that many. */
  windowMs?: number;
}): RateLimit {
  const { clock, perMinute, namesMax, windowMs = MINUTE_MS } = options;
  const intervalMs = windowMs / perMinute;
  const fullAt = new Map<string, number>();

  const peek = (name: string) => {
    const waitMs =
      Math.max(fullAt.get(name) ?? 0, clock.monotonic()) + intervalMs - clock.monotonic() - windowMs;
    return waitMs > 1e-6 ? { retryAfterMs: Math.ceil(waitMs) } : undefined;
  };
  return {
    peek,
    take: (name) => {
      const refused = peek(name);
      if (refused !== undefined) return refused;
      const next = Math.max(fullAt.get(name) ?? 0, clock.monotonic()) + intervalMs;
      // Deleting first moves the name to the end, which keeps the map in order of use.
      fullAt.delete(name);
      fullAt.set(name, next);
      const [oldest] = fullAt.keys();
      if (fullAt.size > namesMax && oldest !== undefined) fullAt.delete(oldest);
      return undefined;
    },
    get size() {
      return fullAt.size;
    },
  };
}
