import type { CallRow } from '../../core/call-row.ts';
import type { SqlValue } from '../database.ts';
import { BUCKET_COLUMNS, CALL_COLUMNS, HOLD_COLUMNS, IDEMPOTENCY_COLUMNS } from '../ledger/columns.ts';
import { LEDGER_COLUMNS, RESOLVED_COLUMNS } from '../ledger/columns.ts';
import type { LedgerChanges } from '../ledger/types.ts';
import { rowShape } from '../row-shape.ts';

/**
 * Encodes the changes of a batch for `headgate_save`: for each table the rows with only what differs, and the
 * rest in `common`. Reading values out of JSON is most of the cost of a row.
 */
export function packChanges(changes: LedgerChanges): string {
  const common: Record<string, object> = {};
  const packed: Record<string, unknown> = { common };
  const pack = <Column extends string>(
    name: string,
    rows: readonly Readonly<Record<Column, SqlValue>>[],
    columns: readonly Column[],
  ): void => {
    const [first] = rows;
    if (first === undefined) return;
    const { shared, differing } = rowShape(rows, columns);
    common[name] = only(first, shared);
    packed[name] = rows.map((row) => only(row, differing));
  };
  pack('accounts', changes.accounts, ['id', 'balance', 'reserved', 'clock', 'ahead', 'budget_use']);
  pack('buckets', changes.buckets, BUCKET_COLUMNS);
  pack('holdsNew', changes.holdsNew, HOLD_COLUMNS);
  pack('holdsResolved', changes.holdsResolved, ['id', ...RESOLVED_COLUMNS]);
  pack('rows', changes.rows, LEDGER_COLUMNS);
  pack('idempotency', changes.idempotency, IDEMPOTENCY_COLUMNS);
  if (changes.idempotencyGone.length > 0) packed.idempotencyGone = changes.idempotencyGone;
  if (changes.buckets.some((bucket) => bucket.count < 0 || bucket.credits < 0)) packed.less = true;
  return JSON.stringify(packed);
}

const CALLS = `INSERT INTO calls (${CALL_COLUMNS.join(', ')}) SELECT ${CALL_COLUMNS.join(', ')}
  FROM jsonb_populate_recordset(jsonb_populate_record(NULL::calls, $1::jsonb), $2::jsonb)`;

/** The statement that adds rows to the call log. PostgreSQL has no NUL in texts. */
export function insertCalls(rows: readonly CallRow[]): { name: string; text: string; values: string[] } {
  const { shared, differing } = rowShape(rows, CALL_COLUMNS);
  const [first] = rows;
  const values = [first === undefined ? {} : only(first, shared), rows.map((row) => only(row, differing))];
  return {
    name: 'calls',
    text: CALLS,
    values: values.map((value) => JSON.stringify(value).replaceAll('\\u0000', '')),
  };
}

const only = <Column extends string>(
  row: Readonly<Record<Column, SqlValue>>,
  columns: readonly Column[],
): Partial<Record<Column, SqlValue>> => {
  const kept: Partial<Record<Column, SqlValue>> = {};
  for (const column of columns) kept[column] = row[column];
  return kept;
};
