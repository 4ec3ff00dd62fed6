import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { HeadgateError } from '../../src/core/errors.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createMeter } from '../../src/meter/meter.ts';
import { createAccounts } from '../../src/store/accounts.ts';
import type { Database } from '../../src/store/database.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { createPostgresPool } from '../../src/store/postgres/pool.ts';
import { migratePostgres } from '../../src/store/postgres/migrate.ts';
import { startPostgres } from '../support/postgres.ts';
import { killWhileSpending } from '../support/gateway/spend-kills.ts';
import { expectNothingLost, listen, nothingSaid } from '../support/ledger/crash.ts';
import { buildGateway, type GatewayProcess } from '../support/ledger/processes.ts';
import { PRICES, search, temporaryFolder } from '../support/ledger/world.ts';
import { holdOf, STEPS, settleOf } from '../support/ledger/workload.ts';
import { sized, testSize } from '../support/sized.ts';

const SPENDING_KILLS = sized('kills of a spending gateway on PostgreSQL', {
  small: 1,
  large: 20,
  full: 200,
});
/** Half of the kills hit gateways, half the server. */
const CALLERS = sized('callers of each of two gateways on PostgreSQL', { small: 100, large: 500, full: 500 });
const KILLS = sized('kills on PostgreSQL', { small: 2, large: 25, full: 100 });

const server = await startPostgres();

