import { createHash } from 'node:crypto';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';

/** One numbered step of a schema. It is never edited after its release; a change is a new step. */
export interface Migration {
  version: number;
  name: string;
  sql: string;
}

/** The words in which the tables of both databases differ. */
export interface Dialect {
  integer: 'INTEGER' | 'BIGINT';
  /** An integer that is 0 or 1. */
  small: 'INTEGER' | 'INT';
  /** A key that counts up by itself. */
  sequence: string;
  /** What follows a table, and then one whose rows are found by their key alone. */
  end: string;
  keyed: string;
  /** Leaves room in a page for rows that change. */
  fill(percent: number): string;
}

/** SQL of an earlier step with some of its texts replaced, the first place of each. */
export const changedSql = (sql: string, changes: readonly [from: string, to: string][]): string =>
  changes.reduce((text, [from, to]) => text.replace(from, () => to), sql);

/** Detects a step that was edited after it was applied. */
export const checksumOf = (migration: Migration): string =>
  createHash('sha256').update(migration.sql).digest('hex');

/**
 * The steps that are still to be applied. Throws when the database belongs to a newer version, or to another
 * program.
 */
export function pendingMigrations(
  all: readonly Migration[],
  applied: readonly { version: number; checksum: string }[],
): Migration[] {
  for (const done of applied) {
    const known = all.find((migration) => migration.version === done.version);
    if (known === undefined) {
      throw new HeadgateError(
        'storage_unavailable',
        own`The database has schema version ${done.version}, which this Headgate does not know.`,
        { remediation: 'Upgrade Headgate to the version that wrote it, or restore a backup.' },
      );
    }
    if (checksumOf(known) !== done.checksum) {
      throw new HeadgateError(
        'storage_unavailable',
        own`Migration ${done.version} (${named(known.name)}) of the database is not the one this Headgate has.`,
        { remediation: 'Use the Headgate release that created the database, or restore a backup.' },
      );
    }
  }
  const versions = new Set(applied.map((done) => done.version));
  return all.filter((migration) => !versions.has(migration.version));
}
