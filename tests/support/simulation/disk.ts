import type { DatabaseRow, SqlStatement } from '../../../src/store/database.ts';
import { ACCOUNT_COLUMNS, RESOLVED_COLUMNS } from '../../../src/store/ledger/columns.ts';
import type { BudgetRow } from '../../../src/store/ledger/budget.ts';
import { keysOf } from '../../../src/store/ledger/keys.ts';
import { decide } from '../../../src/store/ledger/ledger.ts';
import { type Settled, settled } from '../../../src/store/ledger/settled.ts';
import type { Account, Bucket, HoldRow, IdempotencyRow } from '../../../src/store/ledger/types.ts';
import type {
  LedgerAnswer,
  LedgerChanges,
  LedgerOperation,
  LedgerRow,
} from '../../../src/store/ledger/types.ts';
import type { SqliteJob } from '../../../src/store/sqlite/engine.ts';
import { createKnownRows } from '../../../src/store/sqlite/row-cache.ts';
import { keyOf, put, remove, runSql, type Table, type Tables, type Undo } from './sql.ts';

/** One transaction that is on the disk. */
export interface Commit {
  /** Which process wrote it. */
  writer: number;
  now: number;
  /** When it was asked for, in the time that everybody believes has passed. */
  asked: number;
  jobs: SqliteJob[];
  operations: LedgerOperation[];
  answers: LedgerAnswer[];
}

/** What is on the disk: it outlives every process. A transaction is on it whole or not at all. */
export interface Disk {
  tables: Tables;
  /** How often something was committed. */
  version: number;
  commits: Commit[];
  holds(): Map<string, HoldRow>;
  /** Told about each transaction when it is on the disk, before anybody else. */
  onCommit(commit: Commit): void;
}

export function createDisk(): Disk {
  const table = (unique: string[], defaults: DatabaseRow = {}): Table => ({
    unique,
    defaults,
    rows: new Map(),
  });
  const tables: Tables = {
    subscriptions: table(['id'], { balance: 0, reserved: 0, clock: 0, ahead: 0, budget_use: '' }),
    workspaces: table(['id']),
    holds: table(['id']),
    ledger: table(['subscription', 'reference']),
    request_buckets: table(['subscription', 'hour', 'category']),
    idempotency: table(['subscription', 'key']),
    budgets: table(['id']),
    events: table(['subject', 'kind', 'period', 'threshold']),
    free_calls: table(['hour', 'workspace', 'agent', 'key', 'provider', 'category']),
  };
  return {
    tables,
    version: 0,
    commits: [],
    holds: () => rowsOf<HoldRow>(tables, 'holds'),
    onCommit: () => undefined,
  };
}

export const rowsOf = <Type>(tables: Tables, name: string): Map<string, Type> =>
  (tables[name] as Table).rows as unknown as Map<string, Type>;

/** What a process has open: the store's engine, with the rows that it knows, over the simulated disk. */
export interface Engine {
  read(statement: SqlStatement): DatabaseRow[];
  /** One transaction for all jobs; when it fails, one for each. */
  write(jobs: SqliteJob[], now: number, asked: number): Settled[];
}