describe.skipIf(server === undefined)('PostgreSQL and what can happen to it', () => {
  let gateways: Awaited<ReturnType<typeof buildGateway>>;
  const opened: Database[] = [];
  const started: GatewayProcess[] = [];
  beforeAll(async () => {
    gateways = await buildGateway();
  });
  afterAll(async () => {
    await Promise.all(started.map((gateway) => gateway.kill()));
    await Promise.all(opened.map((database) => database.close()));
    gateways.dispose();
    await server?.stop();
  });

  const freshUrl = async () => (await server?.freshUrl()) ?? '';
  const open = (url: string, clock: Clock = systemClock, deadlineMs = 20_000) => {
    const database = openPostgres({ url, clock, log: silentLogger, deadlineMs });
    opened.push(database);
    return database;
  };
  const start = (...args: Parameters<typeof gateways.start>) => {
    const gateway = gateways.start(...args);
    started.push(gateway);
    return gateway;
  };
  const prepared = async (tier = 'pro', balance = 8_000_000_000) => {
    const url = (await server?.migratedUrl()) ?? '';
    const database = open(url);
    const accounts = createAccounts(database, systemClock);
    const { id, subscription } = await accounts.createWorkspace({ name: 'Acme', tier });
    if (balance > 0) await accounts.topUp({ subscription, amount: balance });
    return { url, database, workspace: id, subscription, accounts };
  };
  /** A plain connection beside the gateway, for making trouble. */
  const beside = async (url: string) => {
    const client = new Client(url);
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const timed = async (promise: Promise<unknown>): Promise<{ end: string; ms: number }> => {
    const from = performance.now();
    const end = await promise.then(
      () => 'fulfilled',
      (thrown: unknown) => HeadgateError.from(thrown).code,
    );
    return { end, ms: performance.now() - from };
  };

  test(
    `F1, L7: ${KILLS} times kill -9 of one of two gateways under load: nothing acknowledged is lost`,
    async () => {
      const { url, database, subscription } = await prepared();
      const said = nothingSaid();
      const steady = start({ task: 'load', location: url, subscription, name: 'steady', callers: 4 });
      for (let round = 0; round < KILLS; round += 1) {
        const gateway = start({ task: 'load', location: url, subscription, name: `r${round}` });
        const enough = 40 + 31 * (round % 5);
        await gateway.line(() => gateway.lines.length > enough);
        await gateway.kill();
        listen(said, gateway);
      }
      expect(await steady.line(() => steady.lines.length > 20)).not.toBe('');
      await steady.kill();
      listen(said, steady);
      await expectNothingLost(database, subscription, said);
    },
    60_000 + KILLS * 15_000,
  );

  test(
    `F2, L7: ${KILLS} times kill -9 of the server under load: refused within 2 s, back within 5 s, nothing lost`,
    async ({ skip }) => {
      if (server === undefined || !server.isOwn) skip('not our server');
      const { url, subscription } = await prepared();
      const database = open(url, systemClock, 2_000);
      const said = nothingSaid();
      const serving = new AbortController();
      const refusals = new Set<string>();
      let slowestMs = 0;
      const caller = async (_: unknown, index: number) => {
        for (let call = 0; !serving.signal.aborted; call += 1) await oneCall(`c${index}-${call}`);
      };
      const oneCall = async (id: string) => {
        said.begun.add(id);
        const held = await timed(database.book(holdOf(id, subscription)));
        slowestMs = Math.max(slowestMs, held.ms);
        if (held.end === 'fulfilled') said.held.add(id);
        const settle = settleOf(id, subscription, 1, Date.now());
        const settled = held.end === 'fulfilled' ? await timed(database.book(settle)) : held;
        slowestMs = Math.max(slowestMs, settled.ms);
        if (settled.end === 'fulfilled') said.settled.add(id);
        else refusals.add(settled.end);
        // A refused caller comes back a little later, as real ones do.
        if (settled.end !== 'fulfilled') await systemClock.sleep(50);
      };
      const callers = Array.from({ length: 16 }, caller);
      const untilServed = async () => {
        const before = said.settled.size;
        const from = performance.now();
        while (said.settled.size <= before + 16) await systemClock.sleep(10);
        return performance.now() - from;
      };
      for (let round = 0; round < KILLS; round += 1) {
        await untilServed();
        server?.kill();
        await server?.start();
        expect(await untilServed()).toBeLessThan(5_000);
      }
      serving.abort();
      await Promise.all(callers);
      expect(refusals).toEqual(new Set(['storage_unavailable']));
      // Refused after 2 s, with much room for a machine that does other things too.
      expect(slowestMs).toBeLessThan(testSize() === 'full' ? 3_500 : 8_000);
      await expectNothingLost(open(url), subscription, said);
    },
    60_000 + KILLS * 15_000,
  );

  test(
    `F1, F4: ${SPENDING_KILLS} times kill -9 of a gateway that spends: what the provider was asked is charged, released or in doubt`,
    async ({ skip }) => {
      if (server === undefined || !server.isOwn) skip('not our server');
      const url = await freshUrl();
      const found = await killWhileSpending({
        kills: SPENDING_KILLS,
        env: {
          HEADGATE_HOME: temporaryFolder(),
          HEADGATE_STORE__URL: url,
          // A crash of the server empties the shared limits, and nobody passes for a minute; this is about money.
          HEADGATE_SCALE__SHARED: 'false',
        },
        database: open(url),
        loseStore: async () => {
          server?.kill();
          return async () => server?.start();
        },
      });
      expect(found).toMatchObject({ violations: [] });
      // In a few lives nobody may have come through; that something was asked must be seen in any run.
      const seen = [found.keyed.answered, ...found.counted.map(({ asked }) => asked)];
      expect(testSize() === 'small' ? Math.max(...seen) : Math.min(...seen)).toBeGreaterThan(0);
      if (testSize() === 'full') process.stderr.write(`${JSON.stringify(found)}\n`);
    },
    120_000 + SPENDING_KILLS * 20_000,
  );

  test(`L2, F9: two gateways with ${CALLERS} callers each, credit for 7: exactly 7 pass`, async () => {
    const { url, database, workspace } = await prepared('pro', 7 * 8_000);
    const codes = await race(url, workspace);
    expect(codes.filter((code) => code === 'admitted')).toHaveLength(17);
    expect(codes.filter((code) => code === 'insufficient_credits')).toHaveLength(2 * CALLERS - 17);
    expect(await database.check()).toEqual([]);
  }, 120_000);

  test(`L3, F10: two gateways with ${CALLERS} callers each on the free tier: exactly 10 pass`, async () => {
    const { url, workspace } = await prepared('free', 0);
    const codes = await race(url, workspace);
    expect(codes.filter((code) => code === 'admitted')).toHaveLength(10);
    expect(codes.filter((code) => code === 'limit_reached')).toHaveLength(2 * CALLERS - 10);
  }, 120_000);

  async function race(url: string, workspace: string): Promise<string[]> {
    const racers = ['a', 'b'].map((name) =>
      start({ task: 'race', location: url, workspace, callers: CALLERS, name }),
    );
    await Promise.all(racers.map((racer) => racer.line((line) => line === 'ready')));
    for (const racer of racers) racer.process.stdin?.write('go\n');
    const ends = await Promise.all(racers.map((racer) => racer.line((line) => line.startsWith('['))));
    return ends.flatMap((line) => JSON.parse(line) as string[]);
  }

  test('F13: two gateways whose clocks are 90 s and 3 h apart decide by the server: the limit stays exact', async () => {
    const { url, workspace, subscription } = await prepared('free', 0);
    const meters = [0, 90_000, -3 * 3_600_000].map((offset) => {
      const clock: Clock = { ...systemClock, now: () => Date.now() + offset };
      return createMeter({ database: open(url, clock), clock, log: silentLogger, prices: PRICES });
    });
    const ends = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        timed(meters[index % 3]?.hold(search(workspace)) ?? Promise.reject()),
      ),
    );
    expect(ends.filter(({ end }) => end === 'fulfilled')).toHaveLength(10);
    const holds = await open(url).read('SELECT created FROM holds WHERE subscription = ?', subscription);
    for (const hold of holds) expect(Math.abs(Number(hold.created) - Date.now())).toBeLessThan(60_000);
  });

  test('F22: deadlocks and serialization failures are retried inside the deadline, without a double effect', async () => {
    const { url, database, subscription } = await prepared();
    const client = await beside(url);
    // A sequence does not roll back, so the first attempts fail and the last one passes.
    await client.query('CREATE SEQUENCE trouble');
    await client.query(`CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE n bigint := nextval('trouble');
      BEGIN
        IF n = 1 THEN RAISE EXCEPTION 'injected' USING ERRCODE = '40001'; END IF;
        IF n = 2 THEN RAISE EXCEPTION 'injected' USING ERRCODE = '40P01'; END IF;
        RETURN NEW;
      END $$`);
    await client.query(
      'CREATE TRIGGER trouble BEFORE INSERT ON holds FOR EACH STATEMENT EXECUTE FUNCTION trouble()',
    );
    const ends = await Promise.all(['x', 'y'].map((id) => database.book(holdOf(id, subscription))));
    expect(ends.map((end) => end.status)).toEqual(['held', 'held']);
    expect(await database.check()).toEqual([]);
    const [account] = await database.read('SELECT reserved FROM subscriptions WHERE id = ?', subscription);
    expect(Number(account?.reserved)).toBe(16_000);
    await client.end();
  });

  test('F23: a lock that nobody gives back is a refusal within 2 s, and service recovers by itself', async () => {
    const { url, subscription } = await prepared();
    const database = open(url, systemClock, 2_000);
    expect((await timed(database.book(holdOf('before', subscription)))).end).toBe('fulfilled');
    const client = await beside(url);
    await client.query('BEGIN');
    await client.query('LOCK TABLE subscriptions IN ACCESS EXCLUSIVE MODE');
    const stuck = await Promise.all(
      Array.from({ length: 20 }, (_, index) => timed(database.book(holdOf(`stuck-${index}`, subscription)))),
    );
    expect(new Set(stuck.map(({ end }) => end))).toEqual(new Set(['storage_unavailable']));
    expect(Math.max(...stuck.map(({ ms }) => ms))).toBeLessThan(testSize() === 'full' ? 3_000 : 8_000);
    await client.query('ROLLBACK');
    await client.end();
    await expect
      .poll(async () => (await timed(database.book(holdOf('after', subscription)))).end, { timeout: 10_000 })
      .toBe('fulfilled');
    // What was refused is not held: no leak, whatever happened behind the refusal.
    await expect
      .poll(
        async () =>
          (await database.read("SELECT id FROM holds WHERE state = 'open' ORDER BY id")).map((row) => row.id),
        {
          timeout: 10_000,
        },
      )
      .toEqual(['after', 'before']);
  });

  test('F24: a server that lacks acknowledged commits, as after a failover, stops admission', async () => {
    const { url, database, subscription } = await prepared();
    for (const id of ['a', 'b', 'c']) await database.book(holdOf(id, subscription));
    const client = await beside(url);
    await client.query('UPDATE gateways SET sequence = sequence - 1');
    await client.end();
    for (const id of ['d', 'e']) {
      expect((await timed(database.book(holdOf(id, subscription)))).end).toBe('storage_unavailable');
    }
    expect(await open(url).read("SELECT id FROM holds WHERE id IN ('d', 'e')")).toEqual([]);
    // Nobody knows what else is missing: accounts that go another way are refused as well, known or not.
    for (let account = 0; account < 8; account += 1)
      expect((await timed(database.book(holdOf(`f${account}`, `account-${account}`)))).end).toBe(
        'storage_unavailable',
      );
  });

  test('a replica is refused: only the primary decides', async () => {
    const url = await freshUrl();
    const pool = await createPostgresPool(url, () => undefined);
    const isReplica = await pool.use((connection) =>
      connection.query({ text: 'SELECT pg_is_in_recovery() AS replica' }),
    );
    expect(isReplica.rows).toEqual([{ replica: false }]);
    await pool.end();
    const client = await beside(url);
    // A function of that name in front of the catalogue plays the replica.
    await client.query('CREATE SCHEMA fake');
    await client.query(
      "CREATE FUNCTION fake.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true'",
    );
    const name = new URL(url).pathname.slice(1);
    await client.query(`ALTER DATABASE ${name} SET search_path = fake, pg_catalog, public`);
    await client.end();
    const refused = await open(url)
      .read('SELECT 1')
      .catch((thrown: unknown) => HeadgateError.from(thrown).explanation);
    expect(refused).toBe(
      'The PostgreSQL address points to a replica. Point Headgate at the primary: limits and credits are decided there only.',
    );
  });

  test('F21: a migration killed at any query leaves whole steps, and the next start completes it', async () => {
    let kills = 0;
    const points = sized('queries of a migration at which it is killed', { small: 2, large: 11, full: 31 });
    for (let point = 0; point < points; point += 1) {
      const killAt = 1 + Math.floor((point * 31) / points);
      const url = await freshUrl();
      const gateway = start({ task: 'migrate', location: url, killAt });
      const end = await gateway.line((line) => line === 'done').catch(() => 'killed');
      if (end === 'killed') kills += 1;
      const pool = await createPostgresPool(url, () => undefined);
      await migratePostgres(pool, () => 0, STEPS);
      const { rows } = await pool.use((connection) =>
        connection.query({ text: 'SELECT version FROM schema_migrations ORDER BY version' }),
      );
      expect(rows).toEqual([{ version: 1 }, { version: 2 }, { version: 3 }, { version: 4 }]);
      await pool.end();
    }
    expect(kills).toBeGreaterThanOrEqual(Math.floor(points * 0.8));
  }, 120_000);

  test('two gateways that start at the same time migrate once', async () => {
    const url = await freshUrl();
    const ends = await Promise.all(
      [open(url), open(url), open(url)].map((database) => database.read('SELECT 1 AS one')),
    );
    expect(ends).toEqual([[{ one: 1 }], [{ one: 1 }], [{ one: 1 }]]);
  });

  test('F26: a batch reads its own rows by index, also with plans that were made while the tables were empty', async () => {
    const { url, subscription } = await prepared();
    const client = await beside(url);
    await client.query("INSERT INTO gateways (id, sequence) VALUES ('beside', 0)");
    const resolved = {
      id: 'past-7',
      state: 'settled',
      credits: 1,
      charged: 0,
      late: 0,
      assumed: 0,
      resolved: 1,
    };
    const book = async () => {
      const request = { subscriptions: [subscription], holds: ['past-7'], idempotency: [], references: [] };
      await client.query({
        name: 'l',
        text: 'SELECT headgate_load($1::jsonb)',
        values: [JSON.stringify(request)],
      });
      const values = [JSON.stringify({ common: {}, holdsResolved: [resolved] })];
      await client.query({ name: 's', text: "SELECT headgate_save('beside', -1, $1::jsonb)", values });
    };
    for (let round = 0; round < 7; round += 1) await book();
    await client.query(
      `INSERT INTO holds (id, subscription, category, provider, price, estimate, amount, free, counted, hour, state, charged, late,
         assumed, created, expires)
       SELECT 'past-' || i, $1, 'search', 'tavily', 1, 1, 1, 0, 1, 1, 'settled', 0, 0, 0, 1, 1 FROM generate_series(1, 5000) i`,
      [subscription],
    );
    await client.query('BEGIN');
    await book();
    const { rows } = await client.query(
      "SELECT seq_tup_read + idx_tup_fetch AS read FROM pg_stat_xact_user_tables WHERE relname = 'holds'",
    );
    expect(Number((rows[0] as { read: string }).read)).toBeLessThan(10);
    await client.query('ROLLBACK');
    const { rows: indexes } = await client.query<{ name: string }>(
      "SELECT indexname AS name FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
    );
    expect(indexes.map((row) => row.name)).toEqual(
      expect.arrayContaining(['holds_pkey', 'idempotency_pkey', 'ledger_references', 'request_buckets_pkey']),
    );
    await client.end();
  });
});
