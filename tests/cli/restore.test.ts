import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import { SQLITE_MIGRATIONS } from '../../src/store/migrations/sqlite.ts';
import { checkSqlite } from '../../src/store/sqlite/check.ts';
import { openSqliteFile } from '../../src/store/sqlite/driver.ts';
import { migrateSqlite } from '../../src/store/sqlite/migrate.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { runHeadgate, type Ran } from '../support/cli.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { sized } from '../support/sized.ts';

const folder = mkdtempSync(join(tmpdir(), 'headgate-restore-test-'));
const backup = join(folder, 'backup.db');
let homes = 0;
const newHome = (): string => join(folder, `home-${++homes}`);
const storeOf = (home: string) => join(home, 'headgate.db');
const restore = (home: string, ...argv: string[]): Promise<Ran> =>
  runHeadgate(['store', 'restore', ...argv], { home });
const open = (location: string, exclusive = false): Store =>
  createStore({ location, clock: systemClock, log: silentLogger, exclusive });

/** The workspaces of a file, after its check. It is read without the thread of a store, which takes longer to start. */
function workspacesOf(path: string): string[] {
  const file = openSqliteFile(path);
  try {
    expect(checkSqlite(file, { whole: true })).toEqual([]);
    return file
      .prepare('SELECT name FROM workspaces ORDER BY created')
      .all()
      .map((row) => String(row.name));
  } finally {
    file.close();
  }
}

/** A home whose store has one workspace, Weir, and a watermark beyond that of the backup. */
function weir(): string {
  const home = newHome();
  mkdirSync(home, { mode: 0o700 });
  copyFileSync(backup, storeOf(home));
  const file = openSqliteFile(storeOf(home));
  file.exec("UPDATE workspaces SET name = 'Weir'; UPDATE commits SET sequence = 99");
  file.close();
  writeFileSync(`${storeOf(home)}.mark`, '99'.padStart(20, '0'));
  return home;
}

/** Runs a command that must succeed. */
async function done(argv: string[], home: string): Promise<string> {
  const { code, out, err } = await runHeadgate(argv, { home });
  if (code !== 0) throw new Error(err);
  return out;
}

beforeAll(async () => {
  const home = newHome();
  await done(['workspace', 'create', 'Mill'], home);
  const [workspace] = JSON.parse(await done(['workspace', 'list', '--json'], home)) as { id: string }[];
  await done(['credits', 'top-up', workspace?.id ?? '', '5'], home);
  await done(['store', 'backup', backup], home);
});

