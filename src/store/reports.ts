import { LIMITS } from '../core/limits.ts';
import type { Database, DatabaseRow, SqlValue } from './database.ts';
import {
  ledgerEntries,
  ledgerPage,
  type LedgerEntry,
  type LedgerFilter,
  type LedgerPage,
  type LedgerQuery,
} from './ledger-pages.ts';
import { HOUR_MS, WINDOW_HOURS } from '../core/window.ts';
import { from, integerColumn, isIn, rowReader, textColumn, textOrNull } from './rows.ts';

export const USAGE_GROUPS = [
  'subscription',
  'workspace',
  'agent',
  'key',
  'person',
  'provider',
  'operation',
  'day',
  'hour',
] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export interface UsageFilter {
  subscription?: string;
  workspace?: string | readonly string[];
  agent?: string;
  key?: string;
  /** Who signed in to the client that called. */
  person?: string;
  provider?: string;
  /** `search`, `fetch`, `crawl`, `map`, or `model` for the tokens of language models. */
  operation?: string;
  /** The start of the range, rounded down to the hour. */
  from?: number;
  /** The end of the range, rounded up to the hour. */
  to?: number;
}

const toCounts = rowReader({
  calls: integerColumn,
  /** Calls within the free allowance, or of providers without a price. */
  free: from('free_calls', integerColumn),
  /** Calls that count against the limit. */
  counted: integerColumn,
  credits: integerColumn,
  charged: integerColumn,
  /** Calls whose hold was given back, including expired ones and those in doubt. */
  returned: integerColumn,
  /** Those of them that are in doubt. */
  inDoubt: from('in_doubt', integerColumn),
  late: integerColumn,
  /** What language models read and wrote, and what that costs the operator. It is charged to nobody. */
  tokensIn: from('tokens_in', integerColumn),
  tokensOut: from('tokens_out', integerColumn),
  modelCost: from('model_cost', integerColumn),
});

/** One row of a usage report. Groups that were not requested are absent; `hour` and `day` (UTC) are their start. */
export interface UsageRow extends ReturnType<typeof toCounts> {
  group: Partial<Record<UsageGroup, string | number | null>>;
}

const toOpenHold = rowReader({
  id: textColumn,
  subscription: textColumn,
  workspace: textOrNull,
  agent: textOrNull,
  key: textOrNull,
  provider: textColumn,
  category: textColumn,
  credits: from('estimate', integerColumn),
  amount: integerColumn,
  created: integerColumn,
  expires: integerColumn,
});
export type OpenHold = ReturnType<typeof toOpenHold>;

export interface Reports {
  usage(filter: UsageFilter, by: UsageGroup[]): Promise<UsageRow[]>;
  ledger(query: LedgerQuery): Promise<LedgerPage>;
  /** Calls that count against the rolling day now, summed as the ledger does. */
  countedCalls(subscription: string, now: number): Promise<number>;
  openHolds(query?: { subscription?: string; limit?: number }): Promise<OpenHold[]>;
  /** All ledger entries, oldest first, read page by page. */
  exportLedger(filter?: LedgerFilter): AsyncGenerator<LedgerEntry>;
}

export function createReports(database: Database): Reports {
  return {
    usage: async (filter, by) => {
      const groups = by.map((group) => `"${group}"`).join(', ');
      const used = usedRows(filter);
      const rows = await database.read(
        `SELECT ${groups === '' ? '' : `${groups}, `} ${USAGE_SUMS} FROM ${used.sql}
         ${groups === '' ? '' : `GROUP BY ${groups} ORDER BY ${groups}`} LIMIT ?`,
        ...used.values,
        LIMITS.exportRowsMax,
      );
      return rows.filter((row) => row.calls !== null).map((row) => toUsage(row, by));
    },
    ledger: (query) => ledgerPage(database, query),
    countedCalls: (subscription, now) => countedCalls(database, subscription, now),
    openHolds: async ({ subscription, limit = 100 } = {}) => {
      const rows = await database.read(
        `SELECT * FROM holds WHERE state = 'open' ${subscription === undefined ? '' : 'AND subscription = ?'}
         ORDER BY expires LIMIT ?`,
        ...(subscription === undefined ? [] : [subscription]),
        Math.min(limit, LIMITS.storeRowsMax),
      );
      return rows.map(toOpenHold);
    },
    exportLedger: (filter = {}) => ledgerEntries(database, filter),
  };
}

