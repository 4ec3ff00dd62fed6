import type { SqlValue } from './database.ts';
import { decide } from './ledger.ts';
import {
  ACCOUNT_COLUMNS,
  BUCKET_COLUMNS,
  HOLD_COLUMNS,
  IDEMPOTENCY_COLUMNS,
  LEDGER_COLUMNS,
} from './ledger-columns.ts';
import { keysOf } from './ledger-keys.ts';
import type { Account, Bucket, HoldRow, IdempotencyRow, LedgerAnswer } from './ledger-types.ts';
import type { LedgerChanges, LedgerOperation, LedgerState } from './ledger-types.ts';
import { HOUR_MS, WINDOW_HOURS } from './ledger-types.ts';
import type { SqliteFile, SqliteStatement } from './sqlite-library.ts';

/** Runs ledger operations inside the caller's transaction. */
export function createSqliteLedger(
  file: SqliteFile,
): (operations: LedgerOperation[], now: number) => LedgerAnswer[] {
  const load = prepareLoad(file);
  const save = prepareSave(file);
  return (operations, now) => {
    const { answers, changes } = decide(load(operations, now), operations);
    save(changes);
    return answers;
  };
}

const LISTED = '(SELECT value FROM json_each(?))';
const PAIRS = "(SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?))";

function prepareLoad(file: SqliteFile): (operations: LedgerOperation[], now: number) => LedgerState {
  const select = (columns: readonly string[], rest: string) => file.prepare(selectOf(columns, rest));
  const accounts = select(ACCOUNT_COLUMNS, `subscriptions WHERE id IN ${LISTED}`);
  const buckets = select(BUCKET_COLUMNS, `request_buckets WHERE subscription IN ${LISTED} AND hour >= ?`);
  const holds = select(HOLD_COLUMNS, `holds WHERE id IN ${LISTED}`);
  const idempotency = select(IDEMPOTENCY_COLUMNS, `idempotency WHERE (subscription, key) IN ${PAIRS}`);
  const granted = select(['subscription', 'reference'], `ledger WHERE (reference, subscription) IN ${PAIRS}`);
  return (operations, now) => {
    const keys = keysOf(operations);
    const loaded = rowsOf<HoldRow>(holds, keys.holds);
    const remembered = loaded.flatMap((hold): [string, string][] =>
      hold.idempotency === null ? [] : [[hold.subscription, hold.idempotency]],
    );
    const references = keys.references.map(([subscription, reference]) => [reference, subscription]);
    return {
      now,
      accounts: rowsOf<Account>(accounts, keys.subscriptions),
      buckets: rowsOf<Bucket>(buckets, keys.subscriptions, Math.floor(now / HOUR_MS) - WINDOW_HOURS + 1),
      holds: loaded,
      idempotency: rowsOf<IdempotencyRow>(idempotency, [...keys.idempotency, ...remembered]),
      granted: rowsOf<{ subscription: string; reference: string }>(granted, references),
    };
  };
}

/** All rows as one JSON text: crossing into JavaScript once is much cheaper than once per value. */
function selectOf(columns: readonly string[], rest: string): string {
  const fields = columns.map((column) => `'${column}', "${column}"`).join(', ');
  return `SELECT json_group_array(json_object(${fields})) AS found FROM ${rest}`;
}

function prepareSave(file: SqliteFile): (changes: LedgerChanges) => void {
  const accounts = file.prepare(updateOf('subscriptions', ['balance', 'reserved', 'clock']));
  const bucketMore = file.prepare(
    `INSERT INTO request_buckets (count, credits, subscription, category, hour) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET count = count + excluded.count, credits = credits + excluded.credits`,
  );
  // A difference below zero can never be a row of its own: the checks of the table would refuse it.
  const bucketLess = file.prepare(
    `UPDATE request_buckets SET count = count + ?, credits = credits + ?
     WHERE subscription = ? AND category = ? AND hour = ?`,
  );
  const hold = file.prepare(insertOf('holds', HOLD_COLUMNS));
  const resolved = file.prepare(updateOf('holds', RESOLVED_COLUMNS));
  const row = file.prepare(insertOf('ledger', LEDGER_COLUMNS));
  const record = file.prepare(
    insertOf('idempotency', IDEMPOTENCY_COLUMNS).replace('INSERT', 'INSERT OR REPLACE'),
  );
  const gone = file.prepare('DELETE FROM idempotency WHERE subscription = ? AND key = ?');
  return (changes) => {
    if (changes.accounts.length > 0) accounts.run(JSON.stringify(changes.accounts));
    for (const it of changes.buckets) {
      const isMore = it.count >= 0 && it.credits >= 0;
      (isMore ? bucketMore : bucketLess).run(it.count, it.credits, it.subscription, it.category, it.hour);
    }
    for (const it of changes.holdsNew) hold.run(...valuesOf(it, HOLD_COLUMNS));
    if (changes.holdsResolved.length > 0) resolved.run(JSON.stringify(changes.holdsResolved.map(endOf)));
    for (const it of changes.rows) row.run(...valuesOf(it, LEDGER_COLUMNS));
    for (const it of changes.idempotency) record.run(...valuesOf(it, IDEMPOTENCY_COLUMNS));
    for (const it of changes.idempotencyGone) gone.run(it.subscription, it.key);
  };
}

function rowsOf<Type>(statement: SqliteStatement, keys: unknown[], ...more: SqlValue[]): Type[] {
  if (keys.length === 0) return [];
  const [row] = statement.all(JSON.stringify(keys), ...more);
  return JSON.parse(String(row?.found)) as Type[];
}

/** Updates many rows in one step; they come as one JSON text. */
const updateOf = (table: string, columns: readonly string[]): string =>
  `UPDATE ${table} SET ${columns.map((column) => `${column} = it.value ->> '${column}'`).join(', ')}
   FROM json_each(?) AS it WHERE ${table}.id = it.value ->> 'id'`;

/** What changes when a hold ends. */
const RESOLVED_COLUMNS = ['state', 'credits', 'charged', 'late', 'assumed', 'resolved'] as const;
const endOf = ({ id, state, credits, charged, late, assumed, resolved }: HoldRow) => ({
  id,
  state,
  credits,
  charged,
  late,
  assumed,
  resolved,
});

const insertOf = (table: string, columns: readonly string[]): string =>
  `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;

const valuesOf = <Type extends object>(row: Type, columns: readonly (keyof Type)[]): SqlValue[] =>
  columns.map((column) => row[column] as SqlValue);