describe('headgate store restore', () => {
  test('into an empty home, with its money, and noted in the audit log', async () => {
    const home = newHome();
    const { code, out } = await restore(home, backup);
    expect(out).toMatch(/subscriptions +1\n[\s\S]+Restored and checked\.\n$/);
    expect(code).toBe(0);
    expect(workspacesOf(storeOf(home))).toEqual(['Mill']);
    const file = openSqliteFile(storeOf(home));
    expect(file.prepare('SELECT balance FROM subscriptions').value()).toBe(5_000_000);
    expect(file.prepare('SELECT actor, action FROM audit ORDER BY seq DESC').get()).toMatchObject({
      actor: 'command line',
      action: `restored the store from ${backup}`,
    });
    file.close();
  });

  test('a store with rows is replaced only by force, kept, and newer than its watermark', async () => {
    const home = weir();
    const refused = await restore(home, backup);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain(`The store ${storeOf(home)} is not empty. Add --force to replace it.`);
    expect(workspacesOf(storeOf(home))).toEqual(['Weir']);
    const { code, out } = await restore(home, backup, '--force');
    expect(code).toBe(0);
    const kept = /is kept as (.+)\n/.exec(out)?.[1] ?? '';
    expect(workspacesOf(kept)).toEqual(['Weir']);
    // It was opened beside the watermark of the old one, for the audit log.
    expect(workspacesOf(storeOf(home))).toEqual(['Mill']);
    expect(Number(readFileSync(`${storeOf(home)}.mark`, 'utf8'))).toBeGreaterThan(100);
    expect(readdirSync(home).filter((name) => name.includes('restoring'))).toEqual([]);
  });

  test.each([
    ['a gateway', true],
    ['a stdio server or a command', false],
  ])('refuses while %s uses the store, even by force', async (_, exclusive) => {
    const home = weir();
    const inUse = open(storeOf(home), exclusive);
    try {
      await inUse.accounts.workspaces();
      const { code, err } = await restore(home, backup, '--force');
      expect(code).toBe(1);
      expect(err).toContain('Another Headgate process is using');
      await inUse.accounts.createWorkspace({ name: 'Lock', tier: 'free' });
    } finally {
      await inUse.close();
    }
    expect(workspacesOf(storeOf(home))).toEqual(['Weir', 'Lock']);
  });

  test('what is no sound backup is refused, and the store stays as it is', async () => {
    const home = weir();
    const bad = (name: string, make: (path: string) => void): string => {
      const path = join(folder, name);
      make(path);
      return path;
    };
    const bytes = readFileSync(backup);
    const sources: [string, RegExp][] = [
      [join(folder, 'none.db'), /There is no file .+none\.db/],
      [folder, /There is no file/],
      [storeOf(home), /is a store in use, not a backup/],
      [bad('text.db', (path) => writeFileSync(path, 'not a database '.repeat(100))), /cannot be restored: /],
      [bad('other.db', otherProgram), /cannot be restored: It is not a store of Headgate/],
      [
        bad('cut.db', (path) => writeFileSync(path, bytes.subarray(0, bytes.length / 2))),
        /cannot be restored: /,
      ],
      [
        bad('flipped.db', (path) => {
          const damaged = Buffer.from(bytes);
          for (let at = 4_096 * 2; at < damaged.length; at += 4_096) damaged.fill(0xff, at, at + 64);
          writeFileSync(path, damaged);
        }),
        /cannot be restored: /,
      ],
      [
        bad('money.db', (path) => changed(path, 'UPDATE subscriptions SET balance = 1')),
        /cannot be restored/,
      ],
      [
        bad('newer.db', (path) => changed(path, "INSERT INTO schema_migrations VALUES (9999, 'x', 0)")),
        /schema version 9999, which this Headgate does not know/,
      ],
    ];
    for (const [source, expected] of sources) {
      const { code, err } = await restore(home, source, '--force');
      expect(err).toMatch(expected);
      expect(code).not.toBe(0);
      expect(workspacesOf(storeOf(home))).toEqual(['Weir']);
    }
  });

  test('a damaged store, with its log, is replaced by force', async () => {
    const home = weir();
    writeFileSync(storeOf(home), 'damaged '.repeat(1_000));
    writeFileSync(`${storeOf(home)}-wal`, 'damaged '.repeat(1_000));
    expect((await restore(home, backup)).err).toContain('is not empty');
    expect((await restore(home, backup, '--force')).code).toBe(0);
    expect(workspacesOf(storeOf(home))).toEqual(['Mill']);
  });

  test('a backup with the first schema is migrated', async () => {
    const path = join(folder, 'first.db');
    const file = openSqliteFile(path);
    migrateSqlite(file, () => 1, SQLITE_MIGRATIONS.slice(0, 1));
    file.exec("INSERT INTO subscriptions (id, name, tier, created) VALUES ('s', 'S', 'pro', 1)");
    file.exec("INSERT INTO workspaces (id, name, subscription, created) VALUES ('w', 'Old', 's', 1)");
    file.close();
    const home = newHome();
    expect((await restore(home, path)).code).toBe(0);
    expect(workspacesOf(storeOf(home))).toEqual(['Old']);
  });

  const kills = sized('kills of a restore', { small: 2, large: 20, full: 100 });
  test('killed at any moment it leaves the old store or the new one, and can be repeated', async () => {
    const main = resolve(import.meta.dirname, '../../dist/main.cjs');
    const run = async (home: string, killAfterMs?: number): Promise<string> => {
      const env = { PATH: process.env['PATH'], HEADGATE_HOME: home };
      const child = spawn(process.execPath, [main, 'store', 'restore', backup, '--force'], { env });
      const timer =
        killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
      const ended = once(child, 'close');
      const said = await text(child.stderr);
      await ended;
      clearTimeout(timer);
      return said;
    };
    const began = performance.now();
    const home = weir();
    expect(await run(home)).toBe('');
    expect(workspacesOf(storeOf(home))).toEqual(['Mill']);
    const tookMs = performance.now() - began;
    for (let kill = 1; kill <= kills; kill += 1) {
      const killed = weir();
      await run(killed, (tookMs * kill) / (kills + 1));
      // Every second one is restored again instead of looked at: libsql keeps files open in this process.
      const said = kill % 2 === 0 ? await run(killed) : '';
      expect(said).toBe('');
      expect(kill % 2 === 0 ? ['Mill'] : ['Mill', 'Weir']).toContain(workspacesOf(storeOf(killed)).join());
    }
  });
});

describe('into PostgreSQL', () => {
  let server: TestPostgres | undefined;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());

  test('a backup of a file fills an empty database, and no other', async ({ skip }) => {
    if (server === undefined) return skip();
    const url = await server.freshUrl();
    const home = newHome();
    const into = (...argv: string[]) =>
      runHeadgate(['store', 'restore', backup, ...argv], { home, env: { HEADGATE_STORE__URL: url } });
    expect((await into()).out).toMatch(/Restored and checked\.\n$/);
    const store = open(url);
    expect((await store.accounts.workspaces()).map(({ name }) => name)).toEqual(['Mill']);
    await store.close();
    const again = await into('--force');
    expect(again.code).toBe(2);
    expect(again.err).toContain('The PostgreSQL database is not empty');
  });
});

function otherProgram(path: string): void {
  const file = openSqliteFile(path);
  file.exec('CREATE TABLE notes (text TEXT)');
  file.close();
}

function changed(path: string, sql: string): void {
  copyFileSync(backup, path);
  const file = openSqliteFile(path);
  file.exec(sql);
  file.close();
}
