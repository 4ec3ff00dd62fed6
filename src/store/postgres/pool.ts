import type { Pool, PoolClient, QueryResult } from 'pg';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { SqlValue } from '../database.ts';
import { connectionError } from './errors.ts';

/** A prepared query; the name lets the server keep its plan. */
export interface PostgresQuery {
  text: string;
  values?: SqlValue[];
  name?: string;
  /** Overrides the pool's timeout, in milliseconds; the name is that of `pg`. */
  query_timeout?: number;
}

export interface PostgresConnection {
  /** Sent at once, even while earlier ones are running; responses come in order. */
  query(query: PostgresQuery): Promise<QueryResult>;
}

export interface PostgresPool {
  /**
   * Lends a connection to `work`. It is discarded when the work fails in a way that leaves its state unclear.
   */
  use<Result>(work: (connection: PostgresConnection) => Promise<Result>): Promise<Result>;
  end(): Promise<void>;
}

/** Creates a pool; `pg` is loaded when PostgreSQL is first used. */
export async function createPostgresPool(
  url: string,
  onLost: (cause: Error) => void,
  max: number = LIMITS.storeConnectionsMax,
): Promise<PostgresPool> {
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new HeadgateError('storage_unavailable', 'PostgreSQL needs the `pg` package.', {
      remediation: 'Run `npm install pg`.',
      cause,
    });
  });
  const pool: Pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: LIMITS.storeDeadlineMs,
    statement_timeout: LIMITS.storeDeadlineMs,
    lock_timeout: LIMITS.storeDeadlineMs / 2,
    // A gateway that stalls while it holds account rows releases them.
    idle_in_transaction_session_timeout: LIMITS.storeDeadlineMs,
    query_timeout: LIMITS.storeDeadlineMs * 1.25,
    keepAlive: true,
    pipeline: true,
    allowExitOnIdle: true,
    application_name: 'headgate',
  });
  // A broken idle connection is replaced by the next call; without a listener it would end the process.
  pool.on('error', onLost);
  return {
    end: () => pool.end(),
    use: async (work) => {
      const client = await pool.connect().catch((cause: unknown) => {
        throw connectionError(cause);
      });
      return lend(client, work);
    },
  };
}

const checked = new WeakSet<PoolClient>();

async function lend<Result>(
  client: PoolClient,
  work: (connection: PostgresConnection) => Promise<Result>,
): Promise<Result> {
  // A connection that breaks while lent reports it through its queries, and must not end the process.
  const onError = () => undefined;
  client.on('error', onError);
  const connection: PostgresConnection = { query: (query) => client.query(query) };
  try {
    if (!checked.has(client)) await requirePrimary(connection);
    checked.add(client);
    const result = await work(connection);
    client.off('error', onError);
    client.release();
    return result;
  } catch (thrown) {
    client.release(true);
    throw thrown;
  }
}

/** A replica may lack what was acknowledged, so it never decides about money. */
async function requirePrimary(connection: PostgresConnection): Promise<void> {
  const { rows } = await connection.query({ text: 'SELECT pg_is_in_recovery() AS replica' });
  if ((rows[0] as { replica?: boolean } | undefined)?.replica !== true) return;
  throw new HeadgateError('storage_unavailable', 'The PostgreSQL address points to a replica.', {
    remediation: 'Point Headgate at the primary: limits and credits are decided there only.',
  });
}
