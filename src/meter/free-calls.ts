import type { Clock } from '../core/clock.ts';
import { LIMITS } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import type { Database, SqlStatement } from '../store/database.ts';
import { HOUR_MS } from '../core/window.ts';
import type { Category } from '../store/ledger/types.ts';

/** The caller and the provider. */
interface FreeCall {
  workspace?: string | undefined;
  agent?: string | undefined;
  key?: string | undefined;
  provider: string;
  category: Category;
}

export interface FreeCalls {
  /** Records a free call; `failed` ones are listed as released. */
  note(call: FreeCall, failed: boolean): void;
  /** Writes the recorded calls. */
  flush(): Promise<void>;
  /** Writes them every second until the signal fires. */
  flushUntil(signal: AbortSignal): Promise<void>;
}

interface Tally {
  hour: number;
  call: FreeCall;
  workspace: string;
  calls: number;
  returned: number;
}

/**
 * Free calls appear in the usage, but are counted in memory and written together; a crash loses at most the
 * last second of them. No limit and no money depends on them.
 */
export function createFreeCalls(options: {
  database: Database;
  clock: Clock;
  log: Logger;
  subscriptionOf(workspace: string): string | Promise<string>;
}): FreeCalls {
  const { database, clock, log } = options;
  let tallies = new Map<string, Tally>();

  const note = (call: FreeCall, failed: boolean): void => {
    // The local user has no account, so nothing is written.
    if (call.workspace === undefined) return;
    const hour = Math.floor(clock.now() / HOUR_MS);
    const { workspace, agent = '', key = '', provider, category } = call;
    const id = [hour, workspace, agent, key, provider, category].join('\n');
    if (!tallies.has(id) && tallies.size >= LIMITS.freeCallsMax) {
      log.warn('free_calls_dropped', { provider });
      return;
    }
    const tally = tallies.get(id) ?? { hour, call, workspace, calls: 0, returned: 0 };
    tally[failed ? 'returned' : 'calls'] += 1;
    tallies.set(id, tally);
  };
  const flush = async (): Promise<void> => {
    if (tallies.size === 0) return;
    const taken = tallies;
    tallies = new Map();
    try {
      const statements = await Promise.all(
        [...taken.values()].map(async (tally) =>
          statementOf(tally, await options.subscriptionOf(tally.workspace)),
        ),
      );
      await database.write(statements);
    } catch (thrown) {
      log.warn('free_calls_delayed', { cause: thrown });
      // Calls recorded in the meantime stay; those that could not be written are added back.
      for (const [id, tally] of taken) {
        const newer = tallies.get(id);
        if (newer === undefined) tallies.set(id, tally);
        else Object.assign(newer, sumOf(newer, tally));
      }
    }
  };
  return {
    note,
    flush,
    flushUntil: async (signal) => {
      while (!signal.aborted) {
        // The sleep rejects only when the signal fires.
        await clock.sleep(LIMITS.freeCallsFlushMs, signal).catch(() => undefined);
        await flush();
      }
    },
  };
}

const sumOf = (one: Tally, other: Tally) => ({
  calls: one.calls + other.calls,
  returned: one.returned + other.returned,
});

function statementOf({ hour, call, workspace, calls, returned }: Tally, subscription: string): SqlStatement {
  const { agent = '', key = '', provider, category } = call;
  return {
    sql: `INSERT INTO free_calls (hour, subscription, workspace, agent, key, provider, category, calls, returned)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (hour, workspace, agent, key, provider, category) DO UPDATE
          SET calls = free_calls.calls + excluded.calls, returned = free_calls.returned + excluded.returned`,
    values: [hour, subscription, workspace, agent, key, provider, category, calls, returned],
  };
}
