import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Gives the whole run a temporary folder of its own, and removes it with all that is in it: whatever a test leaves behind, also one that failed or whose
 * process was killed, does not stay on the machine. The name is short because the paths of sockets may have about a hundred characters.
 */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'hg-'));
  // What a test starts as another user must get through to its own folder.
  chmodSync(folder, 0o711);
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
