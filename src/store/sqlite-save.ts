import type { SqlValue } from './database.ts';
import { BUCKET_COLUMNS, HOLD_COLUMNS, IDEMPOTENCY_COLUMNS, LEDGER_COLUMNS } from './ledger-columns.ts';
import type { Bucket, HoldRow, LedgerChanges } from './ledger-types.ts';
import type { SqliteFile } from './sqlite-library.ts';

/** From so many rows on, one JSON text is cheaper than binding the values of each; binding is most of what a row costs. */
const MANY_ROWS = 4;

/** Writes what a batch changed, inside the caller's transaction. */
export function prepareSave(file: SqliteFile): (changes: LedgerChanges) => void {
  const accounts = prepareUpdate(file, 'subscriptions', ['balance', 'reserved', 'clock']);
  const buckets = prepareBuckets(file);
  const hold = prepareHold(file);
  const resolved = prepareUpdate(file, 'holds', RESOLVED_COLUMNS);
  const row = file.prepare(insertOf('ledger', LEDGER_COLUMNS));
  const record = file.prepare(
    insertOf('idempotency', IDEMPOTENCY_COLUMNS).replace('INSERT', 'INSERT OR REPLACE'),
  );
  const gone = file.prepare('DELETE FROM idempotency WHERE subscription = ? AND key = ?');
  return (changes) => {
    accounts(changes.accounts);
    buckets(changes.buckets);
    for (const it of changes.holdsNew) hold(it);
    resolved(changes.holdsResolved);
    for (const it of changes.rows) row.run(...valuesOf(it, LEDGER_COLUMNS));
    for (const it of changes.idempotency) record.run(...valuesOf(it, IDEMPOTENCY_COLUMNS));
    for (const it of changes.idempotencyGone) gone.run(it.subscription, it.key);
  };
}

function prepareBuckets(file: SqliteFile): (changes: Bucket[]) => void {
  const insert = 'INSERT INTO request_buckets (subscription, category, hour, count, credits)';
  const add =
    'ON CONFLICT DO UPDATE SET count = count + excluded.count, credits = credits + excluded.credits';
  const one = file.prepare(`${insert} VALUES (?, ?, ?, ?, ?) ${add}`);
  const fields = [0, 1, 2, 3, 4].map((index) => `it.value ->> ${index}`).join(', ');
  const many = file.prepare(`${insert} SELECT ${fields} FROM json_each(?) AS it WHERE true ${add}`);
  // A difference below zero can never be a row of its own: the checks of the table would refuse it.
  const less = file.prepare(
    `UPDATE request_buckets SET count = count + ?, credits = credits + ?
     WHERE subscription = ? AND category = ? AND hour = ?`,
  );
  return (changes) => {
    const more = changes.filter((it) => it.count >= 0 && it.credits >= 0);
    if (more.length < MANY_ROWS) for (const it of more) one.run(...valuesOf(it, BUCKET_COLUMNS));
    else many.run(JSON.stringify(more.map((it) => valuesOf(it, BUCKET_COLUMNS))));
    if (more.length === changes.length) return;
    for (const it of changes)
      if (!more.includes(it)) less.run(it.count, it.credits, it.subscription, it.category, it.hour);
  };
}

/** What changes when a hold ends. */
const RESOLVED_COLUMNS = ['state', 'credits', 'charged', 'late', 'assumed', 'resolved'] as const;

/** A hold that is still open has the same values in the columns of its end: these are not bound but written into the statement. */
function prepareHold(file: SqliteFile): (hold: HoldRow) => void {
  const begun = HOLD_COLUMNS.filter((column) => !RESOLVED_COLUMNS.some((ended) => ended === column));
  const open = file.prepare(
    `INSERT INTO holds (${begun.join(', ')}, state, credits, charged, late, assumed, resolved)
     VALUES (${begun.map(() => '?').join(', ')}, 'open', NULL, 0, 0, 0, NULL)`,
  );
  const ended = file.prepare(insertOf('holds', HOLD_COLUMNS));
  return (hold) => {
    if (hold.state === 'open') open.run(...valuesOf(hold, begun));
    else ended.run(...valuesOf(hold, HOLD_COLUMNS));
  };
}

/** Updates rows by id: few one by one, many as one JSON text. */
function prepareUpdate<Column extends string>(
  file: SqliteFile,
  table: string,
  columns: readonly Column[],
): (rows: (Record<Column, SqlValue> & { id: string })[]) => void {
  const one = file.prepare(
    `UPDATE ${table} SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE id = ?`,
  );
  const many = file.prepare(
    `UPDATE ${table} SET ${columns.map((column, index) => `${column} = it.value ->> ${index + 1}`).join(', ')}
     FROM json_each(?) AS it WHERE ${table}.id = it.value ->> 0`,
  );
  return (rows) => {
    if (rows.length < MANY_ROWS) for (const row of rows) one.run(...valuesOf(row, columns), row.id);
    else many.run(JSON.stringify(rows.map((row) => [row.id, ...valuesOf(row, columns)])));
  };
}

const insertOf = (table: string, columns: readonly string[]): string =>
  `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;

const valuesOf = <Type extends object>(row: Type, columns: readonly (keyof Type)[]): SqlValue[] =>
  columns.map((column) => row[column] as SqlValue);
