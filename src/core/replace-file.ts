import {
  closeSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { newNonce } from './ids.ts';

/**
 * Replaces a file in one step: a reader sees the old text or the new one, also after a crash. A link stays a link. Without a mode the
 * file keeps its own.
 */
export function replaceFile(path: string, text: string, mode?: number): void {
  const known = statSync(path, { throwIfNoEntry: false });
  const place = known === undefined ? path : realpathSync(path);
  const draft = `${place}.${newNonce().slice(0, 8)}.part`;
  const descriptor = openSync(draft, 'wx', mode ?? (known?.mode ?? 0o600) & 0o777);
  try {
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
    fsyncSync(descriptor);
    renameSync(draft, place);
  } finally {
    closeSync(descriptor);
    rmSync(draft, { force: true });
  }
}
