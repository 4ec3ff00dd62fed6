// A gateway as a process of its own, for tests that need several or kill them. What it does comes as JSON in its first argument,
// what happened goes to stdout line by line with write(2), so that nothing that was said is lost in a kill.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Clock, systemClock } from '../../../src/core/clock.ts';
import { HeadgateError } from '../../../src/core/errors.ts';
import { silentLogger } from '../../../src/core/log.ts';
import { createMeter } from '../../../src/meter/meter.ts';
import { PRICES } from './world.ts';
import type { Database } from '../../../src/store/database.ts';
import type { LedgerOperation } from '../../../src/store/ledger/types.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { createPostgresPool } from '../../../src/store/postgres/pool.ts';
import { migratePostgres } from '../../../src/store/postgres/migrate.ts';
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts';
import { openSqliteFile } from '../../../src/store/sqlite/driver.ts';
import { migrateSqlite } from '../../../src/store/sqlite/migrate.ts';
import { holdOf, STEPS, settleOf } from './workload.ts';

export interface GatewayTask {
  task: 'load' | 'serve' | 'race' | 'open' | 'hold' | 'migrate';
  location: string;
  exclusive?: boolean;
  workspace?: string;
  subscription?: string;
  callers?: number;
  /** Makes ids of several processes different. */
  name?: string;
  /** The statement at which a migration kills its process. */
  killAt?: number;
}

const task = JSON.parse(process.argv[2] ?? '{}') as GatewayTask;
const isPostgres = task.location.startsWith('postgres');
const clock = systemClock;
/** The pipe is full when the test is slower than we are: then the line waits, for it must not be lost. */
function say(line: string): void {
  for (let rest = Buffer.from(`${line}\n`); rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EAGAIN') throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

const open = (own?: Clock): Database => {
  const options = { clock: own ?? clock, log: silentLogger, deadlineMs: 20_000 };
  return isPostgres
    ? openPostgres({ ...options, url: task.location, ownTime: own !== undefined })
    : openSqlite({ ...options, path: task.location, exclusive: task.exclusive ?? false });
};

/** Reserves and settles for ever. `B`, `H` and `S` with an id: begun, held, settled. */
async function load(database: Database): Promise<void> {
  const subscription = task.subscription ?? '';
  let last = 0;
  const caller = async () => {
    for (;;) {
      const id = `${task.name}-${++last}`;
      say(`B ${id}`);
      await database.book(holdOf(id, subscription, task.workspace));
      say(`H ${id}`);
      await database.book(settleOf(id, subscription, 1, clock.now()));
      say(`S ${id}`);
    }
  };
  await Promise.all(Array.from({ length: task.callers ?? 32 }, caller));
}

/** Books each operation that comes as a line on stdin, at the time that comes with it, until it is answered. */
function serve(): void {
  let now = 0;
  const database = open({ ...clock, now: () => now, monotonic: () => now });
  const book = async (id: number, operation: LedgerOperation): Promise<void> => {
    try {
      say(JSON.stringify({ id, answer: await database.book(operation) }));
    } catch (thrown) {
      if (HeadgateError.from(thrown).code !== 'storage_unavailable') throw thrown;
      await book(id, operation);
    }
  };
  createInterface(process.stdin).on('line', (line) => {
    const { id, at, operation } = JSON.parse(line) as { id: number; at: number; operation: LedgerOperation };
    now = Math.max(now, at);
    void book(id, operation);
  });
}

/** Waits for a line on stdin, then asks for as many holds at once as there are callers. */
async function race(database: Database): Promise<void> {
  const meter = createMeter({ database, clock, log: silentLogger, prices: PRICES });
  await database.read('SELECT 1 AS ready');
  say('ready');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  const request = { workspace: task.workspace, category: 'search', provider: 'tavily', credits: 1 } as const;
  const ends = await Promise.all(
    Array.from({ length: task.callers ?? 100 }, () =>
      meter.hold(request).then(
        () => 'admitted',
        (thrown: unknown) => HeadgateError.from(thrown).code,
      ),
    ),
  );
  say(JSON.stringify(ends));
  await database.close();
  process.exit(0);
}

/** Runs migrations and kills itself at a given statement. */
async function migrate(): Promise<void> {
  let count = 0;
  const tick = () => {
    if (++count === task.killAt) process.kill(process.pid, 'SIGKILL');
  };
  if (isPostgres) {
    const pool = await createPostgresPool(task.location, () => undefined);
    const watched = {
      ...pool,
      use: ((work) =>
        pool.use((connection) =>
          work({
            query: async (query) => {
              tick();
              return connection.query(query);
            },
          }),
        )) as typeof pool.use,
    };
    await migratePostgres(watched, () => 0, STEPS);
    await pool.end();
  } else {
    const file = openSqliteFile(task.location);
    const watched = {
      exec: (sql: string) => {
        tick();
        file.exec(sql);
      },
      prepare: (sql: string) => {
        tick();
        return file.prepare(sql);
      },
      close: () => file.close(),
    };
    migrateSqlite(watched, () => 0, STEPS);
    file.close();
  }
  say('done');
}

switch (task.task) {
  case 'load':
    await load(open());
    break;
  case 'serve':
    serve();
    break;
  case 'race':
    await race(open());
    break;
  case 'migrate':
    await migrate();
    break;
  case 'hold': {
    // One hold per line on stdin, so that a test can change the world in between.
    const database = open();
    say('ready');
    let last = 0;
    const hold = async (): Promise<string> => {
      const operation = holdOf(`${task.name}-${++last}`, task.subscription ?? '');
      return (await database.book(operation)).status;
    };
    process.stdin.on('data', () => {
      hold()
        .catch((thrown: unknown) => HeadgateError.from(thrown).code)
        .then(say, () => undefined);
    });
    break;
  }
  case 'open': {
    const database = open();
    const said = await database.read('SELECT 1 AS ready').then(
      () => 'ready',
      (thrown: unknown) => HeadgateError.from(thrown).explanation,
    );
    say(said);
    setInterval(() => undefined, 60_000);
    break;
  }
}
