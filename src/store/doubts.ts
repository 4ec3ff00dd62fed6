import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import type { Millionths } from '../core/money.ts';
import type { Database, DatabaseRow } from './database.ts';
import type { Verdict } from './ledger/types.ts';
import { integerColumn, integerOrNull, rowById, textColumn, textOrNull } from './rows.ts';

/**
 * A request in doubt: it was sent to a provider, and its result is unknown. The account paid nothing for it.
 */
export interface Doubt {
  id: string;
  subscription: string;
  workspace: string | null;
  agent: string | null;
  key: string | null;
  provider: string;
  category: string;
  /** The most that it can have cost: what the provider may have billed to the operator. */
  credits: number;
  amount: Millionths;
  reason: string;
  asked: number;
  verdict: Verdict | null;
  /** What the provider billed, once the operator knows. */
  billed: number | null;
}

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

const toDoubt = (row: DatabaseRow): Doubt => ({
  id: textColumn(row, 'id'),
  subscription: textColumn(row, 'subscription'),
  workspace: textOrNull(row, 'workspace'),
  agent: textOrNull(row, 'agent'),
  key: textOrNull(row, 'key'),
  provider: textColumn(row, 'provider'),
  category: textColumn(row, 'category'),
  credits: integerColumn(row, 'estimate'),
  amount: integerColumn(row, 'estimate') * integerColumn(row, 'price'),
  reason: textOrNull(row, 'reason') ?? '',
  asked: integerOrNull(row, 'asked') ?? integerColumn(row, 'created'),
  verdict: textOrNull(row, 'verdict') as Verdict | null,
  billed: integerOrNull(row, 'credits'),
});
