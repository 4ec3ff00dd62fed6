import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';

const OTHERS = 0o077;
/** Windows keeps people apart by other means. */
const HAS_MODES = process.platform !== 'win32';

/**
 * The folder of the database, for its owner alone. One that exists is tightened when it is Headgate's own home, and otherwise left as
 * it is; what is then wrong with it comes back in words.
 */
export function privateFolder(databasePath: string, isHome: boolean): string | undefined {
  const folder = dirname(databasePath);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!HAS_MODES || !isOpen(folder)) return undefined;
  if (isHome && !isShared(folder) && tightened(folder, 0o700)) return undefined;
  return `Others on this machine can look into ${folder}. Close it with \`chmod 700 ${folder}\`, or keep the database in a folder of its own.`;
}

/** Makes a file before SQLite does, and tightens one that is there with what SQLite keeps beside it: read and written by its owner alone. */
export function privateFile(path: string): void {
  if (!HAS_MODES || path === ':memory:') return;
  if (!existsSync(path)) return closeSync(openSync(path, 'a', 0o600));
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`, `${path}.mark`])
    if (existsSync(file) && isOpen(file)) tightened(file, 0o600);
}

const isOpen = (path: string): boolean => (statSync(path).mode & OTHERS) !== 0;

/** A temporary folder and a person's home are not ours to close. */
const isShared = (folder: string): boolean =>
  (statSync(folder).mode & 0o1000) !== 0 || folder === homedir() || folder === dirname(folder);

/** A file of somebody else cannot be changed; that it can be read by others was their decision. */
function tightened(path: string, mode: number): boolean {
  try {
    chmodSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
