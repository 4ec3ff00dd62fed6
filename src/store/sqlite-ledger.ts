import type { Row, SqlValue } from './database.ts';
import { decide } from './ledger.ts';
import { HOLD_COLUMNS, IDEMPOTENCY_COLUMNS, LEDGER_COLUMNS } from './ledger-columns.ts';
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
  const accounts = file.prepare(
    `SELECT id, tier, balance, reserved, clock FROM subscriptions WHERE id IN ${LISTED}`,
  );
  const buckets = file.prepare(
    `SELECT subscription, category, hour, count, credits FROM request_buckets
     WHERE subscription IN ${LISTED} AND hour >= ?`,
  );
  const holds = file.prepare(`SELECT ${HOLD_COLUMNS.join(', ')} FROM holds WHERE id IN ${LISTED}`);
  const idempotency = file.prepare(
    `SELECT ${IDEMPOTENCY_COLUMNS.join(', ')} FROM idempotency WHERE (subscription, key) IN ${PAIRS}`,
  );
  const granted = file.prepare(
    `SELECT subscription, reference FROM ledger WHERE (subscription, reference) IN ${PAIRS}`,
  );
  return (operations, now) => {
    const keys = keysOf(operations);
    const subscriptions = JSON.stringify(keys.subscriptions);
    const loaded = rowsOf<HoldRow>(holds, keys.holds);
    const remembered = loaded.flatMap((hold): [string, string][] =>
      hold.idempotency === null ? [] : [[hold.subscription, hold.idempotency]],
    );
    return {
      now,
      accounts: typed<Account>(accounts.all(subscriptions)),
      buckets: typed<Bucket>(buckets.all(subscriptions, Math.floor(now / HOUR_MS) - WINDOW_HOURS + 1)),
      holds: loaded,
      idempotency: rowsOf<IdempotencyRow>(idempotency, [...keys.idempotency, ...remembered]),
      granted: rowsOf<{ subscription: string; reference: string }>(granted, keys.references),
    };
  };
}

function prepareSave(file: SqliteFile): (changes: LedgerChanges) => void {
  const account = file.prepare('UPDATE subscriptions SET balance = ?, reserved = ?, clock = ? WHERE id = ?');
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
  const resolved = file.prepare(
    'UPDATE holds SET state = ?, credits = ?, charged = ?, late = ?, assumed = ?, resolved = ? WHERE id = ?',
  );
  const row = file.prepare(insertOf('ledger', LEDGER_COLUMNS));
  const record = file.prepare(
    insertOf('idempotency', IDEMPOTENCY_COLUMNS).replace('INSERT', 'INSERT OR REPLACE'),
  );
  const gone = file.prepare('DELETE FROM idempotency WHERE subscription = ? AND key = ?');
  return (changes) => {
    for (const it of changes.accounts) account.run(it.balance, it.reserved, it.clock, it.id);
    for (const it of changes.buckets) {
      const isMore = it.count >= 0 && it.credits >= 0;
      (isMore ? bucketMore : bucketLess).run(it.count, it.credits, it.subscription, it.category, it.hour);
    }
    for (const it of changes.holdsNew) hold.run(...valuesOf(it, HOLD_COLUMNS));
    for (const it of changes.holdsResolved) {
      resolved.run(it.state, it.credits, it.charged, it.late, it.assumed, it.resolved, it.id);
    }
    for (const it of changes.rows) row.run(...valuesOf(it, LEDGER_COLUMNS));
    for (const it of changes.idempotency) record.run(...valuesOf(it, IDEMPOTENCY_COLUMNS));
    for (const it of changes.idempotencyGone) gone.run(it.subscription, it.key);
  };
}

function rowsOf<Type>(statement: SqliteStatement, keys: unknown[]): Type[] {
  return keys.length === 0 ? [] : typed<Type>(statement.all(JSON.stringify(keys)));
}

/** The schema is the type: columns are declared STRICT and read by name. */
const typed = <Type>(rows: Row[]): Type[] => rows as unknown as Type[];

const insertOf = (table: string, columns: readonly string[]): string =>
  `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;

const valuesOf = <Type extends object>(row: Type, columns: readonly (keyof Type)[]): SqlValue[] =>
  columns.map((column) => row[column] as SqlValue);