export function openEngine(disk: Disk, writer: number): Engine {
  const { tables } = disk;
  const known = createKnownRows();
  let seen = -1;
  const load = (operations: LedgerOperation[], now: number) => {
    const keys = keysOf(operations);
    return {
      now,
      ...known.accounts(keys.subscriptions, now, (ids, from) => ({
        accounts: ids.flatMap((id) => copies(rowsOf<Account>(tables, 'subscriptions').get(id))),
        buckets: [...rowsOf<Bucket>(tables, 'request_buckets').values()]
          .filter((bucket) => ids.includes(bucket.subscription) && bucket.hour >= from)
          .map((bucket) => ({ ...bucket })),
        budgets: [...rowsOf<BudgetRow>(tables, 'budgets').values()]
          .filter((budget) => ids.includes(budget.subscription))
          .map((budget) => ({ ...budget })),
      })),
      holds: known.holds(keys.holds, (ids) => ids.flatMap((id) => copies(disk.holds().get(id)))),
      idempotency: [...new Set(keys.idempotency.map((pair) => pair.join('\n')))].flatMap((pair) =>
        copies(rowsOf<IdempotencyRow>(tables, 'idempotency').get(pair)),
      ),
      granted: keys.references.flatMap(([subscription, reference]) =>
        copies(rowsOf<LedgerRow>(tables, 'ledger').get(`${subscription}\n${reference}`)),
      ),
    };
  };
  const commit = (jobs: SqliteJob[], now: number, asked: number): unknown[] => {
    const undone: (() => void)[] = [];
    const undo: Undo = (takeBack) => void undone.push(takeBack);
    try {
      if (seen !== disk.version) known.forget();
      const operations = jobs.flatMap((job) => (job.kind === 'book' ? [job.operation] : []));
      const { answers, changes } = decide(load(operations, now), operations);
      save(tables, changes, undo);
      let booked = 0;
      const values = jobs.map((job) => {
        if (job.kind === 'book') return answers[booked++];
        if (job.kind === 'calls') return undefined;
        return job.statements.map(({ sql, values: given }) => runSql(sql, tables, given, undo));
      });
      disk.version += 1;
      seen = disk.version;
      if (jobs.some((job) => job.kind === 'write')) known.forget();
      else known.keep(changes);
      const done = { writer, now, asked, jobs, operations, answers };
      disk.commits.push(done);
      disk.onCommit(done);
      return values;
    } catch (thrown) {
      known.forget();
      for (const takeBack of undone.toReversed()) takeBack();
      throw thrown;
    }
  };
  return {
    read: ({ sql, values }) => runSql(sql, tables, values),
    write: (jobs, now, asked) => {
      const all = settled(() => commit(jobs, now, asked));
      if ('value' in all) return (all.value as unknown[]).map((value) => ({ value }));
      if (jobs.length === 1) return [all];
      return jobs.map((job) => settled(() => commit([job], now, asked)[0]));
    },
  };
}

const copies = <Type extends object>(row: Type | undefined): Type[] =>
  row === undefined ? [] : [{ ...row }];

/** Writes what a batch changed, with the constraints of the real tables. */
function save(tables: Tables, changes: LedgerChanges, undo: Undo): void {
  const of = (name: string): Table => tables[name] as Table;
  const insert = (name: string, row: object): void => {
    if (of(name).rows.has(keyOf(of(name), row as DatabaseRow)))
      throw new Error(`UNIQUE constraint failed: ${name}`);
    put(of(name), { ...row }, undo);
  };
  const update = (name: string, row: object, columns: readonly string[]): void => {
    const before = of(name).rows.get(keyOf(of(name), row as DatabaseRow));
    if (before === undefined) return;
    const after = { ...before };
    for (const column of columns) after[column] = (row as DatabaseRow)[column] ?? null;
    put(of(name), after, undo);
  };
  for (const account of changes.accounts) {
    if (account.reserved < 0) throw new Error('CHECK constraint failed: reserved');
    update('subscriptions', account, ACCOUNT_COLUMNS);
  }
  for (const change of changes.buckets) {
    const table = of('request_buckets');
    const before = table.rows.get(keyOf(table, change as unknown as DatabaseRow)) as unknown as
      | Bucket
      | undefined;
    if (before === undefined && (change.count < 0 || change.credits < 0)) continue;
    const count = (before?.count ?? 0) + change.count;
    const credits = (before?.credits ?? 0) + change.credits;
    if (count < 0 || credits < 0) throw new Error('CHECK constraint failed: request_buckets');
    put(table, { ...change, count, credits }, undo);
  }
  for (const event of changes.events)
    if (!of('events').rows.has(keyOf(of('events'), event as unknown as DatabaseRow))) insert('events', event);
  for (const hold of changes.holdsNew) insert('holds', hold);
  for (const hold of changes.holdsResolved) update('holds', hold, RESOLVED_COLUMNS);
  for (const row of changes.rows) insert('ledger', row);
  for (const record of changes.idempotency) put(of('idempotency'), { ...record }, undo);
  for (const { subscription, key } of changes.idempotencyGone)
    remove(of('idempotency'), `${subscription}\n${key}`, undo);
}
