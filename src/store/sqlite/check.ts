import { type Stats, statSync } from 'node:fs';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import type { SqliteFile } from './driver.ts';
import { LEDGER_CHECKS, LEDGER_CHECKS_WHOLE } from '../ledger/check.ts';

/** Above this size the pages are checked only on request: starting must not take minutes. */
const QUICK_CHECK_PAGES_MAX = 50_000;

/** Problems of the file's structure and of its ledger, one sentence each. */
export function checkSqlite(file: SqliteFile, { whole }: { whole: boolean }): string[] {
  const pages = Number(file.prepare('PRAGMA page_count').all()[0]?.page_count ?? 0);
  const structure =
    whole || pages <= QUICK_CHECK_PAGES_MAX
      ? file.prepare(`PRAGMA ${whole ? 'integrity_check' : 'quick_check'}(10)`).all()
      : [];
  const problems = structure.map((row) => String(Object.values(row)[0])).filter((text) => text !== 'ok');
  if (problems.length > 0) return problems;
  const checks = whole ? [...LEDGER_CHECKS, ...LEDGER_CHECKS_WHOLE] : LEDGER_CHECKS;
  return checks.flatMap((check) =>
    file
      .prepare(check.sql)
      .all()
      .map((row) => check.say(row)),
  );
}

/**
 * Detects a database file that was deleted or replaced while in use. SQLite would keep writing into the old
 * one, and all of that would be lost at the next start.
 */
export function watchFiles(path: string): () => void {
  const walPath = `${path}-wal`;
  const database = identity(path);
  let wal: Identity;
  return () => {
    const walNow = identity(walPath);
    wal ??= walNow;
    if (isSame(identity(path), database) && isSame(walNow, wal)) return;
    throw new HeadgateError(
      'storage_unavailable',
      own`The database ${named(path)} was moved, deleted or replaced.`,
      {
        remediation: 'Put the original files back, or stop Headgate and restore a backup.',
        data: { fatal: true },
      },
    );
  };
}

type Identity = Stats | undefined;

const identity = (path: string): Identity => statSync(path, { throwIfNoEntry: false });

const isSame = (one: Identity, other: Identity): boolean =>
  one?.ino === other?.ino && one?.dev === other?.dev;
