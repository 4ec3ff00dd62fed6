import { chmodSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createStore } from '../../src/store/store.ts';

/** The database holds hashes of keys and passwords, queries of idempotent calls and all bookings: nobody else on the machine reads it. */

const modeOf = (path: string): number => statSync(path).mode & 0o777;
const filesIn = (folder: string): [string, number][] =>
  readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]);

/** Opens the store as a gateway does, and leaves it open while `look` runs. */
async function withStore(
  location: string,
  look: (backup: (path: string) => Promise<void>) => void | Promise<void>,
  isHome = true,
): Promise<string[]> {
  const warnings: string[] = [];
  const log = { ...silentLogger, warn: (event: string) => void warnings.push(event) };
  const store = createStore({ location, clock: systemClock, log, exclusive: true, isHome });
  await store.accounts.createWorkspace({ name: 'Team', tier: 'free' });
  await look((path) => store.database.backup(path));
  await store.close();
  return warnings;
}

test.skipIf(process.platform === 'win32')(
  'the database, its WAL, its mark, its lock and a backup are 0600, their folder 0700',
  async () => {
    const home = join(mkdtempSync(join(tmpdir(), 'headgate-modes-')), 'home');
    await withStore(join(home, 'headgate.db'), async (backup) => {
      await backup(join(home, 'backup.db'));
      expect(modeOf(home)).toBe(0o700);
      const files = filesIn(home);
      expect(files.map(([name]) => name)).toEqual(
        expect.arrayContaining([
          'backup.db',
          'headgate.db',
          'headgate.db-wal',
          'headgate.db.mark',
          'headgate.db.lock',
        ]),
      );
      expect(files.filter(([, mode]) => mode !== 0o600)).toEqual([]);
    });
  },
);

test.skipIf(process.platform === 'win32')('an installation that others could read is tightened', async () => {
  const home = join(mkdtempSync(join(tmpdir(), 'headgate-modes-')), 'home');
  const location = join(home, 'headgate.db');
  await withStore(location, () => {
    for (const [name] of filesIn(home)) chmodSync(join(home, name), 0o644);
  });
  for (const [name] of filesIn(home)) chmodSync(join(home, name), 0o644);
  chmodSync(home, 0o755);
  expect(
    await withStore(location, () => {
      expect(modeOf(home)).toBe(0o700);
      expect(filesIn(home).filter(([, mode]) => mode !== 0o600)).toEqual([]);
    }),
  ).toEqual([]);
});

test.skipIf(process.platform === 'win32')(
  'a folder that the operator named is not changed, and the log says that it is open',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headgate-modes-'));
    chmodSync(folder, 0o755);
    const warnings = await withStore(
      join(folder, 'headgate.db'),
      () => expect(filesIn(folder).filter(([, mode]) => mode !== 0o600)).toEqual([]),
      false,
    );
    expect(warnings).toEqual(['database_folder_open']);
    expect(modeOf(folder)).toBe(0o755);
  },
);
