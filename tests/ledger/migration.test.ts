import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createTestClock } from '../support/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createMeter } from '../../src/meter/meter.ts';
import { beginUnitOfWork } from '../../src/meter/unit-of-work.ts';
import { COPIED_TABLES } from '../../src/store/copy/copied-tables.ts';
import type { Database } from '../../src/store/database.ts';
import { createDoubts } from '../../src/store/doubts.ts';
import { POSTGRES_MIGRATIONS } from '../../src/store/migrations/postgres.ts';
import { SQLITE_MIGRATIONS } from '../../src/store/migrations/sqlite.ts';
import { migratePostgres } from '../../src/store/postgres/migrate.ts';
import { createPostgresPool } from '../../src/store/postgres/pool.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { openSqliteFile } from '../../src/store/sqlite/driver.ts';
import { migrateSqlite } from '../../src/store/sqlite/migrate.ts';
import { openSqlite } from '../../src/store/sqlite/sqlite.ts';
import { PRICES, temporaryFolder } from '../support/ledger/world.ts';
import { startPostgres } from '../support/postgres.ts';
import { sized } from '../support/sized.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const HOUR = Math.floor(NOW / 3_600_000);
const upTo = <Step extends { version: number }>(steps: Step[], version: number): Step[] =>
  steps.filter((step) => step.version <= version);

const HOLD = `INSERT INTO holds (id, subscription, workspace, agent, key, category, provider, price, estimate, amount, free, counted,
  hour, state, credits, charged, late, assumed, idempotency, created, expires, resolved)`;
/** Bookings as the first schema had them: a charge, a call that runs, one that nobody ended, and a key that is kept. */
const OLD_BOOKINGS = [
  `INSERT INTO subscriptions (id, name, tier, balance, reserved, clock, created) VALUES ('s', 'S', 'pro', 92000, 16000, ${NOW}, 1)`,
  "INSERT INTO workspaces (id, name, subscription, created) VALUES ('w', 'W', 's', 1)",
  `INSERT INTO ledger (subscription, kind, amount, balance, reference, at) VALUES ('s', 'grant', 100000, 100000, 'start', 1)`,
  `INSERT INTO ledger (subscription, kind, amount, balance, reference, at) VALUES ('s', 'charge', -8000, 92000, 'paid', 2)`,
  `${HOLD} VALUES ('paid', 's', 'w', NULL, 'key_1', 'search', 'tavily', 8000, 1, 8000, 0, 1, ${HOUR}, 'settled', 1, 8000, 0, 0, NULL, 1, 2, 2)`,
  `${HOLD} VALUES ('runs', 's', 'w', NULL, 'key_1', 'search', 'tavily', 8000, 2, 16000, 0, 1, ${HOUR}, 'open', NULL, 0, 0, 0, NULL, ${NOW - 1_000}, ${NOW + 299_000}, NULL)`,
  `${HOLD} VALUES ('lost', 's', 'w', NULL, 'key_1', 'search', 'tavily', 8000, 1, 8000, 0, 1, ${HOUR}, 'expired', NULL, 0, 0, 0, NULL, 1, 2, 3)`,
  `${HOLD} VALUES ('call', 's', 'w', NULL, 'key_1', 'search', 'headgate-call', 0, 0, 0, 1, 0, ${HOUR}, 'settled', 0, 0, 0, 0, 'k', 1, 2, 2)`,
  `INSERT INTO request_buckets VALUES ('s', 'search', ${HOUR}, 2, 3)`,
  `INSERT INTO idempotency VALUES ('s', 'k', 'f', 'call', 1, '{"kept":true}', ${NOW + 1_000_000})`,
];

/** Uses migrated books, and says what they hold at the end. */
async function useMigrated(database: Database): Promise<unknown> {
  const clock = createTestClock(NOW);
  expect(await database.check()).toEqual([]);
  const meter = createMeter({ database, clock, log: silentLogger, prices: PRICES });
  // A retry of before gets its answer, and nobody else does.
  const keyed = (key: string) =>
    beginUnitOfWork(meter, { caller: { workspace: 'w', key }, idempotencyKey: 'k', fingerprint: 'f' });
  expect(await keyed('key_1')).toMatchObject({ replay: '{"kept":true}', receipt: { balanceAfter: 92_000 } });
  expect('unit' in (await keyed('key_2'))).toBe(true);
  // What ran is in doubt when nobody ends it, as what nobody ended before is; and it can still be booked once, late.
  clock.advance(301_000);
  await meter.sweep();
  const doubts = await createDoubts(database).list();
  expect(doubts.map((doubt) => doubt.id).toSorted()).toEqual(['lost', 'runs']);
  const [account] = await database.read("SELECT balance, reserved FROM subscriptions WHERE id = 's'");
  const providers = await database.read('SELECT DISTINCT provider FROM holds');
  const problems = await database.check();
  await database.close();
  const money = [Number(account?.balance), Number(account?.reserved)];
  return { money, providers: providers.map((row) => row.provider), problems };
}

/** Columns that take only certain values. */
const SPECIAL: Record<string, string | number> = {
  // A record of no hold keeps its key.
  hold: 'none',
  state: 'settled',
  verdict: 'billed',
  settings: '{}',
  scopes: 'search',
  amount: 0,
  balance: 0,
  charged: 0,
  reserved: 0,
  provider: 'tavily',
  'budgets.used': '[[[1,2,3]],4,[1,0,0]]',
};

/** What was used of a budget is on its account now. */
const isMoved = (table: string, column: unknown): boolean => table === 'budgets' && column === 'used';

/**
 * One row for every table that a version of the schema has, and what to read to find it again. Both databases take the same statements: a
 * row has every column that both have but numbers that the database gives.
 */
