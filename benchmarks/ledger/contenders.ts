import { join } from 'node:path';
import { Pool } from 'pg';
import { systemClock } from '../../src/core/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import type { Database } from '../../src/store/database.ts';
import { BUDGET_LEVELS } from '../../src/store/ledger/budget.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { openSqlite } from '../../src/store/sqlite/sqlite.ts';
import { openSqliteFile } from '../../src/store/sqlite/driver.ts';
import { holdOf, settleOf } from '../../tests/support/ledger/workload.ts';

/** Something that reserves and settles durably. */
export interface Contender {
  name: string;
  newId(): string;
  reserve(id: string, account: string): Promise<unknown>;
  settle(id: string, account: string): Promise<unknown>;
  close(): Promise<void>;
}

const ACCOUNTS = Array.from({ length: 64 }, (_, index) => `account-${index}`);
const CREDIT = 8_000;
const BALANCE = 1_000_000_000_000_000;

let last = 0;
/** Ids grow with time, as the product's do. */
const newId = (): string => `h${String(++last).padStart(12, '0')}`;

export async function sqliteContenders(folder: string): Promise<Contender[]> {
  return [
    await ours(
      'SQLite, group commit',
      openSqlite({ path: join(folder, 'ours.db'), clock: systemClock, exclusive: true, deadlineMs: 60_000 }),
    ),
    naiveSqlite(join(folder, 'naive.db')),
  ];
}

export async function postgresContenders(url: string): Promise<Contender[]> {
  const database = openPostgres({ url, clock: systemClock, log: silentLogger, deadlineMs: 60_000 });
  const batched = await ours('PostgreSQL, batched', database);
  const pool = new Pool({ connectionString: url, max: 16 });
  await pool.query(NAIVE_TABLES);
  await pool.query(NAIVE_FUNCTIONS);
  for (const account of ACCOUNTS)
    await pool.query('INSERT INTO n_accounts VALUES ($1, $2, 0)', [account, BALANCE]);
  const query = { name: 'reserve', text: 'SELECT n_reserve($1, $2, $3, $4)' };
  return [
    batched,
    {
      name: 'PostgreSQL, function per call',
      newId,
      reserve: (id, account) => pool.query({ ...query, values: [id, account, hour(), CREDIT] }),
      settle: (id) => pool.query({ name: 'settle', text: 'SELECT n_settle($1, $2)', values: [id, CREDIT] }),
      close: async () => undefined,
    },
    {
      name: 'PostgreSQL, BEGIN … COMMIT',
      newId,
      reserve: (id, account) => statements(pool, RESERVE(id, account, '$')),
      settle: (id, account) => statements(pool, SETTLE(id, account, '$')),
      close: () => pool.end(),
    },
  ];
}

/** The same database with and without budgets, which are all far from their amounts. */
export async function budgetContenders(store: string, database: Database): Promise<Contender[]> {
  const plain = await ours(`${store}, no budgets`, database);
  const contenders = [];
  for (const count of [2, 4]) {
    const prefix = `budgets-${count}-`;
    for (const account of ACCOUNTS) {
      await addAccount(database, `${prefix}${account}`);
      for (const [index, level] of BUDGET_LEVELS.slice(0, count).entries())
        await database.write([
          {
            sql: `INSERT INTO budgets (id, subscription, workspace, level, subject, unit, period, amount, zone, hard, created)
                  VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'UTC', 1, 0)`,
            values: [
              `${prefix}${account}-${level}`,
              `${prefix}${account}`,
              `${prefix}${account}`,
              level,
              level === 'workspace' ? `${prefix}${account}` : level,
              index % 2 === 0 ? 'credits' : 'money',
              index < 2 ? 'day' : '168h',
              BALANCE,
            ],
          },
        ]);
    }
    contenders.push({
      name: `${store}, ${count} budgets`,
      newId,
      reserve: (id: string, account: string) => {
        const owner = `${prefix}${account}`;
        const who = { workspace: owner, agent: 'agent', key: 'key', person: 'person' };
        return database.book({ ...holdOf(id, owner), ...who });
      },
      settle: (id: string, account: string) => database.book(settleOf(id, `${prefix}${account}`)),
      close: async () => undefined,
    });
  }
  return [...contenders, plain];
}

async function ours(name: string, database: Database): Promise<Contender> {
  for (const account of ACCOUNTS) await addAccount(database, account);
  return contenderOf(name, database);
}

async function addAccount(database: Database, account: string): Promise<void> {
  const sql = 'INSERT INTO subscriptions (id, name, tier, balance, created) VALUES (?, ?, ?, 0, 0)';
  await database.write([{ sql, values: [account, account, 'pro'] }]);
  await database.book({
    kind: 'grant',
    subscription: account,
    reference: 'start',
    amount: BALANCE,
    note: null,
  });
}

/** One of our databases as a contender; it has the accounts already. */
export function contenderOf(name: string, database: Database): Contender {
  return {
    name,
    newId,
    reserve: (id, account) => database.book(holdOf(id, account)),
    settle: (id, account) => database.book(settleOf(id, account)),
    close: async () => {
      const problems = await database.check();
      if (problems.length > 0) throw new Error(problems[0]);
      await database.close();
    },
  };
}

type Text = [sql: string, ...values: (string | number)[]];
const hour = (): number => Math.floor(Date.now() / 3_600_000);

