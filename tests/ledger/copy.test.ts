import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import { COPIED_TABLES } from '../../src/store/copy/copied-tables.ts';
import type { Database } from '../../src/store/database.ts';
import { openSqliteFile } from '../../src/store/sqlite/driver.ts';
import { migrateSqlite } from '../../src/store/sqlite/migrate.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { holdOf, settleOf } from '../support/ledger/workload.ts';

test('every table of the SQLite schema is copied, or known to belong to one file only', () => {
  const file = openSqliteFile(':memory:');
  migrateSqlite(file, () => 0);
  const all = file.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const ownOfFile = ['commits', 'health', 'schema_migrations', 'sqlite_sequence'];
  expect(all.map((row) => String(row.name)).toSorted()).toEqual(
    [...COPIED_TABLES.map((table) => table.name), ...ownOfFile].toSorted(),
  );
});

describe('a copy from SQLite to PostgreSQL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-copy-'));
  const stores: Store[] = [];
  let server: TestPostgres | undefined;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = (location: string): Store => {
    const options = { clock: systemClock, log: silentLogger, exclusive: false, passwordCost: 2, pepper: 'p' };
    const store = createStore({ location, ...options });
    stores.push(store);
    return store;
  };

  /** A store with something in every corner: more holds than a page has rows, an open one, a key, an admin, a crawl. */
  async function filled(name: string): Promise<{ store: Store; secret: string; subscription: string }> {
    const store = open(join(folder, `${name}.db`));
    const workspace = await store.accounts.createWorkspace({ name: "Team's „One“", tier: 'pro' });
    const { subscription } = workspace;
    const { key: secret } = await store.keys.create({
      workspace: workspace.id,
      label: 'main',
      scopes: ['search'],
    });
    const grant = { kind: 'grant', subscription, reference: 'start', amount: 9e12, note: 'first' } as const;
    await store.database.book(grant);
    const ids = Array.from({ length: 1_203 }, (_, index) => `h${String(index).padStart(6, '0')}`);
    await Promise.all(ids.map((id) => store.database.book(holdOf(id, subscription))));
    await Promise.all(ids.slice(1).map((id) => store.database.book(settleOf(id, subscription, 2))));
    await store.database.book(holdOf('doubted', subscription));
    await store.database.book({ kind: 'doubt', id: 'doubted', subscription, reason: 'no answer' });
    await store.database.book(begin('first', subscription));
    await store.database.write([
      {
        sql: `INSERT INTO admins (id, name, password, created, changed, role, factor, factor_step)
              VALUES ('a1', 'root', 'hash', 1, 2, 'viewer', 'SECRET', 7)`,
      },
      { sql: "INSERT INTO recovery_codes VALUES ('a1', 'hash')" },
      { sql: "INSERT INTO workspace_roles VALUES ('a1', ?, 'admin')", values: [workspace.id] },
      { sql: "INSERT INTO audit (at, actor, address, action) VALUES (1, 'root', '::1', 'did')" },
      { sql: "INSERT INTO crawl_sessions VALUES ('c1', ?, '{}', 5)", values: [workspace.id] },
    ]);
    return { store, secret, subscription };
  }

  const begin = (id: string, subscription: string) =>
    ({ kind: 'begin', id, subscription, key: 'k', fingerprint: 'f', ttlMs: 1e6, tiers: {} }) as const;

  const contentOf = async (database: Database): Promise<unknown[]> => {
    const tables: unknown[] = [];
    for (const { name, key } of COPIED_TABLES) {
      const rows = await database.read(`SELECT * FROM ${name} ORDER BY ${key.join(', ')}`);
      const plain = rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([column, value]) => [column, value === null ? null : String(value)]),
        ),
      );
      tables.push([name, plain]);
    }
    return tables;
  };

  test('everything arrives: rows, balances, keys that still open, and numbers that go on', async ({
    skip,
  }) => {
    if (server === undefined) skip('no PostgreSQL');
    const { store, secret, subscription } = await filled('whole');
    const url = (await server?.freshUrl()) ?? '';
    const copied = await store.copyTo(url);
    expect(copied.find((each) => each.table === 'holds')?.rows).toBe(1_204);
    const target = open(url);
    expect(await contentOf(target.database)).toEqual(await contentOf(store.database));
    expect(await target.database.check()).toEqual([]);
    expect((await target.keys.authenticate(secret)).label).toBe('main');

    // The open hold is settled, the key in use is known, and the ledger goes on after its last number.
    const settled = await target.database.book(settleOf('h000000', subscription));
    expect(settled).toMatchObject({ status: 'committed', holds: [{ already: false }] });
    expect(await target.database.book(begin('second', subscription))).toEqual({ status: 'in_progress' });
    expect(await target.doubts.list()).toMatchObject([{ id: 'doubted', reason: 'no answer' }]);
    expect(await target.database.check()).toEqual([]);

    await expect(store.copyTo(url)).rejects.toMatchObject({ code: 'conflict' });
  }, 120_000);

  test('a copy that fails leaves nothing behind and can be made again', async ({ skip }) => {
    if (server === undefined) skip('no PostgreSQL');
    const { store } = await filled('again');
    const url = (await server?.freshUrl()) ?? '';
    await open(url).database.read('SELECT 1');
    const beside = new Client(url);
    await beside.connect();
    // The last table refuses its row, after all others were written.
    await beside.query('ALTER TABLE crawl_sessions ADD CONSTRAINT never CHECK (expires > 10)');
    await expect(store.copyTo(url)).rejects.toMatchObject({ code: 'conflict' });
    const { rows } = await beside.query('SELECT 1 FROM subscriptions');
    expect(rows).toEqual([]);
    await beside.query('ALTER TABLE crawl_sessions DROP CONSTRAINT never');
    await beside.end();
    await store.copyTo(url);
    expect(await open(url).database.check()).toEqual([]);
  }, 120_000);

  test('a store that is written to meanwhile is not copied', async ({ skip }) => {
    if (server === undefined) skip('no PostgreSQL');
    const { store, subscription } = await filled('busy');
    const url = (await server?.freshUrl()) ?? '';
    let count = 0;
    // Somebody books after the first page was read.
    const database: Database = {
      ...store.database,
      read: async (sql, ...values) => {
        const rows = await store.database.read(sql, ...values);
        if (sql.includes('FROM holds') && ++count === 1)
          await store.database.book(holdOf('meanwhile', subscription));
        return rows;
      },
    };
    const { copyStore } = await import('../../src/store/copy/copy-store.ts');
    await expect(copyStore(database, url, { clock: systemClock, log: silentLogger })).rejects.toMatchObject({
      code: 'conflict',
      message: 'The store was written to while it was being copied.',
    });
    expect(count).toBeGreaterThan(0);
  }, 120_000);
});
