import { checksumOf, type Migration, pendingMigrations } from '../migration.ts';
import { POSTGRES_MIGRATIONS } from '../migrations/postgres.ts';
import type { PostgresConnection, PostgresPool } from './pool.ts';

/** An arbitrary fixed number: gateways that start at the same time take turns on this lock. */
const LOCK = 4_343_2837;

/** Applies pending migrations: one transaction per step, under one advisory lock. */
export async function migratePostgres(
  pool: PostgresPool,
  now: () => number,
  migrations: readonly Migration[] = POSTGRES_MIGRATIONS,
): Promise<void> {
  await pool.use(async (connection) => {
    if (await isMigrated(connection, migrations)) return;
    for (const migration of migrations) await migrateStep(connection, migrations, migration, now);
  });
}

/** Most starts find nothing to do; they do not wait for the lock, nor ask for each step. */
async function isMigrated(
  connection: PostgresConnection,
  migrations: readonly Migration[],
): Promise<boolean> {
  const { rows } = await connection.query({ text: "SELECT to_regclass('schema_migrations') AS applied" });
  return rows[0]?.applied !== null && (await pendingIn(connection, migrations)).length === 0;
}

async function pendingIn(
  connection: PostgresConnection,
  migrations: readonly Migration[],
): Promise<Migration[]> {
  const { rows } = await connection.query({ text: 'SELECT version, checksum FROM schema_migrations' });
  return pendingMigrations(migrations, rows as { version: number; checksum: string }[]);
}

async function migrateStep(
  connection: PostgresConnection,
  migrations: readonly Migration[],
  migration: Migration,
  now: () => number,
): Promise<void> {
  await connection.query({ text: 'BEGIN' });
  // A step, or waiting for another gateway's step, may take longer than a call.
  await connection.query({ text: "SET LOCAL statement_timeout = '60s'" });
  await connection.query({ text: "SET LOCAL lock_timeout = '60s'" });
  await connection.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [LOCK] });
  await connection.query({
    text: `CREATE TABLE IF NOT EXISTS schema_migrations (
             version INT PRIMARY KEY, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL)`,
  });
  if ((await pendingIn(connection, migrations)).includes(migration)) {
    await connection.query({ text: migration.sql });
    await connection.query({
      text: 'INSERT INTO schema_migrations VALUES ($1, $2, $3)',
      values: [migration.version, checksumOf(migration), now()],
    });
  }
  await connection.query({ text: 'COMMIT' });
}
