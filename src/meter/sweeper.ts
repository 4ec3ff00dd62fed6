import { type Clock, createSteadyTime } from '../core/clock.ts';
import { LIMITS } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import type { Database } from '../store/database.ts';
import { HOUR_MS, WINDOW_HOURS, WINDOW_MS } from '../core/window.ts';
import { textColumn } from '../store/rows.ts';

export interface Sweeper {
  sweep(): Promise<{ expired: number }>;
  sweepUntil(signal: AbortSignal): Promise<void>;
}

/** Ends abandoned holds, so that a crashed gateway does not keep money or count from its users. */
export function createSweeper(options: {
  database: Database;
  clock: Clock;
  log: Logger;
  flush(): Promise<void>;
  /** Removes old rows of the call log. */
  trim(): Promise<void>;
}): Sweeper {
  const { database, clock, log } = options;
  // The store's monotonic time, by which holds expire: it does not go back with the machine's clock.
  const steady = createSteadyTime(clock);
  steady(clock.now());

  const sweep = async (): Promise<{ expired: number }> => {
    await options.flush();
    const now = steady(clock.now());
    const found = await database.read(
      // A hold that expires later than any hold may was written under a wrong clock.
      "SELECT id, subscription FROM holds WHERE state = 'open' AND (expires <= ? OR expires > ?) ORDER BY expires LIMIT ?",
      now,
      now + 2 * WINDOW_MS,
      LIMITS.sweepHoldsMax,
    );
    const answers = await Promise.all(
      found.map((row) =>
        database.book({
          kind: 'expire',
          id: textColumn(row, 'id'),
          subscription: textColumn(row, 'subscription'),
        }),
      ),
    );
    const expired = answers.filter((answer) => answer.status === 'resolved' && !answer.hold.already).length;
    if (expired > 0) log.warn('holds_expired', { expired });
    // Buckets are removed only when no open hold can release a count to them, and by the account's own time:
    // a clock that is temporarily ahead must not drop calls that still count.
    if (found.length < LIMITS.sweepHoldsMax) await removeOld(now);
    await options.trim();
    return { expired };
  };
  const removeOld = async (now: number) => {
    await database.write([
      {
        sql: `DELETE FROM request_buckets WHERE hour < ? AND EXISTS (
                SELECT 1 FROM subscriptions s WHERE s.id = request_buckets.subscription
                  AND request_buckets.hour < s.clock / ${HOUR_MS} - ${WINDOW_HOURS})
              AND NOT EXISTS (
                SELECT 1 FROM holds h WHERE h.state = 'open' AND h.subscription = request_buckets.subscription)`,
        values: [Math.floor(now / HOUR_MS) - WINDOW_HOURS],
      },
      { sql: 'DELETE FROM idempotency WHERE expires <= ?', values: [now] },
    ]);
  };

  return {
    sweep,
    sweepUntil: async (signal) => {
      while (!signal.aborted) {
        await sweep().catch((thrown: unknown) => log.error('sweep_failed', { cause: thrown }));
        // The sleep rejects only when the signal fires.
        await clock.sleep(LIMITS.sweepMs, signal).catch(() => undefined);
      }
    },
  };
}
