import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { systemClock } from './clock.ts';
import { HeadgateError } from './errors.ts';
import { newNonce } from './ids.ts';
import { named, own } from './own-text.ts';

/** How long a change waits for another, and how old a lock is that a process left behind when it was killed. */
const WAIT_MS = 15_000;
const STALE_MS = 10_000;
const RETRY_MS = 10;

/**
 * Replaces the text of a file in one step: a reader sees the old text or the new one, also after a crash. Of several processes that change
 * it at once, each sees what the one before it wrote. A link stays a link. Without a mode the file keeps its own; one that does not exist
 * yet has the text ''.
 */
export async function changeFile(
  path: string,
  change: (text: string) => string,
  mode?: number,
): Promise<void> {
  const known = statSync(path, { throwIfNoEntry: false });
  const place = known === undefined ? path : realpathSync(path);
  const lock = `${place}.lock`;
  const deadline = performance.now() + WAIT_MS;
  while (!changedUnder(lock, place, change, mode ?? (known?.mode ?? 0o600) & 0o777)) {
    if (performance.now() > deadline)
      throw new HeadgateError('conflict', own`${named(path)} is being changed by another process.`, {
        remediation: own`Try again. If no other process changes it, remove ${named(lock)}.`,
      });
    removeStale(lock);
    await systemClock.sleep(RETRY_MS);
  }
}

/** The new text is written to the lock itself, so that the rename which commits the change also releases the lock. False when another has it. */
function changedUnder(lock: string, place: string, change: (text: string) => string, mode: number): boolean {
  const descriptor = opened(lock, mode);
  if (descriptor === undefined) return false;
  const isOurs = (): boolean => statSync(lock, { throwIfNoEntry: false })?.ino === fstatSync(descriptor).ino;
  try {
    const before =
      statSync(place, { throwIfNoEntry: false }) === undefined ? '' : readFileSync(place, 'utf8');
    const bytes = Buffer.from(change(before));
    for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
    fsyncSync(descriptor);
    if (!isOurs()) return false;
    renameSync(lock, place);
    return true;
  } finally {
    if (isOurs()) rmSync(lock);
    closeSync(descriptor);
  }
}

function opened(lock: string, mode: number): number | undefined {
  try {
    return openSync(lock, 'wx', mode);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw thrown;
  }
}

/** Only one of several renames succeeds; a process that loses its lock to one begins again. */
function removeStale(lock: string): void {
  const { mtimeMs } = statSync(lock, { throwIfNoEntry: false }) ?? {};
  if (mtimeMs === undefined || Date.now() - mtimeMs < STALE_MS) return;
  const aside = `${lock}.${newNonce().slice(0, 8)}`;
  try {
    renameSync(lock, aside);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
  }
  rmSync(aside, { force: true });
}
