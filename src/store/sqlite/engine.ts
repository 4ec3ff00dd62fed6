// The SQLite side of the store. It is synchronous and runs in a worker thread, so that a slow disk never
// blocks the gateway.
import { existsSync } from 'node:fs';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { LIMITS } from '../../core/limits.ts';
import type { DatabaseRow, SqlStatement, SqlValue } from '../database.ts';
import type { LedgerAnswer, LedgerOperation } from '../ledger/types.ts';
import { type Settled, settled } from '../ledger/settled.ts';
import { checkSqlite, watchFiles } from './check.ts';
import { createSqliteLedger, type SqliteLedger } from './ledger.ts';
import { openSqliteFile, type SqliteFile, type SqliteStatement } from './driver.ts';
import { lockSqlite } from './lock.ts';
import { privateFile } from './private-files.ts';
import { openWatermark } from './watermark.ts';
import { migrateSqlite } from './migrate.ts';
import { prepareCalls } from './save.ts';

export type SqliteJob =
  | { kind: 'write'; statements: SqlStatement[] }
  | { kind: 'book'; operation: LedgerOperation }
  | { kind: 'calls'; rows: SqlValue[][] };

export interface SqliteEngine {
  /** The last transaction that was acknowledged. */
  readonly sequence: number;
  read(statement: SqlStatement): DatabaseRow[];
  /** Runs the jobs as one transaction: one fsync for all of them. */
  write(jobs: SqliteJob[], now: number): Settled[];
  backup(path: string): void;
  check(): string[];
  close(): void;
}

export interface SqliteEngineOptions {
  path: string;
  /** Whether other processes are locked out. */
  exclusive: boolean;
  /** The lowest sequence that the database must have: what this process has acknowledged before. */
  sequenceMin: number;
}

export function openSqliteEngine(options: SqliteEngineOptions, now: () => number): SqliteEngine {
  const mark = openWatermark(options.path, options.sequenceMin);
  const unlock = options.exclusive ? lockSqlite(options.path) : () => {};
  try {
    const file = openSqliteFile(options.path);
    configure(file);
    migrateSqlite(file, now);
    const problems = checkSqlite(file, { whole: false });
    if (problems.length > 0) throw damaged(options.path, problems);
    const sequence = sequenceOf(file);
    mark.verify(sequence);
    return createEngine(file, { ...options, sequence, mark, unlock });
  } catch (thrown) {
    unlock();
    throw thrown;
  }
}

interface Opened extends SqliteEngineOptions {
  sequence: number;
  mark: ReturnType<typeof openWatermark>;
  unlock(): void;
}

function createEngine(file: SqliteFile, opened: Opened): SqliteEngine {
  let { sequence } = opened;
  const prepared = preparedStatements(file);
  const ledger = createSqliteLedger(file);
  const ensureSameFiles = watchFiles(opened.path);
  const addCalls = prepareCalls(file);
  const count = file.prepare('UPDATE commits SET sequence = ?');
  const isAlone = watchOthers(file);
  const begin = file.prepare('BEGIN IMMEDIATE');
  const end = file.prepare('COMMIT');
  const afresh = (): number => {
    ledger.forget();
    return sequenceOf(file);
  };

  const commit = (jobs: SqliteJob[], now: number): unknown[] => {
    ensureSameFiles();
    begin.run();
    try {
      if (!isAlone()) sequence = afresh();
      const values = runJobs(jobs, now, { ledger, prepared, addCalls });
      count.run(sequence + 1);
      end.run();
      sequence += 1;
      // A statement may have changed any row; only the ledger's own changes are tracked.
      if (jobs.some((job) => job.kind === 'write')) ledger.forget();
      else ledger.committed();
      opened.mark.write(sequence);
      return values;
    } catch (thrown) {
      ledger.forget();
      rollback(file);
      throw thrown;
    }
  };
  return {
    get sequence() {
      return sequence;
    },
    read: ({ sql, values = [] }) => {
      ensureSameFiles();
      return prepared(sql).all(...values);
    },
    write: (jobs, now) => {
      const all = settled(() => commit(jobs, now));
      if ('value' in all) return (all.value as unknown[]).map((value) => ({ value }));
      if (jobs.length === 1) return [all];
      // One job failed the transaction: each gets its own, so that only that one fails.
      return jobs.map((job) => settled(() => commit([job], now)[0]));
    },
    backup: (path) => backUp(file, path),
    check: () => checkSqlite(file, { whole: true }),
    close: () => {
      file.close();
      opened.mark.close();
      opened.unlock();
    },
  };
}

function runJobs(
  jobs: SqliteJob[],
  now: number,
  parts: {
    ledger: SqliteLedger;
    prepared(sql: string): SqliteStatement;
    addCalls(rows: SqlValue[][]): void;
  },
): unknown[] {
  const operations = jobs.flatMap((job) => (job.kind === 'book' ? [job.operation] : []));
  const answers = parts.ledger.book(operations, now);
  let booked = 0;
  return jobs.map((job): DatabaseRow[][] | LedgerAnswer | undefined => {
    if (job.kind === 'book') return answers[booked++];
    if (job.kind === 'calls') {
      parts.addCalls(job.rows);
      return [];
    }
    return job.statements.map(({ sql, values = [] }) => parts.prepared(sql).all(...values));
  });
}

/**
 * Returns a function that tells, inside a transaction, whether another connection has committed since its
 * last call.
 */
function watchOthers(file: SqliteFile): () => boolean {
  const version = file.prepare('PRAGMA data_version');
  let seen: unknown;
  return () => {
    const before = seen;
    seen = version.value();
    return seen === before;
  };
}

function configure(file: SqliteFile): void {
  file.exec('PRAGMA busy_timeout = 1500');
  file.prepare('PRAGMA journal_mode = WAL').all();
  file.exec('PRAGMA synchronous = FULL');
  file.exec('PRAGMA foreign_keys = ON');
  file.exec('PRAGMA temp_store = MEMORY');
  // 32 MiB of pages, and a checkpoint every 16 MiB: a checkpoint costs two more fsyncs.
  file.exec('PRAGMA cache_size = -32768');
  file.prepare('PRAGMA wal_autocheckpoint = 4000').all();
}

/** Caches prepared statements. They are few and fixed; the bound guards against mistakes. */
function preparedStatements(file: SqliteFile): (sql: string) => SqliteStatement {
  const known = new Map<string, SqliteStatement>();
  return (sql) => {
    const statement = known.get(sql) ?? file.prepare(sql);
    if (known.size >= LIMITS.storeBatchMax) known.clear();
    known.set(sql, statement);
    return statement;
  };
}

function backUp(file: SqliteFile, path: string): void {
  if (!existsSync(path)) privateFile(path);
  file.prepare('VACUUM INTO ?').run(path);
  const copy = openSqliteFile(path);
  const problems = checkSqlite(copy, { whole: true });
  copy.close();
  if (problems.length > 0) throw damaged(path, problems);
}

const sequenceOf = (file: SqliteFile): number =>
  Number(file.prepare('SELECT sequence FROM commits').all()[0]?.sequence ?? 0);

function rollback(file: SqliteFile): void {
  try {
    file.exec('ROLLBACK');
  } catch {
    // SQLite has already rolled back (disk full, I/O error): there is no transaction to end.
  }
}

function damaged(path: string, problems: string[]): HeadgateError {
  return new HeadgateError(
    'storage_unavailable',
    own`The database ${named(path)} is damaged: ${named(problems[0] ?? '')}`,
    {
      remediation: 'Keep the files for inspection and restore the last backup in their place.',
      data: { problems },
    },
  );
}