function rowsOfVersion(version: number): { insert: string; select: string }[] {
  const file = openSqliteFile(':memory:');
  migrateSqlite(file, () => NOW, upTo(SQLITE_MIGRATIONS, version));
  return COPIED_TABLES.flatMap(({ name, isNumbered, key }) => {
    const all = file.prepare(`PRAGMA table_info(${name})`).all();
    const columns = all.filter((column) => !(isNumbered === true && column.name === key[0]));
    if (columns.length === 0) return [];
    const names = columns.map((column) => String(column.name)).join(', ');
    const values = columns.map((column) => {
      const own = SPECIAL[`${name}.${String(column.name)}`];
      const value = own ?? SPECIAL[String(column.name)] ?? (column.type === 'INTEGER' ? 1 : `old`);
      return typeof value === 'number' ? value : `'${value}'`;
    });
    return [
      {
        insert: `INSERT INTO ${name} (${names}) VALUES (${values.join(', ')})`,
        select: `SELECT ${columns.flatMap((column) => (isMoved(name, column.name) ? [] : [column.name])).join(', ')} FROM ${name}`,
      },
    ];
  });
}

const versions = SQLITE_MIGRATIONS.map((step) => step.version);

/** The first, the last, and as many between them as the size has. */
function someVersions(count: number): number[] {
  const each = Math.max(1, Math.ceil((versions.length - 1) / (count - 1)));
  const chosen = versions.filter((_, index) => index % each === 0 || index === versions.length - 2);
  expect(chosen[0]).toBe(1);
  return chosen;
}

test('SQLite: from every schema there was, each row of every table is still there', () => {
  const count = sized('schemas from which SQLite is migrated', { small: 5, large: 99, full: 99 });
  for (const version of someVersions(count)) {
    const file = openSqliteFile(':memory:');
    file.exec('PRAGMA foreign_keys = ON');
    migrateSqlite(file, () => NOW, upTo(SQLITE_MIGRATIONS, version));
    const rows = rowsOfVersion(version);
    expect(rows.length).toBeGreaterThan(7);
    for (const { insert } of rows) file.exec(insert);
    const before = rows.map(({ select }) => file.prepare(select).all());
    migrateSqlite(file, () => NOW);
    expect(rows.map(({ select }) => file.prepare(select).all())).toEqual(before);
    expect(file.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
    const isUsed = rows.some(({ insert }) => insert.includes('[[[1,2,3]]'));
    const used = file.prepare('SELECT budget_use FROM subscriptions').value();
    expect(used === '{"old":[[[1,2,3]],4,[1,0,0]]}').toBe(isUsed);
    expect(file.prepare('SELECT max(version) AS v FROM schema_migrations').value()).toBe(versions.at(-1));
  }
});

const END = { money: [92_000, 0], providers: ['tavily'], problems: [] };

test('SQLite: bookings of the first schema get their place, and money, counts and keys hold', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'headgate.db');
  const file = openSqliteFile(path);
  migrateSqlite(file, () => NOW, upTo(SQLITE_MIGRATIONS, 1));
  for (const sql of OLD_BOOKINGS) file.exec(sql);
  file.close();
  const database = openSqlite({ path, clock: createTestClock(NOW + 301_000), exclusive: false });
  expect(await useMigrated(database)).toEqual(END);
  rmSync(folder, { recursive: true, force: true });
});

const server = await startPostgres();
afterAll(() => server?.stop());

describe.skipIf(server === undefined)('on a real server', () => {
  test('PostgreSQL: bookings of the first schema get their place, and money, counts and keys hold', async () => {
    const url = (await server?.freshUrl()) ?? '';
    const pool = await createPostgresPool(url, () => undefined);
    await migratePostgres(pool, () => NOW, upTo(POSTGRES_MIGRATIONS, 1));
    await pool.use(async (connection) => {
      for (const text of OLD_BOOKINGS) await connection.query({ text });
    });
    await pool.end();
    const clock = createTestClock(NOW + 301_000);
    const database = openPostgres({ url, clock, log: silentLogger, ownTime: true });
    expect(await useMigrated(database)).toEqual(END);
  });

  test('PostgreSQL: a database that is up to date is asked twice, however many steps there are', async () => {
    const pool = await createPostgresPool((await server?.migratedUrl()) ?? '', () => undefined);
    const asked: string[] = [];
    const counting: typeof pool = {
      ...pool,
      use: (work) =>
        pool.use((connection) => {
          const query: typeof connection.query = (one) => {
            asked.push(one.text);
            return connection.query(one);
          };
          return work({ ...connection, query });
        }),
    };
    await migratePostgres(counting, () => NOW);
    expect(asked).toHaveLength(2);
    await pool.end();
  });

  const steps = sized('schemas from which PostgreSQL is migrated', { small: 2, large: 6, full: 99 });
  test('PostgreSQL: from every schema there was, each row of every table is still there', async () => {
    for (const version of someVersions(steps)) {
      const url = (await server?.freshUrl()) ?? '';
      const pool = await createPostgresPool(url, () => undefined);
      await migratePostgres(pool, () => NOW, upTo(POSTGRES_MIGRATIONS, version));
      await pool.use(async (connection) => {
        const rows = rowsOfVersion(version);
        const read = async () => {
          const found: unknown[] = [];
          for (const { select } of rows) found.push((await connection.query({ text: select })).rows);
          return found;
        };
        for (const { insert } of rows) await connection.query({ text: insert });
        const before = await read();
        await migratePostgres(pool, () => NOW);
        expect(await read()).toEqual(before);
      });
      await pool.end();
    }
  });
});
