import type { SqlValue } from '../database.ts';
import { decide } from '../ledger/ledger.ts';
import type { BudgetRow } from '../ledger/budget.ts';
import { ACCOUNT_COLUMNS, BUCKET_COLUMNS, BUDGET_COLUMNS } from '../ledger/columns.ts';
import { HOLD_COLUMNS, IDEMPOTENCY_COLUMNS } from '../ledger/columns.ts';
import { keysOf } from '../ledger/keys.ts';
import type { Account, Bucket, HoldRow, IdempotencyRow, LedgerAnswer } from '../ledger/types.ts';
import type { LedgerChanges, LedgerOperation, LedgerState } from '../ledger/types.ts';
import { createKnownRows, type RowCache } from './row-cache.ts';
import type { SqliteFile, SqliteStatement } from './driver.ts';
import { prepareSave } from './save.ts';

export interface SqliteLedger {
  /** Decides and writes inside the caller's transaction. */
  book(operations: LedgerOperation[], now: number): LedgerAnswer[];
  /** Called after the transaction was committed. */
  committed(): void;
  /** Called when something else was written or the transaction failed: clears the row cache. */
  forget(): void;
}

export function createSqliteLedger(file: SqliteFile): SqliteLedger {
  const known = createKnownRows();
  const load = prepareLoad(file, known);
  const save = prepareSave(file);
  let booked: LedgerChanges[] = [];
  return {
    book: (operations, now) => {
      if (operations.length === 0) return [];
      const { answers, changes } = decide(load(operations, now), operations);
      save(changes);
      booked.push(changes);
      return answers;
    },
    committed: () => {
      for (const changes of booked) known.keep(changes);
      booked = [];
    },
    forget: () => {
      known.forget();
      booked = [];
    },
  };
}

const LISTED = '(SELECT value FROM json_each(?))';
const PAIRS = "(SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?))";

function prepareLoad(
  file: SqliteFile,
  known: RowCache,
): (operations: LedgerOperation[], now: number) => LedgerState {
  const select = (columns: readonly string[], rest: string) => file.prepare(selectOf(columns, rest));
  const accounts = select(ACCOUNT_COLUMNS, `subscriptions WHERE id IN ${LISTED}`);
  const buckets = select(BUCKET_COLUMNS, `request_buckets WHERE subscription IN ${LISTED} AND hour >= ?`);
  const budgets = select(BUDGET_COLUMNS, `budgets WHERE subscription IN ${LISTED}`);
  const holds = select(HOLD_COLUMNS, `holds WHERE id IN ${LISTED}`);
  const isHeld = file.prepare('SELECT 1 FROM holds WHERE id = ?');
  const idempotency = select(IDEMPOTENCY_COLUMNS, `idempotency WHERE (subscription, key) IN ${PAIRS}`);
  const granted = select(['subscription', 'reference'], `ledger WHERE (reference, subscription) IN ${PAIRS}`);
  const holdsOf = (ids: string[]): HoldRow[] => {
    const [id] = ids;
    // The usual case of a quiet gateway: one new call with an unused ID. Finding nothing is cheap.
    if (id !== undefined && ids.length === 1 && isHeld.value(id) === undefined) return [];
    return rowsOf<HoldRow>(holds, ids);
  };
  return (operations, now) => {
    const keys = keysOf(operations);
    const references = keys.references.map(([subscription, reference]) => [reference, subscription]);
    return {
      now,
      ...known.accounts(keys.subscriptions, now, (ids, from) => ({
        accounts: rowsOf<Account>(accounts, ids),
        buckets: rowsOf<Bucket>(buckets, ids, from),
        budgets: rowsOf<BudgetRow>(budgets, ids),
      })),
      holds: known.holds(keys.holds, holdsOf),
      idempotency: rowsOf<IdempotencyRow>(idempotency, keys.idempotency),
      granted: rowsOf<{ subscription: string; reference: string }>(granted, references),
    };
  };
}

/** Selects all rows as one JSON text: crossing into JavaScript once is much cheaper than once per value. */
function selectOf(columns: readonly string[], rest: string): string {
  const fields = columns.map((column) => `'${column}', "${column}"`).join(', ');
  return `SELECT json_group_array(json_object(${fields})) FROM ${rest}`;
}

function rowsOf<Type>(statement: SqliteStatement, keys: unknown[], ...more: SqlValue[]): Type[] {
  if (keys.length === 0) return [];
  return JSON.parse(String(statement.value(JSON.stringify(keys), ...more))) as Type[];
}
