import { copyFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteEngine } from '../../src/store/sqlite/engine.ts';

let migrated: string | undefined;

/** Puts a new database at a path. Its migrations have run once for all tests of this process: they take longer than the rest of a gateway's start. */
export function placeDatabase(path: string): void {
  if (migrated === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'migrated-'));
    const engine = openSqliteEngine(
      { path: join(folder, 'headgate.db'), exclusive: false, sequenceMin: 0 },
      () => 0,
    );
    // The file itself may be empty: libsql keeps what was written beside it, also after it is closed.
    migrated = join(folder, 'backup.db');
    engine.backup(migrated);
    engine.close();
  }
  copyFileSync(migrated, path);
}
