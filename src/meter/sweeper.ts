import { type Clock, createSteadyTime } from '../core/clock.ts';
import { LIMITS } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import type { Database } from '../store/database.ts';
import { HOUR_MS, WINDOW_HOURS, WINDOW_MS } from '../core/window.ts';
import { text } from '../store/rows.ts';

export interface Sweeper {
  sweep(): Promise<{ expired: number }>;
  sweepUntil(signal: AbortSignal): Promise<void>;
}

/** Ends what nobody ended: a crashed gateway must not keep money or count from its users. */
export function createSweeper(options: {
  database: Database;
  clock: Clock;
  log: Logger;
  flush(): Promise<void>;
}): Sweeper {
  const { database, clock, log } = options;
  // The store's own time, in which things expire: it does not go back when the machine's clock does.
  const steady = createSteadyTime(clock);
  steady(clock.now());

  const sweep = async (): Promise<{ expired: number }> => {
    await options.flush();
    const now = steady(clock.now());
    const found = await database.read(
      // A hold that expires later than any may is from a clock that was wrong.
      "SELECT id, subscription FROM holds WHERE state = 'open' AND (expires <= ? OR expires > ?) ORDER BY expires LIMIT ?",
      now,
      now + 2 * WINDOW_MS,
      LIMITS.sweepHoldsMax,
    );
    const answers = await Promise.all(
      found.map((row) =>
        database.book({ kind: 'expire', id: text(row, 'id'), subscription: text(row, 'subscription') }),
      ),
    );
    const expired = answers.filter((answer) => answer.status === 'resolved' && !answer.hold.already).length;
    if (expired > 0) log.warn('holds_expired', { expired });
    // Buckets go only when no open hold can give a count back to them any more, and by their account's own time: a clock that is ahead
    // for a while must not make an account forget calls that still count.
    if (found.length < LIMITS.sweepHoldsMax) await removeOld(now);
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
        // The wait ends with the signal; there is nothing else it can end with.
        await clock.sleep(LIMITS.sweepMs, signal).catch(() => undefined);
      }
    },
  };
}
