import type { Clock } from '../../../src/core/clock.ts';
import type { Database, DatabaseRow } from '../../../src/store/database.ts';
import {
  ACCOUNT_COLUMNS,
  BUCKET_COLUMNS,
  BUDGET_COLUMNS,
  EVENT_COLUMNS,
  HOLD_COLUMNS,
  IDEMPOTENCY_COLUMNS,
  LEDGER_COLUMNS,
} from '../../../src/store/ledger/columns.ts';
import type { Played } from './play.ts';

const BOOKS = {
  subscriptions: ACCOUNT_COLUMNS,
  request_buckets: BUCKET_COLUMNS,
  holds: HOLD_COLUMNS,
  ledger: LEDGER_COLUMNS,
  idempotency: IDEMPOTENCY_COLUMNS,
  budgets: BUDGET_COLUMNS,
  events: EVENT_COLUMNS,
};

/** The rows of each table as texts in one order: the databases do not give numbers in the same form. */
export type Books = Record<string, string[]>;

const textsOf = (rows: Iterable<DatabaseRow>, columns: readonly string[]): string[] =>
  [...rows].map((row) => columns.map((column) => `${column}=${row[column] ?? 'null'}`).join(' ')).sort();

/** What the simulated disk holds at the end. */
export const simulatedBooks = ({ disk }: Played): Books =>
  Object.fromEntries(
    Object.entries(BOOKS).map(([table, columns]) => [
      table,
      textsOf(disk.tables[table]?.rows.values() ?? [], columns),
    ]),
  );

/** Writes every transaction of a history into a real database, at the same moments and from as many processes. */
export async function replay(played: Played, open: (clock: Clock) => Database): Promise<Books> {
  let now = 0;
  const never = () => () => undefined;
  const clock: Clock = {
    now: () => now,
    monotonic: () => 0,
    sleep: () => Promise.resolve(),
    after: never,
  };
  const processes = new Map<number, Database>();
  const processOf = (writer: number): Database => {
    const database = processes.get(writer) ?? open(clock);
    processes.set(writer, database);
    return database;
  };
  const first = processOf(-1);
  for (const { id, tier, created } of played.accounts)
    await first.write([
      {
        sql: 'INSERT INTO subscriptions (id, name, tier, created) VALUES (?, ?, ?, ?)',
        values: [id, id, tier, created],
      },
    ]);
  for (const row of played.budgets) {
    const columns = [...BUDGET_COLUMNS, 'created'] as const;
    const sql = `INSERT INTO budgets (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
    await first.write([{ sql, values: columns.map((column) => row[column]) }]);
  }
  for (const commit of played.commits) {
    now = commit.now;
    const database = processOf(commit.writer);
    await Promise.all(commit.operations.map((operation) => database.book(operation)));
    for (const job of commit.jobs) if (job.kind === 'write') await database.write(job.statements);
  }
  const books: Books = {};
  for (const [table, columns] of Object.entries(BOOKS))
    books[table] = textsOf(await first.read(`SELECT ${columns.join(', ')} FROM ${table}`), columns);
  const problems = await first.check();
  await Promise.all([...processes.values()].map((database) => database.close()));
  return problems.length === 0 ? books : { ...books, problems };
}
