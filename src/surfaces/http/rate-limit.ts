import type { Clock } from '../../core/clock.ts';

/** A rate limit per minute for each of a bounded number of names. */
export interface RateLimit {
  /** Takes one, or returns how long to wait. */
  take(name: string): { retryAfterMs: number } | undefined;
  /** How long to wait until one could be taken, without taking it. */
  peek(name: string): { retryAfterMs: number } | undefined;
  readonly size: number;
}

const MINUTE_MS = 60_000;

/**
 * A minute's worth may come at once; then it comes back evenly. Each name needs one number: the moment at which its bucket will be full again. When there are too many names the
 * oldest is forgotten, so that nobody can fill the memory by inventing names. Time is the process's own: setting the machine's clock refuses nobody.
 */
export function createRateLimit(options: { clock: Clock; perMinute: number; namesMax: number }): RateLimit {
  const { clock, perMinute, namesMax } = options;
  const intervalMs = MINUTE_MS / perMinute;
  const fullAt = new Map<string, number>();

  const peek = (name: string) => {
    const waitMs =
      Math.max(fullAt.get(name) ?? 0, clock.monotonic()) + intervalMs - clock.monotonic() - MINUTE_MS;
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
