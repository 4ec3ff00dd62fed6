import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sayNotRun } from './not-run.ts';

/** A path in the material that lies beside some checkouts, or undefined: tests that use it run only where it is. */
export function sharedPath(path: string): string | undefined {
  const root = resolve(import.meta.dirname, '../..');
  const found = ['../shared', '../../shared'].map((folder) => join(root, folder, path)).find(existsSync);
  if (found === undefined) sayNotRun(`tests over ${path}`, 'recordings that are not part of the repository');
  return found;
}
