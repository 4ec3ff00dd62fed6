import { checksumOf, pendingMigrations } from '../migration.ts';
import { SQLITE_MIGRATIONS } from '../migrations/sqlite.ts';
import type { SqliteFile } from './driver.ts';

/**
 * Applies pending migrations: one transaction per step, so that a process killed between two leaves whole
 * steps.
 */
export function migrateSqlite(file: SqliteFile, now: () => number, migrations = SQLITE_MIGRATIONS): void {
  file.exec(
    `CREATE TABLE IF NOT EXISTS schema_migrations (
       version INTEGER PRIMARY KEY, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT`,
  );
  const applied = () => file.prepare('SELECT version, checksum FROM schema_migrations').all() as never;
  if (pendingMigrations(migrations, applied()).length === 0) return;
  for (const migration of migrations) {
    file.exec('BEGIN IMMEDIATE');
    try {
      // Checked again under the lock: another process may have applied this step in the meantime.
      if (pendingMigrations([migration], ownRow(applied(), migration.version)).length > 0) {
        file.exec(migration.sql);
        file
          .prepare('INSERT INTO schema_migrations VALUES (?, ?, ?)')
          .run(migration.version, checksumOf(migration), now());
      }
      file.exec('COMMIT');
    } catch (thrown) {
      file.exec('ROLLBACK');
      throw thrown;
    }
  }
}

const ownRow = (rows: { version: number; checksum: string }[], version: number) =>
  rows.filter((row) => row.version === version);
