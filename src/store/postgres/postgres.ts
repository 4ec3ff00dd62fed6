import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, createSteadyTime } from '../../core/clock.ts';
import { HeadgateError } from '../../core/errors.ts';
import { newNonce } from '../../core/ids.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Logger } from '../../core/log.ts';
import { type BatchQueue, createBatchQueue } from '../ledger/batch-queue.ts';
import type { Database, DatabaseRow, SqlValue, SqlStatement } from '../database.ts';
import { releaseOfLate } from '../ledger/late-hold.ts';
import { LEDGER_CHECKS, LEDGER_CHECKS_WHOLE } from '../ledger/check.ts';
import type { LedgerAnswer, LedgerOperation } from '../ledger/types.ts';
import { isBehind, isViolation, isWorthRetrying, postgresError } from './errors.ts';
import { insertCalls } from './changes.ts';
import { createPostgresLedger } from './ledger.ts';
import { migratePostgres } from './migrate.ts';
import { createPostgresPool, type PostgresConnection, type PostgresPool } from './pool.ts';
import type { Settled } from '../ledger/settled.ts';

export interface PostgresOptions {
  url: string;
  log: Logger;
  clock: Clock;
  /** Uses `clock` instead of the server's time, which all gateways share. For tests. */
  ownTime?: boolean;
  deadlineMs?: number;
}

/** A loss found by one lane stops all of them: it is unknown what else is missing. */
interface Loss {
  found?: HeadgateError;
}

interface LaneOptions extends PostgresOptions {
  /** The row in which this lane counts its commits. */
  lane: string;
  loss: Loss;
  steady(wall: number): number;
}

/** Opens a PostgreSQL database, which is connected by the first call. */
export function openPostgres(options: PostgresOptions): Database {
  const gateway = newNonce();
  const lanes = Array.from({ length: LIMITS.storeLanes }, (_, index) => `${gateway}-${index}`);
  const connected = connectOnce(options, lanes);
  const shared = { loss: {}, steady: createSteadyTime(options.clock) };
  const bookings = lanes.map((lane) =>
    createBookings({ ...options, lane, ...shared }, () => connected.open()),
  );
  const bookingsOf = ({ subscription }: LedgerOperation) =>
    bookings[laneOf(subscription, lanes.length)] as BatchQueue<LedgerOperation>;
  const run = async <Result>(work: (connection: PostgresConnection) => Promise<Result>): Promise<Result> => {
    const pool = await connected.open();
    return pool.use(work).catch((thrown: unknown) => {
      throw postgresError(thrown);
    });
  };
  const read = (sql: string, ...values: SqlValue[]) =>
    run(
      async (connection) => (await connection.query({ text: numbered(sql), values })).rows as DatabaseRow[],
    );
  return {
    dialect: 'postgres',
    read,
    write: (statements) => run((connection) => writeAll(connection, statements)),
    book: async (operation) => {
      await connected.open();
      return (await bookingsOf(operation).push(operation)) as LedgerAnswer;
    },
    log: (rows) =>
      run(async (connection) => {
        if (rows.length > 0) await connection.query(insertCalls(rows));
      }),
    backup: () => Promise.reject(useDump()),
    check: async () => {
      const found: string[] = [];
      for (const check of [...LEDGER_CHECKS, ...LEDGER_CHECKS_WHOLE]) {
        found.push(...(await read(check.sql)).map((row) => check.say(row)));
      }
      return found;
    },
    close: async () => {
      await Promise.all(bookings.map((queue) => queue.drain()));
      await connected.close();
    },
  };
}

/**
 * The queues of the lanes. An account always uses the same lane, so that parallel batches never wait for each
 * other's accounts: while the server works for one lane, this process decides for another.
 */
function createBookings(options: LaneOptions, open: () => Promise<PostgresPool>) {
  const bookings = createBatchQueue<LedgerOperation>({
    run: createBooking(options, open),
    runningMax: 1,
    deadlineMs: options.deadlineMs ?? LIMITS.storeDeadlineMs,
    late: (operation, value) => {
      const release = releaseOfLate(operation, value as LedgerAnswer);
      // If this fails too, the hold expires.
      if (release !== undefined) bookings.push(release).catch(() => undefined);
    },
  });
  return bookings;
}