/** The same work in plain statements: check the window and the balance, write the hold, count, reserve. */
const RESERVE = (id: string, account: string, mark: '$' | '?'): Text[] =>
  [
    [`SELECT balance, reserved FROM n_accounts WHERE id = ?${mark === '$' ? ' FOR UPDATE' : ''}`, account],
    ['SELECT id FROM n_holds WHERE id = ?', id],
    [
      'SELECT coalesce(sum(count), 0) AS used FROM n_buckets WHERE account = ? AND hour > ?',
      account,
      hour() - 25,
    ],
    ["INSERT INTO n_holds VALUES (?, ?, ?, ?, 'open')", id, account, hour(), CREDIT],
    [
      'INSERT INTO n_buckets VALUES (?, ?, 1) ON CONFLICT (account, hour) DO UPDATE SET count = n_buckets.count + 1',
      account,
      hour(),
    ],
    ['UPDATE n_accounts SET reserved = reserved + ? WHERE id = ?', CREDIT, account],
  ].map((text) => (mark === '$' ? numbered(text as Text) : (text as Text)));

const SETTLE = (id: string, account: string, mark: '$' | '?'): Text[] =>
  [
    [`SELECT amount FROM n_holds WHERE id = ? AND state = 'open'${mark === '$' ? ' FOR UPDATE' : ''}`, id],
    ["UPDATE n_holds SET state = 'settled' WHERE id = ?", id],
    [
      'UPDATE n_accounts SET reserved = reserved - ?, balance = balance - ? WHERE id = ?',
      CREDIT,
      CREDIT,
      account,
    ],
    ['INSERT INTO n_ledger (account, hold, amount) VALUES (?, ?, ?)', account, id, -CREDIT],
  ].map((text) => (mark === '$' ? numbered(text as Text) : (text as Text)));

function numbered([sql, ...values]: Text): Text {
  let count = 0;
  return [sql.replace(/\?/g, () => `$${++count}`), ...values];
}

async function statements(pool: Pool, texts: Text[]): Promise<void> {
  const client = await pool.connect();
  await client.query('BEGIN');
  for (const [sql, ...values] of texts) await client.query({ name: sql.slice(0, 60), text: sql, values });
  await client.query('COMMIT');
  client.release();
}

/** One transaction, and so one fsync, per call, on the caller's thread: what most programs do with SQLite. */
function naiveSqlite(path: string): Contender {
  const file = openSqliteFile(path);
  file.prepare('PRAGMA journal_mode = WAL').all();
  file.exec('PRAGMA synchronous = FULL');
  file.exec(NAIVE_TABLES.replaceAll('BIGSERIAL PRIMARY KEY', 'INTEGER PRIMARY KEY AUTOINCREMENT'));
  const insert = file.prepare('INSERT INTO n_accounts VALUES (?, ?, 0)');
  for (const account of ACCOUNTS) insert.run(account, BALANCE);
  const prepared = new Map<string, ReturnType<typeof file.prepare>>();
  const run = async (texts: Text[]) => {
    // Callers take turns as requests on a server do.
    await new Promise((resolve) => setImmediate(resolve));
    file.exec('BEGIN IMMEDIATE');
    for (const [sql, ...values] of texts) {
      const statement = prepared.get(sql) ?? file.prepare(sql);
      prepared.set(sql, statement);
      statement.all(...values);
    }
    file.exec('COMMIT');
  };
  return {
    name: 'SQLite, fsync per call',
    newId,
    reserve: (id, account) => run(RESERVE(id, account, '?')),
    settle: (id, account) => run(SETTLE(id, account, '?')),
    close: async () => file.close(),
  };
}

const NAIVE_TABLES = `
CREATE TABLE n_accounts (id TEXT PRIMARY KEY, balance BIGINT NOT NULL, reserved BIGINT NOT NULL);
CREATE TABLE n_holds (id TEXT PRIMARY KEY, account TEXT NOT NULL, hour BIGINT NOT NULL, amount BIGINT NOT NULL, state TEXT NOT NULL);
CREATE TABLE n_buckets (account TEXT NOT NULL, hour BIGINT NOT NULL, count BIGINT NOT NULL, PRIMARY KEY (account, hour));
CREATE TABLE n_ledger (seq BIGSERIAL PRIMARY KEY, account TEXT NOT NULL, hold TEXT NOT NULL, amount BIGINT NOT NULL);
`;

/** One round trip per operation, with sane plans: the strongest baseline without batching. */
const NAIVE_FUNCTIONS = `
CREATE FUNCTION n_reserve(hold text, owner text, at bigint, cost bigint) RETURNS text LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE a n_accounts; used bigint;
BEGIN
  SELECT * INTO a FROM n_accounts WHERE id = owner FOR UPDATE;
  IF EXISTS (SELECT 1 FROM n_holds WHERE id = hold) THEN RETURN 'held'; END IF;
  SELECT coalesce(sum(count), 0) INTO used FROM n_buckets WHERE account = owner AND hour > at - 25;
  IF a.balance - a.reserved < cost THEN RETURN 'insufficient'; END IF;
  INSERT INTO n_holds VALUES (hold, owner, at, cost, 'open');
  INSERT INTO n_buckets VALUES (owner, at, 1) ON CONFLICT (account, hour) DO UPDATE SET count = n_buckets.count + 1;
  UPDATE n_accounts SET reserved = reserved + cost WHERE id = owner;
  RETURN 'held';
END $$;
CREATE FUNCTION n_settle(hold text, actual bigint) RETURNS text LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE h n_holds;
BEGIN
  SELECT * INTO h FROM n_holds WHERE id = hold AND state = 'open' FOR UPDATE;
  IF NOT FOUND THEN RETURN 'already'; END IF;
  UPDATE n_holds SET state = 'settled' WHERE id = hold;
  UPDATE n_accounts SET reserved = reserved - h.amount, balance = balance - actual WHERE id = h.account;
  INSERT INTO n_ledger (account, hold, amount) VALUES (h.account, hold, -actual);
  RETURN 'settled';
END $$;
`;
