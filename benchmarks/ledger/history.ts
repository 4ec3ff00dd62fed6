// What a long history does to a reserve (F26): the same load on a ledger of 10,000 calls and on one of N.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { systemClock } from '../../src/core/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import type { Database } from '../../src/store/database.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { createReports } from '../../src/store/reports.ts';
import { openSqlite } from '../../src/store/sqlite/sqlite.ts';
import { migrateSqlite } from '../../src/store/sqlite/migrate.ts';
import { openSqliteFile } from '../../src/store/sqlite/driver.ts';
import { contenderOf, type Contender } from './contenders.ts';

const ACCOUNTS = 64;
const CREDIT = 8_000;
const BALANCE = 1_000_000_000_000_000;
const CHUNK = 500_000;

/** A ledger with a history, and what it cost to make. */
export interface History {
  contender: Contender;
  buildSeconds: number;
  bytes: number;
  /** How long the usage of the last day takes, by workspace and provider. */
  usageMs(): Promise<number>;
  /** Closes without the check of the whole ledger, which reads all of it. */
  close(): Promise<void>;
}

/** A SQLite ledger with a history; a file that is there already is taken as it is. */
export function sqliteWithHistory(folder: string, rows: number): History {
  const path = join(folder, `history-${rows}.db`);
  const from = performance.now();
  if (!existsSync(path)) {
    const file = openSqliteFile(path);
    file.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -1048576');
    migrateSqlite(file, () => 0);
    file.exec(INDEXES.map((index) => `DROP INDEX ${index.name};`).join(''));
    for (const sql of historyOf(rows)) file.exec(sql);
    for (const index of INDEXES) file.exec(index.sql);
    file.exec('PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)');
    file.close();
  }
  const buildSeconds = Math.round((performance.now() - from) / 1_000);
  const database = openSqlite({ path, clock: systemClock, exclusive: true, deadlineMs: 60_000 });
  const contender = contenderOf(`SQLite, ${rows.toLocaleString('en')} calls before`, database);
  return historyWith(contender, database, buildSeconds, statSync(path).size);
}

/** Indexes are made after the rows: sorting once is several times cheaper than a look-up per row. */
const INDEXES = [
  { name: 'holds_of_hour', sql: 'CREATE INDEX holds_of_hour ON holds(hour)' },
  {
    name: 'ledger_references',
    sql: 'CREATE UNIQUE INDEX ledger_references ON ledger(reference, subscription)',
  },
  { name: 'ledger_of_subscription', sql: 'CREATE INDEX ledger_of_subscription ON ledger(subscription, seq)' },
];

/** A PostgreSQL ledger with a history. */
export async function postgresWithHistory(url: string, rows: number): Promise<History> {
  const database = openPostgres({ url, clock: systemClock, log: silentLogger, deadlineMs: 60_000 });
  await database.read('SELECT 1');
  const from = performance.now();
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("SET statement_timeout = 0; SET synchronous_commit = off; SET work_mem = '256MB'");
  await client.query("SET maintenance_work_mem = '512MB'");
  for (const index of INDEXES) await client.query(`DROP INDEX ${index.name}`);
  for (const sql of historyOf(rows)) await client.query(sql);
  for (const index of INDEXES) await client.query(index.sql);
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
  const { rows: sizes } = await client.query('SELECT pg_database_size(current_database()) AS bytes');
  await client.end();
  const buildSeconds = Math.round((performance.now() - from) / 1_000);
  const contender = contenderOf(`PostgreSQL, ${rows.toLocaleString('en')} calls before`, database);
  return historyWith(contender, database, buildSeconds, Number((sizes[0] as { bytes: string }).bytes));
}

function historyWith(contender: Contender, database: Database, buildSeconds: number, bytes: number): History {
  const reports = createReports(database);
  const usageMs = async (): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const from = performance.now();
      const now = Date.now();
      await reports.usage({ from: now - 24 * 3_600_000, to: now }, ['workspace', 'provider']);
      times.push(performance.now() - from);
    }
    return Number((times.toSorted((a, b) => a - b)[2] ?? 0).toFixed(1));
  };
  return { contender, buildSeconds, bytes, usageMs, close: () => database.close() };
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
