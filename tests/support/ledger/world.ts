import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../src/core/clock.ts';
import { createTestClock } from '../clock.ts';
import { HeadgateError } from '../../../src/core/errors.ts';
import { silentLogger } from '../../../src/core/log.ts';
import { CREDIT_MILLIONTHS } from '../../../src/core/money.ts';
import type { HoldRequest } from '../../../src/meter/books.ts';
import { createMeter, type Meter, type MeterOptions } from '../../../src/meter/meter.ts';
import { type Accounts, createAccounts } from '../../../src/store/accounts.ts';
import type { Database } from '../../../src/store/database.ts';
import { placeDatabase } from '../migrated.ts';
import { storeThread } from '../store-thread.ts';
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts';
import type { OpenChannel } from '../../../src/store/sqlite/thread.ts';

/** What a credit costs in the tests. */
export const PRICES = { tavily: CREDIT_MILLIONTHS };

/** A way to get a fresh, empty database of one kind. */
export interface Engine {
  name: string;
  fresh(clock: Clock): Promise<{ database: Database; again(): Database; dispose(): Promise<void> }>;
}

export const sqliteEngine: Engine = {
  name: 'SQLite',
  fresh: async (clock) => {
    const folder = temporaryFolder();
    const path = join(folder, 'headgate.db');
    placeDatabase(path);
    const opened: Database[] = [];
    const open = (thread: { connect?: OpenChannel }) => {
      const database = openSqlite({ path, clock, exclusive: false, deadlineMs: 30_000, ...thread });
      opened.push(database);
      return database;
    };
    const { connectStore: connect } = storeThread;
    return {
      database: open(connect === undefined ? {} : { connect }),
      // In a thread of its own, so that it really comes between.
      again: () => open({}),
      dispose: async () => {
        await Promise.all(opened.map((database) => database.close()));
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'headgate-ledger-'));

export interface World {
  clock: ReturnType<typeof createTestClock>;
  database: Database;
  /** A second handle on the same database, as another gateway would have. */
  again(): Database;
  meter: Meter;
  accounts: Accounts;
  /** A workspace of its own subscription, with credits. */
  workspace(tier: string, balance?: number): Promise<{ id: string; subscription: string }>;
  dispose(): Promise<void>;
}

/** A database, a meter on it and a clock that the test moves. */
export async function createWorld(engine: Engine, options: Partial<MeterOptions> = {}): Promise<World> {
  const clock = createTestClock();
  const fresh = await engine.fresh(clock);
  const { database } = fresh;
  const accounts = createAccounts(database, clock);
  return {
    clock,
    database,
    again: () => fresh.again(),
    accounts,
    meter: createMeter({ database, clock, log: silentLogger, prices: PRICES, ...options }),
    workspace: async (tier, balance = 0) => {
      const { id, subscription } = await accounts.createWorkspace({ name: 'Acme', tier });
      if (balance !== 0) await accounts.topUp({ subscription, amount: balance });
      return { id, subscription };
    },
    dispose: () => fresh.dispose(),
  };
}

/** A basic Tavily search by a workspace. */
export const search = (workspace: string, more: Partial<HoldRequest> = {}): HoldRequest => ({
  workspace,
  category: 'search',
  provider: 'tavily',
  credits: 1,
  ...more,
});

/** The code of the error that a promise ends with, or `fulfilled`. */
export const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'fulfilled',
    (thrown: unknown) => HeadgateError.from(thrown).code,
  );
