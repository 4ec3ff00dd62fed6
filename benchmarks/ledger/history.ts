// What a long history does to a reserve (F26): the same load on a ledger of 10,000 calls and on one of N.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { systemClock } from '../../src/core/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { migrateSqlite } from '../../src/store/sqlite-migrate.ts';
import { openSqliteFile } from '../../src/store/sqlite-library.ts';
import { contenderOf, type Contender } from './contenders.ts';

const ACCOUNTS = 64;
const CREDIT = 8_000;
const BALANCE = 1_000_000_000_000_000;
const CHUNK = 500_000;

/** A SQLite ledger with a history; a file that is there already is taken as it is. */
export function sqliteWithHistory(folder: string, rows: number): Contender {
  const path = join(folder, `history-${rows}.db`);
  if (!existsSync(path)) {
    const file = openSqliteFile(path);
    file.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -262144');
    migrateSqlite(file, () => 0);
    for (const sql of historyOf(rows)) file.exec(sql);
    file.exec('PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)');
    file.close();
  }
  const database = openSqlite({ path, clock: systemClock, exclusive: true, deadlineMs: 60_000 });
  return contenderOf(`SQLite, ${rows.toLocaleString('en')} calls before`, database);
}

/** A PostgreSQL ledger with a history. */
export async function postgresWithHistory(url: string, rows: number): Promise<Contender> {
  const database = openPostgres({ url, clock: systemClock, log: silentLogger, deadlineMs: 60_000 });
  await database.read('SELECT 1');
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("SET statement_timeout = 0; SET synchronous_commit = off; SET work_mem = '256MB'");
  for (const sql of historyOf(rows)) await client.query(sql);
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
  await client.end();
  return contenderOf(`PostgreSQL, ${rows.toLocaleString('en')} calls before`, database);
}

/**
 * Settled and charged calls of the past year in SQL that both databases understand: one hold and one ledger row each, with the
 * running balance that the check of the ledger wants to see.
 */
function historyOf(atLeast: number): string[] {
  const hour = Math.floor(Date.now() / 3_600_000);
  const perAccount = Math.ceil(atLeast / ACCOUNTS);
  const rows = perAccount * ACCOUNTS;
  const numbers = (from: number, to: number): string =>
    `WITH RECURSIVE n(i) AS (SELECT CAST(${from} AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ${to})`;
  const accounts = numbers(0, ACCOUNTS - 1);
  const chunks = Array.from({ length: Math.ceil(rows / CHUNK) }, (_, index) =>
    numbers(index * CHUNK, Math.min(rows, (index + 1) * CHUNK) - 1),
  );
  // The oldest is a year old, the newest two days: no bucket of the window is touched.
  const at = `(${hour - 8_760} + i * 8712 / ${rows})`;
  return [
    `INSERT INTO subscriptions (id, name, tier, balance, created) ${accounts}
     SELECT 'account-' || i, 'account-' || i, 'pro', ${BALANCE} - ${CREDIT} * CAST(${perAccount} AS BIGINT), 0 FROM n`,
    `INSERT INTO ledger (subscription, kind, amount, balance, reference, at) ${accounts}
     SELECT 'account-' || i, 'grant', ${BALANCE}, ${BALANCE}, 'start', 0 FROM n`,
    ...chunks.flatMap((numbered) => [
      `INSERT INTO holds (id, subscription, category, provider, price, estimate, amount, free, counted, hour, state, credits,
         charged, late, assumed, created, expires, resolved) ${numbered}
       SELECT 'g' || (1000000000000 + i), 'account-' || (i % ${ACCOUNTS}), 'search', 'tavily', ${CREDIT}, 1, ${CREDIT}, 0, 1,
         ${at}, 'settled', 1, ${CREDIT}, 0, 0, ${at} * 3600000, ${at} * 3600000 + 300000, ${at} * 3600000 + 900 FROM n`,
      `INSERT INTO ledger (subscription, kind, amount, balance, reference, provider, category, at) ${numbered}
       SELECT 'account-' || (i % ${ACCOUNTS}), 'charge', -${CREDIT},
         ${BALANCE} - ${CREDIT} * (i / ${ACCOUNTS} + 1), 'g' || (1000000000000 + i), 'tavily', 'search', ${at} * 3600000 FROM n`,
    ]),
  ];
}
