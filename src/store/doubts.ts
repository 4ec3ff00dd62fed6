import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import type { Millionths } from '../core/money.ts';
import type { Database } from './database.ts';
import type { Verdict } from './ledger/types.ts';
import { from, integerColumn, integerOrNull, rowById, rowReader, textColumn, textOrNull } from './rows.ts';

/**
 * A request in doubt: it was sent to a provider, and its result is unknown. The account paid nothing for it.
 */
export type Doubt = ReturnType<typeof toDoubt>;

const toDoubt = rowReader({
  id: textColumn,
  subscription: textColumn,
  workspace: textOrNull,
  agent: textOrNull,
  key: textOrNull,
  provider: textColumn,
  category: textColumn,
  /** The most that it can have cost: what the provider may have billed to the operator. */
  credits: from('estimate', integerColumn),
  amount: (row): Millionths => integerColumn(row, 'estimate') * integerColumn(row, 'price'),
  reason: (row) => textOrNull(row, 'reason') ?? '',
  asked: (row) => integerOrNull(row, 'asked') ?? integerColumn(row, 'created'),
  verdict: (row) => textOrNull(row, 'verdict') as Verdict | null,
  /** What the provider billed, once the operator knows. */
  billed: from('credits', integerOrNull),
});

export interface Doubts {
  /** Oldest first; with `all`, also those that are resolved. */
  list(query?: { subscription?: string; all?: boolean; limit?: number }): Promise<Doubt[]>;
  /** Records how one was resolved. It moves no money, and repeating it changes nothing. */
  resolve(id: string, found: { verdict: Verdict; credits?: number }): Promise<Doubt>;
}

export function createDoubts(database: Database): Doubts {
  const find = async (id: string): Promise<Doubt> => {
    const row = await rowById(database, 'holds', id, 'request');
    if (row['state'] === 'doubt') return toDoubt(row);
    throw new HeadgateError('not_found', own`The request ${named(id)} is not in doubt.`, {
      remediation: 'List those that are with `headgate ledger in-doubt`.',
    });
  };
  return {
    list: async ({ subscription, all = false, limit = 100 } = {}) => {
      const rows = await database.read(
        `SELECT * FROM holds WHERE state = 'doubt' ${all ? '' : 'AND closed IS NULL'}
         ${subscription === undefined ? '' : 'AND subscription = ?'} ORDER BY created, id LIMIT ?`,
        ...(subscription === undefined ? [] : [subscription]),
        Math.min(limit, LIMITS.storeRowsMax),
      );
      return rows.map(toDoubt);
    },
    resolve: async (id, { verdict, credits }) => {
      const { subscription } = await find(id);
      await database.book({ kind: 'resolve', id, subscription, verdict, credits: credits ?? null });
      return find(id);
    },
  };
}