/** Any even distribution will do. */
function laneOf(subscription: string, lanes: number): number {
  let sum = 0;
  for (let index = 0; index < subscription.length; index += 1)
    sum = (sum * 31 + subscription.charCodeAt(index)) >>> 0;
  return sum % lanes;
}

/** Books batches, retries after contention, and stops for good once the database has lost commits. */
function createBooking(options: LaneOptions, open: () => Promise<PostgresPool>) {
  const { clock, lane, log, loss, steady, ownTime = false } = options;
  const now = () => (ownTime ? clock.now() : undefined);
  const bookOn = createPostgresLedger({ lane, now, steady });
  const bookBatch = async (operations: LedgerOperation[]): Promise<Settled[]> => {
    if (loss.found !== undefined) throw loss.found;
    const pool = await open();
    try {
      const answers = await retrying(() => pool.use((connection) => bookOn(connection, operations)));
      return answers.map((value) => ({ value }));
    } catch (thrown) {
      if (isBehind(thrown)) {
        loss.found = postgresError(thrown);
        log.error('store_lost_commits', { cause: thrown });
      }
      if (!isViolation(thrown) || operations.length === 1) throw postgresError(thrown);
      // One operation violated the schema: each gets its own transaction, so that only that one fails.
      const ends: Settled[] = [];
      for (const operation of operations) {
        ends.push(...(await bookBatch([operation]).catch((cause: unknown) => [{ thrown: cause }])));
      }
      return ends;
    }
  };
  return bookBatch;
}

/** Connects and migrates once; after a failure the next call tries again. */
function connectOnce({ url, log, clock }: PostgresOptions, lanes: string[]) {
  let opening: Promise<PostgresPool> | undefined;
  const open = async (): Promise<PostgresPool> => {
    const pool = await createPostgresPool(url, (cause) => log.warn('store_connection_lost', { cause }));
    try {
      await migratePostgres(pool, () => clock.now());
      await pool.use(async (connection) => {
        const text = 'INSERT INTO gateways (id, sequence) VALUES ($1, 0)';
        for (const lane of lanes) await connection.query({ text, values: [lane] });
        await connection.query({ text: "DELETE FROM gateways WHERE seen < now() - interval '1 year'" });
      });
      return pool;
    } catch (thrown) {
      await pool.end();
      throw postgresError(thrown);
    }
  };
  return {
    open: () => {
      opening ??= open().catch((thrown: unknown) => {
        opening = undefined;
        throw thrown;
      });
      return opening;
    },
    close: async () => {
      const pool = await opening?.catch(() => undefined);
      opening = undefined;
      await pool?.end();
    },
  };
}

async function writeAll(
  connection: PostgresConnection,
  statements: SqlStatement[],
): Promise<DatabaseRow[][]> {
  await connection.query({ text: 'BEGIN' });
  const results: DatabaseRow[][] = [];
  for (const { sql, values = [] } of statements) {
    results.push((await connection.query({ text: numbered(sql), values })).rows as DatabaseRow[]);
  }
  await connection.query({ text: 'COMMIT' });
  return results;
}

/** Retries after contention or a lost connection, within the deadline of the callers. */
async function retrying<Result>(work: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (thrown) {
      const isOver = performance.now() - start > LIMITS.storeDeadlineMs;
      if (attempt >= LIMITS.storeRetriesMax || isOver || !isWorthRetrying(thrown)) throw thrown;
      await wait(20 * 2 ** attempt + Math.random() * 20);
    }
  }
}

/** Replaces `?` by `$1`, `$2` …; our statements have no question marks in strings. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replace(/\?/g, () => `$${++count}`);
}

function useDump(): HeadgateError {
  return new HeadgateError('invalid_request', 'Headgate does not back up PostgreSQL itself.', {
    remediation: 'Use `pg_dump`, or the backups of your PostgreSQL service.',
  });
}
