import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';

const OTHERS = 0o077;
/** Windows has no POSIX file modes. */
const HAS_MODES = process.platform !== 'win32';

/**
 * Makes the folder of the database private to its owner. An existing folder is changed only if it is
 * Headgate's own home; otherwise it is left alone, and a warning is returned.
 */
export function privateFolder(databasePath: string, isHome: boolean): string | undefined {
  const folder = dirname(databasePath);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!HAS_MODES || !isOpen(folder)) return undefined;
  if (isHome && !isShared(folder) && tightened(folder, 0o700)) return undefined;
  return `Other users of this machine can read ${folder}. Restrict it with \`chmod 700 ${folder}\`, or keep the database in a folder of its own.`;
}

/**
 * Creates the file before SQLite does, or restricts an existing one and the files beside it, so that only its
 * owner can read and write it.
 */
export function privateFile(path: string): void {
  if (!HAS_MODES || path === ':memory:') return;
  if (!existsSync(path)) return closeSync(openSync(path, 'a', 0o600));
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`, `${path}.mark`])
    if (existsSync(file) && isOpen(file)) tightened(file, 0o600);
}

const isOpen = (path: string): boolean => (statSync(path).mode & OTHERS) !== 0;

/** A temporary folder and a person's home are not ours to restrict. */
const isShared = (folder: string): boolean =>
  (statSync(folder).mode & 0o1000) !== 0 || folder === homedir() || folder === dirname(folder);

/** A file of another user cannot be changed. */
function tightened(path: string, mode: number): boolean {
  try {
    chmodSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
