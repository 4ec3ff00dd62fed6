import { createHash } from 'node:crypto';
import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { HOUR_MS } from '../core/window.ts';
import type { Database } from './database.ts';
import { csvLine } from './ledger-csv.ts';
import { toUsage, USAGE_SUMS, usedRows, type UsageFilter, type UsageRow } from './reports.ts';

export const EXPORT_FORMATS = ['csv', 'cloudevents'] as const;

/** What a row of an export is about. */
const BY = ['day', 'subscription', 'workspace', 'agent', 'key', 'person', 'provider', 'operation'] as const;
const DAY_MS = 24 * HOUR_MS;

export interface ExportQuery {
  filter: UsageFilter;
  /** Only days that are over and do not change any more. */
  isFinal: boolean;
  now: number;
  /** The cursor of the page before. */
  after?: string | undefined;
  limit?: number;
}

/** One page: a row per day, caller, provider and operation, and the cursor of the next page unless this is the last. */
export async function usagePage(
  database: Database,
  { filter, isFinal, now, after, limit = LIMITS.storeRowsMax }: ExportQuery,
): Promise<{ rows: UsageRow[]; next?: string }> {
  const from = cursorOf(after);
  const to = isFinal ? Math.min(filter.to ?? Infinity, await finalUntil(database, now)) : filter.to;
  const begun = from === undefined ? filter.from : Math.max(filter.from ?? 0, Number(from[0]) * DAY_MS);
  const used = usedRows({
    ...filter,
    ...(begun === undefined ? {} : { from: begun }),
    ...(to === undefined ? {} : { to }),
  });
  // A cursor compares values, and nulls do not compare.
  const named = BY.map((name) => (name === 'day' ? name : `coalesce("${name}", '') AS "${name}"`));
  const names = BY.map((name) => `"${name}"`).join(', ');
  const bounded = Math.min(limit, LIMITS.storeRowsMax);
  const rows = await database.read(
    `SELECT ${names}, ${USAGE_SUMS} FROM (SELECT ${named.join(', ')}, ${COUNTED} FROM ${used.sql}) AS u
     ${from === undefined ? '' : `WHERE (${names}) > (${BY.map(() => '?').join(', ')})`}
     GROUP BY ${names} ORDER BY ${names} LIMIT ?`,
    ...used.values,
    ...(from ?? []),
    bounded + 1,
  );
  const page = rows.slice(0, bounded);
  const last = page.at(-1);
  const shown = { rows: page.map((row) => toUsage(row, BY)) };
  if (rows.length <= bounded || last === undefined) return shown;
  const next = BY.map((name) => (name === 'day' ? Number(last[name]) : last[name]));
  return { ...shown, next: Buffer.from(JSON.stringify(next)).toString('base64url') };
}

const COUNTED = [...USAGE_SUMS.matchAll(/sum\((\w+)\)/g)].map(([, name]) => name).join(', ');

/** All pages. */
export async function* exportUsage(database: Database, query: ExportQuery): AsyncGenerator<UsageRow> {
  let { after } = query;
  do {
    const page = await usagePage(database, { ...query, after });
    yield* page.rows;
    after = page.next;
  } while (after !== undefined);
}

/** Days before this one have ended, and so have all of their calls. */
async function finalUntil(database: Database, now: number): Promise<number> {
  const [row] = await database.read("SELECT min(hour) AS hour FROM holds WHERE state = 'open'");
  const open = Number(row?.['hour'] ?? Infinity) * HOUR_MS;
  return Math.floor(Math.min(open, now) / DAY_MS) * DAY_MS;
}

function cursorOf(after: string | undefined): (string | number)[] | undefined {
  if (after === undefined) return undefined;
  try {
    const values: unknown = JSON.parse(Buffer.from(after, 'base64url').toString());
    const isCursor =
      Array.isArray(values) &&
      values.length === BY.length &&
      values.every((value, index) => (index === 0 ? Number.isSafeInteger(value) : typeof value === 'string'));
    if (isCursor) return values as (string | number)[];
  } catch {
    // Not JSON: the same failure.
  }
  throw new HeadgateError('invalid_request', 'after: not a cursor of this export.');
}

const COLUMNS = {
  calls: 'calls',
  free: 'free',
  credits: 'credits',
  charged: 'charged',
  returned: 'returned',
  tokensIn: 'tokens_in',
  tokensOut: 'tokens_out',
  modelCost: 'model_cost',
} as const satisfies Partial<Record<keyof UsageRow, string>>;
const FIELDS = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

const dayOf = ({ group }: UsageRow): string => new Date(Number(group.day)).toISOString().slice(0, 10);

/** Amounts are millionths of a dollar, as in the ledger's. */
export const USAGE_CSV_HEAD = csvLine([...BY, ...Object.values(COLUMNS)]);
export const usageCsvLine = (row: UsageRow): string =>
  csvLine([
    ...BY.map((name) => (name === 'day' ? dayOf(row) : (row.group[name] ?? null))),
    ...FIELDS.map((field) => row[field]),
  ]);

/** A row as a CloudEvent, for a system that bills or charts. The same row has the same ID whenever it is exported. */
export function usageEvent(row: UsageRow): object {
  const { group } = row;
  const about = Object.fromEntries(
    BY.map((name) => [name, name === 'day' ? dayOf(row) : (group[name] ?? null)]),
  );
  const { workspace = null, subscription = '' } = group;
  const id = createHash('sha256').update(JSON.stringify(about)).digest('hex').slice(0, 32);
  return {
    specversion: '1.0',
    id: `use_${id}`,
    source:
      workspace === null ? '/headgate' : `/headgate/workspaces/${encodeURIComponent(String(workspace))}`,
    type: 'headgate.usage',
    subject: String(workspace ?? subscription),
    time: new Date(Number(group.day) + DAY_MS).toISOString(),
    datacontenttype: 'application/json',
    data: { ...about, ...Object.fromEntries(FIELDS.map((field) => [COLUMNS[field], row[field]])) },
  };
}
