import type { Clock } from '../core/clock.ts';
import { LIMITS } from '../core/limits.ts';
import type { Logger } from '../core/log.ts';
import type { Millionths } from '../core/money.ts';
import type { Database, SqlStatement } from '../store/database.ts';
import { HOUR_MS } from '../core/window.ts';
import type { Category } from '../store/ledger/types.ts';

/** The caller and the provider. */
interface FreeCall {
  workspace?: string | undefined;
  agent?: string | undefined;
  key?: string | undefined;
  provider: string;
  category: Category | 'model';
}

export interface FreeCalls {
  /** Records a free call; `failed` ones are listed as released. */
  note(call: FreeCall, failed: boolean): void;
  /** Records what a language model used. It is no call of its own. */
  noteTokens(
    call: Omit<FreeCall, 'category'>,
    used: { input: number; output: number; cost: Millionths },
  ): void;
  /** Writes the recorded calls. */
  flush(): Promise<void>;
  /** Writes them every second until the signal fires. */
  flushUntil(signal: AbortSignal): Promise<void>;
}

/** What is counted, in the order of the columns. */
const COUNTS = ['calls', 'returned', 'tokens_in', 'tokens_out', 'model_cost'] as const;
type Counts = Record<(typeof COUNTS)[number], number>;

interface Tally extends Counts {
  hour: number;
  call: FreeCall;
  workspace: string;
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

  const note = (call: FreeCall, by: Partial<Counts>): void => {
    // The local user has no account, so nothing is written.
    if (call.workspace === undefined) return;
    const hour = Math.floor(clock.now() / HOUR_MS);
    const { workspace, agent = '', key = '', provider, category } = call;
    const id = [hour, workspace, agent, key, provider, category].join('\n');
    if (!tallies.has(id) && tallies.size >= LIMITS.freeCallsMax) {
      log.warn('free_calls_dropped', { provider });
      return;
    }
    const tally = tallies.get(id) ?? { ...NOTHING, hour, call, workspace };
    add(tally, by);
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
        add(tally, tallies.get(id) ?? NOTHING);
        tallies.set(id, tally);
      }
    }
  };
  return {
    note: (call, failed) => note(call, failed ? { returned: 1 } : { calls: 1 }),
    noteTokens: (call, { input, output, cost }) =>
      note({ ...call, category: 'model' }, { tokens_in: input, tokens_out: output, model_cost: cost }),
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

const NOTHING: Counts = { calls: 0, returned: 0, tokens_in: 0, tokens_out: 0, model_cost: 0 };

function add(to: Counts, by: Partial<Counts>): void {
  for (const count of COUNTS) to[count] += by[count] ?? 0;
}

function statementOf(tally: Tally, subscription: string): SqlStatement {
  const { hour, call, workspace } = tally;
  const { agent = '', key = '', provider, category } = call;
  const counts = COUNTS.map((count) => `${count} = free_calls.${count} + excluded.${count}`);
  return {
    sql: `INSERT INTO free_calls (hour, subscription, workspace, agent, key, provider, category, ${COUNTS.join(', ')})
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (hour, workspace, agent, key, provider, category) DO UPDATE SET ${counts.join(', ')}`,
    values: [
      hour,
      subscription,
      workspace,
      agent,
      key,
      provider,
      category,
      ...COUNTS.map((count) => tally[count]),
    ],
  };
}
