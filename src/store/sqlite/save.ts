import type { CallRow } from '../../core/call-row.ts';
import { BUCKET_COLUMNS, CALL_COLUMNS, EVENT_COLUMNS } from '../ledger/columns.ts';
import { HOLD_COLUMNS, IDEMPOTENCY_COLUMNS } from '../ledger/columns.ts';
import { LEDGER_COLUMNS, RESOLVED_COLUMNS } from '../ledger/columns.ts';
import type { SqlValue } from '../database.ts';
import type { Bucket, LedgerChanges } from '../ledger/types.ts';
import type { SqliteFile } from './driver.ts';
import { prepareRows, type WriteRows } from './rows.ts';

/** Writes the changes of a batch inside the caller's transaction. */
export function prepareSave(file: SqliteFile): (changes: LedgerChanges) => void {
  const calls = prepareCalls(file);
  const accounts = prepareUpdate(file, 'subscriptions', [
    'balance',
    'reserved',
    'clock',
    'ahead',
    'budget_use',
  ]);
  const buckets = prepareBuckets(file);
  const events = prepareInsert(file, 'INSERT OR IGNORE INTO events', EVENT_COLUMNS);
  const holds = prepareInsert(file, 'INSERT INTO holds', HOLD_COLUMNS);
  const resolved = prepareUpdate(file, 'holds', RESOLVED_COLUMNS);
  const rows = prepareInsert(file, 'INSERT INTO ledger', LEDGER_COLUMNS);
  const records = prepareInsert(file, 'INSERT OR REPLACE INTO idempotency', IDEMPOTENCY_COLUMNS);
  const gone = file.prepare('DELETE FROM idempotency WHERE subscription = ? AND key = ?');
  return (changes) => {
    accounts(changes.accounts);
    buckets(changes.buckets);
    events(changes.events);
    holds(changes.holdsNew);
    resolved(changes.holdsResolved);
    rows(changes.rows);
    records(changes.idempotency);
    for (const it of changes.idempotencyGone) gone.run(it.subscription, it.key);
    calls(changes.calls.map(callValues));
  };
}

/** The values of a row of the call log, in the order of its columns: less to send than a row. */
export const callValues = (row: CallRow): SqlValue[] => CALL_COLUMNS.map((column) => row[column]);

/** Adds rows to the call log. They differ in most columns, so that each is bound by itself. */
export function prepareCalls(file: SqliteFile): (rows: SqlValue[][]) => void {
  const marks = CALL_COLUMNS.map(() => '?').join(', ');
  const insert = file.prepare(`INSERT INTO calls (${CALL_COLUMNS.join(', ')}) VALUES (${marks})`);
  return (rows) => {
    for (const row of rows) insert.run(...row);
  };
}

function prepareBuckets(file: SqliteFile): (changes: Bucket[]) => void {
  const more = prepareInsert(
    file,
    'INSERT INTO request_buckets',
    BUCKET_COLUMNS,
    'ON CONFLICT DO UPDATE SET count = count + excluded.count, credits = credits + excluded.credits',
  );
  // A negative difference can never be a row of its own: the checks of the table would refuse it.
  const less = file.prepare(
    `UPDATE request_buckets SET count = count + ?, credits = credits + ?
     WHERE subscription = ? AND category = ? AND hour = ?`,
  );
  const isMore = (it: Bucket): boolean => it.count >= 0 && it.credits >= 0;
  return (changes) => {
    more(changes.filter(isMore));
    for (const it of changes)
      if (!isMore(it)) less.run(it.count, it.credits, it.subscription, it.category, it.hour);
  };
}

function prepareInsert<Column extends string>(
  file: SqliteFile,
  insert: string,
  columns: readonly Column[],
  end = '',
): WriteRows<Column> {
  const into = `${insert} (${columns.join(', ')})`;
  return prepareRows(file, columns, (expressions, from) => {
    const values = columns.map((column) => expressions[column]).join(', ');
    // Without WHERE, SQLite would read the ON at the end as a join condition.
    return from === undefined
      ? `${into} VALUES (${values}) ${end}`
      : `${into} SELECT ${values} FROM ${from} WHERE true ${end}`;
  });
}

/** Updates rows by ID. */
function prepareUpdate<Column extends string>(
  file: SqliteFile,
  table: string,
  columns: readonly Column[],
): WriteRows<Column | 'id'> {
  return prepareRows(file, [...columns, 'id'] as const, (expressions, from) => {
    const set = columns.map((column) => `${column} = ${expressions[column]}`).join(', ');
    const where = `${table}.id = ${expressions.id}`;
    return `UPDATE ${table} SET ${set} ${from === undefined ? '' : `FROM ${from}`} WHERE ${where}`;
  });
}
