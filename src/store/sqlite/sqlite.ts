import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import type { Logger } from '../../core/log.ts';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { LIMITS } from '../../core/limits.ts';
import { createBatchQueue, type QueueTimers } from '../ledger/batch-queue.ts';
import type { Database, DatabaseRow, SqlStatement } from '../database.ts';
import { releaseOfLate } from '../ledger/late-hold.ts';
import type { LedgerAnswer } from '../ledger/types.ts';
import type { SqliteJob } from './engine.ts';
import { callValues } from './save.ts';
import { createSqliteThread, type OpenChannel } from './thread.ts';

export interface SqliteOptions {
  path: string;
  clock: Clock;
  /** A gateway locks other gateways out; commands and stdio servers share the file. */
  exclusive: boolean;
  /** Whether the file is in Headgate's own home, which no other user needs to read. */
  isHome?: boolean;
  log?: Logger;
  deadlineMs?: number;
  /** Another thread and other timers, for a simulation. */
  connect?: OpenChannel;
  timers?: QueueTimers;
}

/** A backup never overwrites a file. */
function refuseTaken(path: string): void {
  if (existsSync(path))
    throw new HeadgateError('conflict', own`There is already a file ${named(path)}.`, {
      remediation: 'Choose another name, or remove it first.',
    });
  if (!existsSync(dirname(path)))
    throw new HeadgateError('invalid_request', own`There is no folder ${named(dirname(path))}.`, {
      remediation: 'Create it first, or choose another path.',
    });
}

/** Opens a SQLite database behind a worker thread, which is started by the first call. */
export function openSqlite(options: SqliteOptions): Database {
  const thread = createSqliteThread(options);
  const { deadlineMs = LIMITS.storeDeadlineMs, timers } = options;
  const waits = { deadlineMs, ...(timers === undefined ? {} : { timers }) };
  const reads = createBatchQueue<SqlStatement>({
    run: (statements) => thread.ask({ kind: 'read', statements }),
    runningMax: 1,
    ...waits,
  });
  const writes = createBatchQueue<SqliteJob>({
    run: (jobs) => thread.ask({ kind: 'write', jobs }),
    // How many batches may be in flight: the worker group-commits everything queued during an fsync.
    runningMax: LIMITS.storeBatchesMax,
    ...waits,
    late: (job, value) => {
      const release = job.kind === 'book' ? releaseOfLate(job.operation, value as LedgerAnswer) : undefined;
      // If this fails too, the hold expires.
      if (release !== undefined) writes.push({ kind: 'book', operation: release }).catch(() => undefined);
    },
  });
  // The deadline is for work, not for starting the thread.
  const ready = async <Result>(work: () => Promise<unknown>): Promise<Result> => {
    if (!thread.isOpen()) await thread.open();
    return (await work()) as Result;
  };
  return {
    dialect: 'sqlite',
    read: (sql, ...values) => ready<DatabaseRow[]>(() => reads.push({ sql, values })),
    write: (statements) => ready<DatabaseRow[][]>(() => writes.push({ kind: 'write', statements })),
    book: (operation) => ready<LedgerAnswer>(() => writes.push({ kind: 'book', operation })),
    log: (rows) => ready<void>(() => writes.push({ kind: 'calls', rows: rows.map(callValues) })),
    backup: async (path) => {
      refuseTaken(path);
      await ready(() => thread.one({ kind: 'backup', path }));
    },
    check: () => ready<string[]>(() => thread.one({ kind: 'check' })),
    close: async () => {
      await writes.drain();
      await reads.drain();
      await thread.close();
    },
  };
}
