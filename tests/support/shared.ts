import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A path in the material that lies beside some checkouts, or undefined: tests that use it run only where it is. */
export function sharedPath(path: string): string | undefined {
  const root = resolve(import.meta.dirname, '../..');
  return ['../shared', '../../shared'].map((folder) => join(root, folder, path)).find(existsSync);
}