async function countedCalls(database: Database, subscription: string, now: number): Promise<number> {
  const [account] = await database.read('SELECT clock, ahead FROM subscriptions WHERE id = ?', subscription);
  // The time of an account never goes back, even when the clock does.
  const latest =
    account === undefined
      ? now
      : Math.max(now + integerColumn(account, 'ahead'), integerColumn(account, 'clock'));
  const [row] = await database.read(
    'SELECT coalesce(sum(count), 0) AS calls FROM request_buckets WHERE subscription = ? AND hour >= ?',
    subscription,
    Math.floor(latest / HOUR_MS) - WINDOW_HOURS + 1,
  );
  return row === undefined ? 0 : integerColumn(row, 'calls');
}

const GROUPS = 'subscription, workspace, agent, key, provider, category AS operation, hour, hour / 24 AS day';

const COUNTS = ['calls', 'free_calls', 'counted', 'credits', 'charged', 'returned', 'in_doubt', 'late'];
const TOKENS = ['tokens_in', 'tokens_out', 'model_cost'];
export const USAGE_SUMS = [...COUNTS, ...TOKENS].map((name) => `sum(${name}) AS ${name}`).join(', ');

const PRICED_CALLS = `SELECT ${GROUPS},
  CASE WHEN state IN ('open', 'settled') THEN 1 ELSE 0 END AS calls,
  CASE WHEN state IN ('open', 'settled') AND free = 1 THEN 1 ELSE 0 END AS free_calls,
  CASE WHEN state IN ('open', 'settled') AND counted = 1 THEN 1 ELSE 0 END AS counted,
  CASE WHEN state IN ('open', 'settled') THEN coalesce(credits, estimate) ELSE 0 END AS credits,
  charged,
  CASE WHEN state IN ('released', 'expired', 'doubt') THEN 1 ELSE 0 END AS returned,
  CASE WHEN state = 'doubt' THEN 1 ELSE 0 END AS in_doubt,
  late, 0 AS tokens_in, 0 AS tokens_out, 0 AS model_cost
  FROM holds`;

/** The people behind the keys of clients that somebody signed in to. */
const PEOPLE = `LEFT JOIN (SELECT id AS key_id, person FROM api_keys WHERE person IS NOT NULL) AS signed_in
  ON signed_in.key_id = used.key`;

/** Written once a second, so the last second may be missing. */
const FREE_CALLS = `SELECT ${GROUPS.replace('agent, key', "nullif(agent, '') AS agent, nullif(key, '') AS key")},
  calls, calls AS free_calls, 0 AS counted, 0 AS credits, 0 AS charged, returned, 0 AS in_doubt, 0 AS late,
  tokens_in, tokens_out, model_cost
  FROM free_calls`;

/** Every use that a filter selects, with the person behind it. */
export function usedRows(filter: UsageFilter): { sql: string; values: SqlValue[] } {
  const { where, values } = usageFilter(filter);
  const { person } = filter;
  return {
    sql: `(${PRICED_CALLS} ${where} UNION ALL ${FREE_CALLS} ${where}) AS used ${PEOPLE}
          ${person === undefined ? '' : 'WHERE person = ?'}`,
    values: [...values, ...values, ...(person === undefined ? [] : [person])],
  };
}

function usageFilter(filter: UsageFilter): { where: string; values: SqlValue[] } {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  for (const name of ['subscription', 'workspace', 'agent', 'key', 'provider', 'operation'] as const) {
    const value = filter[name];
    if (value === undefined) continue;
    const wanted = [value].flat();
    conditions.push(isIn(name === 'operation' ? 'category' : `"${name}"`, wanted));
    values.push(...wanted);
  }
  if (filter.from !== undefined) {
    conditions.push('hour >= ?');
    values.push(Math.floor(filter.from / HOUR_MS));
  }
  if (filter.to !== undefined) {
    conditions.push('hour < ?');
    values.push(Math.ceil(filter.to / HOUR_MS));
  }
  return { where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`, values };
}

const TIMES: Partial<Record<UsageGroup, number>> = { hour: HOUR_MS, day: 24 * HOUR_MS };

export function toUsage(row: DatabaseRow, by: readonly UsageGroup[]): UsageRow {
  const group: UsageRow['group'] = {};
  for (const name of by) {
    const unitMs = TIMES[name];
    group[name] = unitMs === undefined ? textOrNull(row, name) || null : integerColumn(row, name) * unitMs;
  }
  return { group, ...toCounts(row) };
}
