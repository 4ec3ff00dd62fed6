import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createTestClock } from '../../src/core/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createMeter } from '../../src/meter/meter.ts';
import { beginUnitOfWork } from '../../src/meter/unit-of-work.ts';
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

const NOW = Date.UTC(2026, 5, 1, 12);
const HOUR = Math.floor(NOW / 3_600_000);
const before = <Step extends { version: number }>(steps: Step[]): Step[] =>
  steps.filter((step) => step.version < 8);

const HOLD = `INSERT INTO holds (id, subscription, workspace, agent, key, category, provider, price, estimate, amount, free, counted,
  hour, state, credits, charged, late, assumed, idempotency, created, expires, resolved)`;
/** Bookings as the version before wrote them: a charge, a call that runs, one that nobody ended, and a key that is kept. */
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

const END = { money: [92_000, 0], providers: ['tavily'], problems: [] };

test('SQLite: bookings of the version before get their place, and money, counts and keys hold', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'headgate.db');
  const file = openSqliteFile(path);
  migrateSqlite(file, () => NOW, before(SQLITE_MIGRATIONS));
  for (const sql of OLD_BOOKINGS) file.exec(sql);
  file.close();
  const database = openSqlite({ path, clock: createTestClock(NOW + 301_000), exclusive: false });
  expect(await useMigrated(database)).toEqual(END);
  rmSync(folder, { recursive: true, force: true });
});

const server = await startPostgres();
afterAll(() => server?.stop());

describe.skipIf(server === undefined)('on a real server', () => {
  test('PostgreSQL: bookings of the version before get their place, and money, counts and keys hold', async () => {
    const url = (await server?.freshUrl()) ?? '';
    const pool = await createPostgresPool(url, () => undefined);
    await migratePostgres(pool, () => NOW, before(POSTGRES_MIGRATIONS));
    await pool.use(async (connection) => {
      for (const text of OLD_BOOKINGS) await connection.query({ text });
    });
    await pool.end();
    const clock = createTestClock(NOW + 301_000);
    const database = openPostgres({ url, clock, log: silentLogger, ownTime: true });
    expect(await useMigrated(database)).toEqual(END);
  });
});
