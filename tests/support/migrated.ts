import { copyFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteEngine } from '../../src/store/sqlite/engine.ts';

let migrated: string | undefined;

/** Puts a new database at a path. Its migrations have run once for all tests of this process: they take longer than the rest of a gateway's start. */
export function placeDatabase(path: string): void {
  if (migrated === undefined) {
    migrated = join(mkdtempSync(join(tmpdir(), 'migrated-')), 'headgate.db');
    openSqliteEngine({ path: migrated, exclusive: false, sequenceMin: 0 }, () => 0).close();
  }
  copyFileSync(migrated, path);
}
