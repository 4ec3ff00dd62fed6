import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { openSqliteFile } from './driver.ts';

/**
 * Prevents a second gateway on the same database. It uses SQLite's lock on a file beside it, which the
 * operating system releases when the process dies, however it dies.
 */
export function lockSqlite(databasePath: string): () => void {
  const path = `${databasePath}.lock`;
  const file = openSqliteFile(path);
  try {
    file.exec('PRAGMA busy_timeout = 0');
    file.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    file.close();
    throw inUse(databasePath, cause);
  }
  let held = true;
  return () => {
    if (!held) return;
    held = false;
    // libsql keeps files open after close(), so the lock is released before.
    file.exec('ROLLBACK');
    file.close();
  };
}

/** The failure when another process has the database open. */
export const inUse = (databasePath: string, cause: unknown): HeadgateError =>
  new HeadgateError('storage_unavailable', own`Another Headgate process is using ${named(databasePath)}.`, {
    remediation: 'Stop the other process, or use PostgreSQL when several gateways are to share one database.',
    cause,
  });
