import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { statSync, truncateSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { HeadgateError } from '../../src/core/errors.ts';
import { LIMITS } from '../../src/core/limits.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createMeter } from '../../src/meter/meter.ts';
import { createAccounts } from '../../src/store/accounts.ts';
import type { Database } from '../../src/store/database.ts';
import { openSqlite } from '../../src/store/sqlite/sqlite.ts';
import { openSqliteFile } from '../../src/store/sqlite/driver.ts';
import { createSqliteLedger } from '../../src/store/sqlite/ledger.ts';
import { migrateSqlite } from '../../src/store/sqlite/migrate.ts';
import { killWhileSpending } from '../support/gateway/spend-kills.ts';
import { expectNothingLost, listen, nothingSaid } from '../support/ledger/crash.ts';
import { buildGateway, type GatewayProcess } from '../support/ledger/processes.ts';
import { codeOf, PRICES, temporaryFolder } from '../support/ledger/world.ts';
import { holdOf, STEPS } from '../support/ledger/workload.ts';
import { sized, testSize } from '../support/sized.ts';

const SPENDING_KILLS = sized('kills of a spending gateway on SQLite', { small: 1, large: 20, full: 200 });
const CALLERS = sized('callers of each of two processes on one file', { small: 100, large: 500, full: 500 });
const ASKING_KILLS = sized('kills of a gateway while it asks', { small: 1, large: 3, full: 3 });
const KILLS = sized('kills on SQLite', { small: 2, large: 50, full: 200 });

describe('SQLite and what can happen to it', () => {
  let gateways: Awaited<ReturnType<typeof buildGateway>>;
  const folders: string[] = [];
  const opened: Database[] = [];
  const started: GatewayProcess[] = [];
  beforeAll(async () => {
    gateways = await buildGateway();
  });
  afterAll(async () => {
    await Promise.all(started.map((gateway) => gateway.kill()));
    await Promise.all(opened.map((database) => database.close()));
    gateways.dispose();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  const newPath = () => {
    const folder = temporaryFolder();
    folders.push(folder);
    return join(folder, 'headgate.db');
  };
  const open = (path: string, exclusive = false, clock: Clock = systemClock) => {
    const database = openSqlite({ path, clock, exclusive, deadlineMs: 20_000 });
    opened.push(database);
    return database;
  };
  const start = (...args: Parameters<typeof gateways.start>) => {
    const gateway = gateways.start(...args);
    started.push(gateway);
    return gateway;
  };
  /** A database with one rich subscription, closed again. */
  const prepared = async () => {
    const path = newPath();
    const database = open(path);
    const accounts = createAccounts(database, systemClock);
    const { id, subscription } = await accounts.createWorkspace({ name: 'Acme', tier: 'pro' });
    await accounts.topUp({ subscription, amount: 8_000_000_000 });
    return { path, database, workspace: id, subscription, accounts };
  };
  const messageOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'fulfilled',
      (thrown: unknown) => HeadgateError.from(thrown).explanation,
    );

  test(`F1, L7: ${KILLS} times kill -9 under 32 callers: nothing acknowledged is lost, what is in doubt happens once`, async () => {
    const { path, database, subscription } = await prepared();
    const said = nothingSaid();
    for (let round = 0; round < KILLS; round += 1) {
      const gateway = start({
        task: 'load',
        location: path,
        subscription,
        name: `r${round}`,
        exclusive: true,
      });
      await gateway.line((line) => line.startsWith(round % 2 === 0 ? 'S' : 'H'));
      const enough = 20 + 37 * (round % 5);
      await gateway.line(() => gateway.lines.length > enough);
      await gateway.kill();
      listen(said, gateway);
      if (round % 5 === 4 || round === KILLS - 1) await expectNothingLost(database, subscription, said);
    }
    expect(said.settled.size).toBeGreaterThan(KILLS * 10);
  }, 600_000);

  test(
    `F1, F4: ${SPENDING_KILLS} times kill -9 of a gateway that spends: what the provider was asked is charged, released or in doubt`,
    async () => {
      const path = newPath();
      const move = (from: string, to: string) => {
        for (const end of ['', '-wal', '-shm', '.mark'])
          if (existsSync(from + end)) renameSync(from + end, to + end);
      };
      const found = await killWhileSpending({
        kills: SPENDING_KILLS,
        env: { HEADGATE_HOME: join(path, '..') },
        database: open(path),
        loseStore: async () => {
          move(path, `${path}.away`);
          return async () => move(`${path}.away`, path);
        },
      });
      expect(found).toMatchObject({ violations: [] });
      const seen = [found.keyed.answered, ...found.counted.map(({ asked }) => asked)];
      expect(testSize() === 'small' ? Math.max(...seen) : Math.min(...seen)).toBeGreaterThan(0);
      if (testSize() === 'full') process.stderr.write(`${JSON.stringify(found)}\n`);
    },
    120_000 + SPENDING_KILLS * 20_000,
  );

  test('F1, F4: a gateway killed while it asked leaves nothing, or a request in doubt', async () => {
    const { path, database, subscription, accounts } = await prepared();
    const said = nothingSaid();
    for (let round = 0; round < ASKING_KILLS; round += 1) {
      const gateway = start({ task: 'load', location: path, subscription, name: `d${round}`, callers: 8 });
      await gateway.line(() => gateway.lines.length > 100 + round);
      await gateway.line(() => gateway.lines.at(-1)?.startsWith('H') === true);
      await gateway.kill();
      listen(said, gateway);
    }
    const unheard = [...said.begun].filter((id) => !said.settled.has(id));
    expect(unheard.length).toBeGreaterThan(0);
    const later = { ...systemClock, now: () => Date.now() + LIMITS.holdTtlMs };
    const meter = createMeter({
      database: open(path, false, later),
      clock: later,
      log: silentLogger,
      prices: PRICES,
    });
    await meter.sweep();
    const rows = await database.read('SELECT id, state FROM holds WHERE subscription = ?', subscription);
    const states = new Map(rows.map((row) => [String(row.id), String(row.state)]));
    for (const id of unheard) expect([undefined, 'doubt', 'settled']).toContain(states.get(id));
    for (const id of said.settled) expect(states.get(id)).toBe('settled');
    expect((await accounts.subscription(subscription)).reserved).toBe(0);
    expect(await database.check()).toEqual([]);
  }, 120_000);

  test(`L2, F9: two processes with ${CALLERS} callers each on one file, credit for 7: exactly 7 pass`, async () => {
    const { path, database, workspace, subscription, accounts } = await prepared();
    await accounts.topUp({ subscription, amount: -8_000_000_000 + 7 * 8_000 });
    const racers = ['a', 'b'].map((name) =>
      start({ task: 'race', location: path, workspace, callers: CALLERS, name }),
    );
    await Promise.all(racers.map((racer) => racer.line((line) => line === 'ready')));
    for (const racer of racers) racer.process.stdin?.write('go\n');
    const ends = await Promise.all(racers.map((racer) => racer.line((line) => line.startsWith('['))));
    const codes = ends.flatMap((line) => JSON.parse(line) as string[]);
    // Ten are free, seven are paid for.
    expect(codes.filter((code) => code === 'admitted')).toHaveLength(17);
    expect(codes.filter((code) => code === 'insufficient_credits')).toHaveLength(2 * CALLERS - 17);
    expect(await database.check()).toEqual([]);
  }, 120_000);

  test('F20: a second gateway refuses to start on the same file, until the first is gone however it went', async () => {
    const path = newPath();
    const first = start({ task: 'open', location: path, exclusive: true });
    expect(await first.line(() => true)).toBe('ready');
    const second = open(path, true);
    expect(await messageOf(second.read('SELECT 1'))).toMatch(
      /^Another Headgate process is using .*Stop the other process/,
    );
    const command = open(path);
    expect(await command.read('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await first.kill();
    expect(await second.read('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('F18: a database that is moved, deleted or replaced while running is refused, and never replaced by an empty one', async () => {
    const { path, database, subscription } = await prepared();
    const hold = (id: string) => messageOf(database.book(holdOf(id, subscription)));
    expect(await hold('h1')).toBe('fulfilled');
    const move = (from: string, to: string) => {
      for (const end of ['', '-wal', '-shm']) if (existsSync(from + end)) renameSync(from + end, to + end);
    };
    move(path, `${path}.away`);
    expect(await hold('h2')).toMatch(/was moved, deleted or replaced/);
    expect(await hold('h3')).toMatch(/is missing although it was in use/);
    expect(existsSync(path)).toBe(false);
    openSqliteFile(path).exec('CREATE TABLE other (id INTEGER)');
    expect(await hold('h4')).toMatch(/is at transaction 0, but \d+ were acknowledged/);
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    move(`${path}.away`, path);
    expect(await hold('h5')).toBe('fulfilled');
    expect(await database.read('SELECT id FROM holds ORDER BY id')).toEqual([{ id: 'h1' }, { id: 'h5' }]);
  });

  test('F18: a database without write permission is refused', async () => {
    const { path, database, subscription } = await prepared();
    await database.close();
    for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    const isRoot = process.getuid?.() === 0;
    chmodSync(path, 0o444);
    if (isRoot) chmodSync(join(path, '..'), 0o777);
    if (isRoot) for (const end of ['.mark']) chownSync(`${path}${end}`, 65_534, 65_534);
    const gateway = start(
      { task: 'hold', location: path, subscription, name: 'x' },
      isRoot ? { uid: 65_534, gid: 65_534 } : {},
    );
    await gateway.line((line) => line === 'ready');
    gateway.process.stdin?.write('hold\n');
    expect(await gateway.line((line) => line !== 'ready')).toBe('storage_unavailable');
  });

  test('F17: a full disk refuses the call, leaves nothing half written, and service resumes when there is room', async ({
    skip,
  }) => {
    const hasPrlimit = existsSync('/usr/bin/prlimit') && existsSync('/bin/bash');
    if (!hasPrlimit) skip('needs prlimit');
    const { path, database, subscription } = await prepared();
    const size = Math.ceil(statSync(`${path}-wal`).size / 1024) + 60;
    // A file-size limit fails the same write calls as a full disk.
    const under = ['bash', '-c', `trap '' XFSZ; ulimit -S -f ${size}; exec "$@"`, '--'];
    const gateway = start({ task: 'hold', location: path, subscription, name: 'full' }, { under });
    await gateway.line((line) => line === 'ready');
    const ends = () => gateway.lines.filter((line) => line !== 'ready');
    const next = async () => {
      const before = ends().length;
      gateway.process.stdin?.write('hold\n');
      await gateway.line(() => ends().length > before);
      return ends().at(-1);
    };
    let refused: string | undefined;
    for (let call = 0; call < 200 && refused === undefined; call += 1) {
      const said = await next();
      if (said !== 'held') refused = said;
    }
    expect(refused).toBe('storage_unavailable');
    execFileSync('prlimit', [`--pid=${gateway.process.pid}`, '--fsize=unlimited']);
    expect(await next()).toBe('held');
    expect(await database.check()).toEqual([]);
    const held = gateway.lines.filter((line) => line === 'held').length;
    const rows = await database.read('SELECT count(*) AS holds FROM holds');
    expect(rows).toEqual([{ holds: held }]);
  });

  test('F19: damaged pages, a cut file and a damaged WAL are refused with instructions, and the backup restores', async () => {
    const { path, database, subscription } = await prepared();
    for (let call = 0; call < 50; call += 1) await database.book(holdOf(`h${call}`, subscription));
    const backup = join(path, '..', 'backup.db');
    await database.backup(backup);
    await database.close();

    const damage = async (name: string, spoil: (copy: string) => void) => {
      const copy = join(path, '..', `${name}.db`);
      copyFileSync(path, copy);
      copyFileSync(`${path}.mark`, `${copy}.mark`);
      spoil(copy);
      return messageOf(open(copy).read('SELECT 1'));
    };
    const overwrite = (file: string, at: number, bytes: number) => {
      writeSync(openSync(file, 'r+'), Buffer.alloc(bytes, 0xa5), 0, bytes, at);
    };
    const refusal = /damaged|malformed|not a database|acknowledged|SQLite reports an error/i;
    expect(await damage('page', (copy) => overwrite(copy, 4_096 * 3, 4_096 * 6))).toMatch(refusal);
    expect(await damage('cut', (copy) => truncateSync(copy, 4_096 * 5))).toMatch(refusal);
    expect(await damage('header', (copy) => overwrite(copy, 0, 100))).toMatch(refusal);

    const restored = open(backup);
    expect(await restored.read('SELECT count(*) AS holds FROM holds')).toEqual([{ holds: 50 }]);
    expect(await restored.check()).toEqual([]);
  });

  const damages: [string, (wal: string) => void][] = [
    ['a flipped bit', (wal: string) => flip(wal)],
    ['a cut', (wal: string) => truncateSync(wal, Math.floor(statSync(wal).size / 2))],
    ['its deletion', (wal: string) => unlinkSync(wal)],
  ];
  const damaged = sized('damages of the WAL of a killed gateway', { small: 1, large: 3, full: 3 });
  test.each(damages.slice(0, damaged))(
    'F19: %s of the WAL of a killed gateway is noticed, although SQLite passes over it',
    async (name, spoil) => {
      const { path, subscription } = await prepared();
      await opened.at(-1)?.close();
      const gateway = start({ task: 'load', location: path, subscription, name, callers: 4 });
      await gateway.line(() => gateway.lines.filter((line) => line.startsWith('S')).length > 40);
      await gateway.kill();
      spoil(`${path}-wal`);
      rmSync(`${path}-shm`, { force: true });
      expect(await messageOf(open(path).read('SELECT 1'))).toMatch(
        /is at transaction \d+, but \d+ were acknowledged\. Put the right file back, or accept that later work is lost: `headgate store restore/,
      );
      rmSync(`${path}.mark`);
      expect(await codeOf(open(path).read('SELECT 1'))).toBe('fulfilled');
    },
  );

  test('F21: a migration killed at any statement leaves whole steps, and the next start completes it', async () => {
    const isKilled = async (killAt: number): Promise<boolean> => {
      const path = newPath();
      const gateway = start({ task: 'migrate', location: path, killAt });
      const end = await gateway.line((line) => line === 'done').catch(() => 'killed');
      const file = openSqliteFile(path);
      migrateSqlite(file, () => 0, STEPS);
      const steps = file.prepare('SELECT version FROM schema_migrations ORDER BY version').all();
      expect(steps.map((row) => row.version)).toEqual([1, 2, 3, 4]);
      expect(file.prepare('SELECT id FROM step_4').all()).toEqual([{ id: 4 }]);
      file.close();
      return end === 'killed';
    };
    const count = sized('statements of a migration at which it is killed', { small: 3, large: 30, full: 30 });
    const points = Array.from({ length: count }, (_, index) => Math.ceil(((index + 1) * 30) / count));
    const kills: boolean[] = [];
    for (let at = 0; at < points.length; at += 3)
      kills.push(...(await Promise.all(points.slice(at, at + 3).map(isKilled))));
    expect(kills.filter(Boolean).length).toBeGreaterThanOrEqual(Math.floor(count * 0.66));
    expect(kills.at(-1)).toBe(false);
  }, 120_000);

  test('a database of a newer or another Headgate is refused with advice', async () => {
    const { path, database } = await prepared();
    await database.close();
    const file = openSqliteFile(path);
    file.exec("INSERT INTO schema_migrations VALUES (99, 'x', 0)");
    expect(await messageOf(open(path).read('SELECT 1'))).toMatch(/schema version 99.*Upgrade Headgate/);
    file.exec(
      "DELETE FROM schema_migrations WHERE version = 99; UPDATE schema_migrations SET checksum = 'x'",
    );
    expect(await messageOf(open(path).read('SELECT 1'))).toMatch(
      /Migration 1 \(ledger\) of the database is not the one/,
    );
    file.close();
  });

  test('a mark that cannot be read does not lock anybody out', async () => {
    const { path, database } = await prepared();
    await database.close();
    writeFileSync(`${path}.mark`, 'nonsense');
    expect(await codeOf(open(path).read('SELECT 1'))).toBe('fulfilled');
  });

  test('F26: admission reads by index only, so that its cost does not grow with the history', async () => {
    const { path } = await prepared();
    const file = openSqliteFile(path);
    const statements: string[] = [];
    const prepare = (sql: string) => {
      statements.push(sql);
      return file.prepare(sql);
    };
    createSqliteLedger({ exec: (sql) => file.exec(sql), close: () => file.close(), prepare });
    const plans = statements.flatMap((sql) =>
      file
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map((row) => String(row.detail)),
    );
    file.close();
    expect(plans.length).toBeGreaterThan(5);
    expect(plans.filter((plan) => plan.startsWith('SCAN') && !/json_each|\bit\b/.test(plan))).toEqual([]);
  });
});

function flip(path: string): void {
  const bytes = readFileSync(path);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}
