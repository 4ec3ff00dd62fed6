import { closeSync, constants, copyFileSync, existsSync, fsyncSync, linkSync, mkdtempSync } from 'node:fs';
import { openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { Logger } from '../../core/log.ts';
import { named, own } from '../../core/own-text.ts';
import { checkSqlite } from '../sqlite/check.ts';
import { openSqliteFile, type SqliteFile } from '../sqlite/driver.ts';
import { inUse, lockSqlite } from '../sqlite/lock.ts';
import { migrateSqlite } from '../sqlite/migrate.ts';
import { privateFolder } from '../sqlite/private-files.ts';
import { openSqlite } from '../sqlite/sqlite.ts';
import { readWatermark } from '../sqlite/watermark.ts';
import { COPIED_TABLES } from './copied-tables.ts';
import { type CopiedRows, copyStore } from './copy-store.ts';

/** What a restore has done. */
export interface Restored {
  /** Where the store before it is kept; null when there was none. */
  kept: string | null;
  /** Rows of each table that has any. */
  rows: CopiedRows[];
}

interface Restoring {
  /** The backup. */
  from: string;
  /** The database to replace. */
  path: string;
  clock: Clock;
  /** Replaces a store that has rows. */
  force: boolean;
  isHome: boolean;
}

/**
 * Replaces a SQLite store by a backup. The backup is copied beside the store, migrated and checked whole, and then
 * renamed over it: a process that is killed leaves the old store or the new one.
 */
export function restoreSqlite({ from, path, clock, force, isHome }: Restoring): Restored {
  refuseSource(from, path);
  privateFolder(path, isHome);
  const unlock = lockSqlite(path);
  try {
    const isEmpty = closeOld(path);
    if (!isEmpty && !force) {
      throw new HeadgateError('conflict', own`The store ${named(path)} is not empty.`, {
        remediation: 'Add --force to replace it. Its file is kept under another name.',
      });
    }
    const copy = `${path}.restoring`;
    for (const left of besides(copy)) rmSync(left, { force: true });
    const rows = prepareCopy(from, copy, { clock, sequenceMin: readWatermark(`${path}.mark`) + 1 });
    const kept = existsSync(path) ? freeName(`${path}.before-${stamp(clock)}`) : null;
    if (kept !== null) keep(path, kept);
    // Logs of the old file must not be applied to the new one. They exist only if the old file is damaged.
    for (const log of besides(path).slice(1)) {
      if (kept === null) rmSync(log, { force: true });
      else if (existsSync(log)) renameSync(log, kept + log.slice(path.length));
    }
    renameSync(copy, path);
    syncFolder(path);
    return { kept, rows };
  } finally {
    unlock();
  }
}

/** Copies a backup of a SQLite store into an empty PostgreSQL database. */
export async function restorePostgres(
  from: string,
  url: string,
  world: { clock: Clock; log: Logger },
): Promise<Restored> {
  refuseSource(from, url);
  const folder = mkdtempSync(join(tmpdir(), 'headgate-restore-'));
  const path = join(folder, 'copy.db');
  try {
    prepareCopy(from, path, { clock: world.clock, sequenceMin: 0 });
    const source = openSqlite({ path, exclusive: true, ...world });
    try {
      const rows = await copyStore(source, url, world);
      return { kept: null, rows: rows.filter((each) => each.rows > 0) };
    } finally {
      await source.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function refuseSource(from: string, path: string): void {
  if (!existsSync(from) || !statSync(from).isFile()) {
    throw new HeadgateError('invalid_request', own`There is no file ${named(from)}.`, {
      remediation: 'Name a file that `headgate store backup` wrote.',
    });
  }
  const wal = `${from}-wal`;
  const isLive = existsSync(wal) && statSync(wal).size > 0;
  const isSame = existsSync(path) && realpathSync(from) === realpathSync(path);
  if (isLive || isSame) {
    throw new HeadgateError('conflict', own`${named(from)} is a store in use, not a backup.`, {
      remediation: 'Name a file that `headgate store backup` wrote.',
    });
  }
}

/**
 * Whether the old store has no rows. Leaving WAL mode fails while another process has the file open, and leaves
 * all of the store in one file.
 */
function closeOld(path: string): boolean {
  if (!existsSync(path)) return true;
  const file = openSqliteFile(path);
  try {
    file.exec('PRAGMA busy_timeout = 0');
    file.prepare('PRAGMA journal_mode = DELETE').all();
    return rowsOf(file).length === 0;
  } catch (thrown) {
    if (/locked|busy/i.test(String(thrown))) throw inUse(path, thrown);
    // A damaged store is what restoring is for, and it is not empty.
    return false;
  } finally {
    file.close();
  }
}

/** Makes a copy that can take the place of the store: today's schema, checked, and newer than the watermark. */
function prepareCopy(
  from: string,
  copy: string,
  { clock, sequenceMin }: { clock: Clock; sequenceMin: number },
): CopiedRows[] {
  copyFileSync(from, copy, constants.COPYFILE_FICLONE);
  const file = openSqliteFile(copy);
  try {
    const [known] = file.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'").all();
    if (known === undefined) throw unsound(from, 'It is not a store of Headgate.');
    migrateSqlite(file, () => clock.now());
    const [problem] = checkSqlite(file, { whole: true });
    if (problem !== undefined) throw unsound(from, problem);
    file.prepare('UPDATE commits SET sequence = max(sequence, ?)').run(sequenceMin);
    return rowsOf(file);
  } catch (thrown) {
    if (thrown instanceof HeadgateError) throw thrown;
    throw unsound(from, thrown instanceof Error ? thrown.message : String(thrown));
  } finally {
    file.close();
    sync(copy);
  }
}

const unsound = (from: string, what: string): HeadgateError =>
  new HeadgateError('invalid_request', own`${named(from)} cannot be restored: ${named(what)}`, {
    remediation: 'Nothing was changed. Restore another backup.',
  });

function rowsOf(file: SqliteFile): CopiedRows[] {
  const names = file.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const present = new Set(names.map((row) => row.name));
  return COPIED_TABLES.filter(({ name }) => present.has(name))
    .map(({ name }) => ({
      table: name,
      rows: Number(file.prepare(`SELECT count(*) AS rows FROM ${name}`).value() ?? 0),
    }))
    .filter(({ rows }) => rows > 0);
}

/** A database and the files that SQLite keeps beside it. */
const besides = (path: string): string[] => ['', '-wal', '-shm', '-journal'].map((end) => path + end);

/** The time as part of a file name. */
const stamp = (clock: Clock): string =>
  new Date(clock.now()).toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-');

function freeName(path: string): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? path : `${path}-${count}`;
    if (!existsSync(name)) return name;
  }
}

/** Keeps a second name of the old file, or a copy where the disk has no second names. */
function keep(path: string, kept: string): void {
  try {
    linkSync(path, kept);
  } catch {
    copyFileSync(path, kept, constants.COPYFILE_EXCL);
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Makes the new name survive a loss of power. Windows cannot open folders, and does not need it. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(dirname(path), 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
