import type { Clock } from '../../core/clock.ts';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Logger } from '../../core/log.ts';
import { COPIED_TABLES, type CopiedTable } from './copied-tables.ts';
import type { Database, DatabaseRow, SqlValue } from '../database.ts';
import { LEDGER_CHECKS, LEDGER_CHECKS_WHOLE } from '../ledger/check.ts';
import { postgresError } from '../postgres/errors.ts';
import { migratePostgres } from '../postgres/migrate.ts';
import { createPostgresPool, type PostgresConnection, type PostgresQuery } from '../postgres/pool.ts';

/** What was copied of one table. */
export interface CopiedRows {
  table: string;
  rows: number;
}

/**
 * Copies a SQLite store into an empty PostgreSQL database, page by page in one transaction: everything,
 * checked, or nothing. An interrupted copy can simply be started again. A store that is written to meanwhile
 * is not copied.
 */
export async function copyStore(
  source: Database,
  url: string,
  { clock, log }: { clock: Clock; log: Logger },
): Promise<CopiedRows[]> {
  if (source.dialect !== 'sqlite') {
    throw new HeadgateError('invalid_request', 'Only a store in a SQLite file is copied to PostgreSQL.', {
      remediation: 'Between PostgreSQL servers use `pg_dump` and `pg_restore`.',
    });
  }
  const pool = await createPostgresPool(url, (cause) => log.warn('store_connection_lost', { cause }));
  try {
    await migratePostgres(pool, () => clock.now());
    return await pool.use((connection) => copyAll(source, patient(connection)));
  } catch (thrown) {
    throw postgresError(thrown);
  } finally {
    await pool.end();
  }
}

/** Replaces the time limits of calls, which are too short for a copy; each page still has one. */
function patient(connection: PostgresConnection): PostgresConnection {
  return {
    query: (query: PostgresQuery) => connection.query({ ...query, query_timeout: LIMITS.storeCopyMs }),
  };
}

async function copyAll(source: Database, target: PostgresConnection): Promise<CopiedRows[]> {
  const before = await sequenceOf(source);
  await target.query({ text: 'BEGIN' });
  await target.query({ text: `SET LOCAL statement_timeout = ${LIMITS.storeCopyMs}` });
  await target.query({ text: `SET LOCAL idle_in_transaction_session_timeout = ${LIMITS.storeCopyMs}` });
  const names = COPIED_TABLES.map((table) => table.name);
  // No gateway may write between the check that the tables are empty and the end.
  await target.query({ text: `LOCK TABLE ${names.join(', ')} IN SHARE ROW EXCLUSIVE MODE` });
  for (const name of names) await requireEmpty(target, name);
  const copied: CopiedRows[] = [];
  for (const table of COPIED_TABLES) {
    const total = await copyTable(source, target, table);
    await compareTotals(target, table, total);
    copied.push({ table: table.name, rows: total.rows });
  }
  if ((await sequenceOf(source)) !== before) {
    throw new HeadgateError('conflict', 'The store was written to while it was being copied.', {
      remediation:
        'Nothing was copied. Stop every gateway and stdio server that uses the file, then copy again.',
    });
  }
  for (const check of [...LEDGER_CHECKS, ...LEDGER_CHECKS_WHOLE]) {
    const { rows } = await target.query({ text: check.sql });
    const [problem] = rows as DatabaseRow[];
    if (problem !== undefined) throw damaged(check.say(problem));
  }
  await target.query({ text: 'COMMIT' });
  return copied;
}

async function sequenceOf(source: Database): Promise<SqlValue | undefined> {
  const [row] = await source.read('SELECT sequence FROM commits');
  return row?.sequence;
}

async function requireEmpty(target: PostgresConnection, name: string): Promise<void> {
  const { rows } = await target.query({ text: `SELECT 1 FROM ${name} LIMIT 1` });
  if (rows.length === 0) return;
  throw new HeadgateError(
    'conflict',
    own`The PostgreSQL database is not empty: it has rows in ${named(name)}.`,
    {
      remediation: 'Copy into a fresh database. If this copy was made before, there is nothing left to do.',
    },
  );
}

interface Total {
  rows: number;
  /** Integers of any size. */
  sums: bigint[];
}

async function copyTable(source: Database, target: PostgresConnection, table: CopiedTable): Promise<Total> {
  const total: Total = { rows: 0, sums: table.sums.map(() => 0n) };
  const insert = {
    name: `copy ${table.name}`,
    text: `INSERT INTO ${table.name} OVERRIDING SYSTEM VALUE SELECT * FROM jsonb_populate_recordset(NULL::${table.name}, $1::jsonb)`,
  };
  for await (const page of pagesOf(source, table)) {
    await target.query({ ...insert, values: [JSON.stringify(page)] });
    total.rows += page.length;
    for (const [index, column] of table.sums.entries())
      for (const row of page) total.sums[index] = (total.sums[index] ?? 0n) + BigInt(row[column] ?? 0);
  }
  if (table.isNumbered === true) await goOnNumbering(target, table);
  return total;
}

/** The rows of a table in the order of its key; at most one page is in memory. */
async function* pagesOf(source: Database, table: CopiedTable): AsyncGenerator<DatabaseRow[]> {
  const size = table.pageRows ?? LIMITS.storeRowsMax;
  const key = table.key.join(', ');
  const marks = table.key.map(() => '?').join(', ');
  let last: SqlValue[] = [];
  for (;;) {
    const after = last.length === 0 ? '' : `WHERE (${key}) > (${marks})`;
    const page = await source.read(
      `SELECT * FROM ${table.name} ${after} ORDER BY ${key} LIMIT ?`,
      ...last,
      size,
    );
    if (page.length > 0) yield page;
    const end = page.at(-1);
    if (end === undefined || page.length < size) return;
    last = table.key.map((column) => end[column] ?? null);
  }
}

/** Numbers new rows after the copied ones. */
async function goOnNumbering(target: PostgresConnection, { name, key }: CopiedTable): Promise<void> {
  const column = key[0] ?? '';
  await target.query({
    text: `SELECT setval(pg_get_serial_sequence('${name}', '${column}'),
             (SELECT coalesce(max(${column}), 0) + 1 FROM ${name}), false)`,
  });
}

async function compareTotals(target: PostgresConnection, table: CopiedTable, total: Total): Promise<void> {
  const sums = table.sums.map((column, index) => `, coalesce(sum(${column}), 0)::text AS sum_${index}`);
  const { rows } = await target.query({
    text: `SELECT count(*)::text AS count${sums.join('')} FROM ${table.name}`,
  });
  const found = rows[0] as Record<string, string>;
  if (found.count !== String(total.rows))
    throw damaged(`${table.name} has ${found.count} rows of ${total.rows}.`);
  for (const [index, column] of table.sums.entries())
    if (found[`sum_${index}`] !== String(total.sums[index]))
      throw damaged(`The sum of ${column} in ${table.name} is not what it was.`);
}

const damaged = (what: string): HeadgateError =>
  new HeadgateError('storage_unavailable', own`The copy does not add up: ${named(what)}`, {
    remediation:
      'Nothing was copied. Run `headgate store check` on the old store and restore a backup if it fails.',
  });
