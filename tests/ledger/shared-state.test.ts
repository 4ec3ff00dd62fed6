import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { HeadgateError } from '../../src/core/errors.ts';
import { faultOf } from '../../src/core/fault.ts';
import { silentLogger } from '../../src/core/log.ts';
import type { RequestWindow, Shared } from '../../src/core/shared.ts';
import { createBreaker } from '../../src/net/breaker.ts';
import { createPace } from '../../src/net/pace.ts';
import { createKeyRing, type Candidate } from '../../src/routing/key-ring.ts';
import type { Database } from '../../src/store/database.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { createPostgresShared } from '../../src/store/postgres/shared.ts';
import { holdOf, settleOf } from '../support/ledger/workload.ts';
import { startPostgres } from '../support/postgres.ts';
import { sayNotRun } from '../support/not-run.ts';
import { sized, testSize } from '../support/sized.ts';
import { ownMsUntil, until } from '../support/until.ts';

/** What gateways share on PostgreSQL: four of them, as far as it is about shared state, in one process. */
const postgres = await startPostgres();
const TURNS = sized('turns of four gateways', { small: 12, large: 100, full: 300 });
const OUTAGE_MS = sized('milliseconds without PostgreSQL', { small: 500, large: 5_000, full: 60_000 });
const isSmall = testSize() === 'small';
if (isSmall)
  sayNotRun('shared limits after a clean stop of PostgreSQL, and in shares', 'HEADGATE_TEST_SIZE=large');
const clock = systemClock;
const signal = new AbortController().signal;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(postgres === undefined)('what gateways share', () => {
  const opened: { shared: Shared; database: Database }[] = [];
  let url = '';
  let client: Client;
  const open = (onLoss: 'closed' | 'share' = 'closed'): Shared => {
    const database = openPostgres({ url, clock, log: silentLogger });
    const shared = createPostgresShared({ url, database, clock, log: silentLogger, onLoss });
    opened.push({ shared, database });
    return shared;
  };
  let gateways: Shared[] = [];
  const connect = async () => {
    client = new Client(url);
    client.on('error', () => undefined);
    await client.connect();
  };
  beforeAll(async () => {
    url = (await postgres?.migratedUrl()) ?? '';
    gateways = [open(), open(), open(), open()];
    // Each reads what the others mark from its first question on.
    for (const gateway of gateways) await gateway.take('ready', { requests: 100, perMs: 1_000 });
    await connect();
  });
  afterAll(async () => {
    await client?.end().catch(() => undefined);
    for (const { shared, database } of opened) {
      await shared.close();
      await database.close();
    }
    await postgres?.stop();
  });
  const at = (index: number): Shared => gateways[index % gateways.length] as Shared;
  /** What a gateway asked that has died since. */
  const asked = (ask: object) =>
    client.query('SELECT headgate_share($1::jsonb, false)', [JSON.stringify([ask])]);
  /** An answer that comes too late on a busy machine is not a refusal, and is asked for again. */
  const admitted = async (
    gateway: Shared,
    name: string,
    window: RequestWindow,
    tries = 10,
  ): Promise<boolean> =>
    gateway.take(name, window).then(
      (refused) => refused === undefined,
      (thrown: unknown) => {
        if (tries === 0) throw thrown;
        return admitted(gateway, name, window, tries - 1);
      },
    );

  test('turns are an interval apart, whichever gateway takes them', async () => {
    const turns: number[] = [];
    const paces = gateways.map((shared) => createPace({ clock, shared }));
    const caller = async (index: number) => {
      await paces[index % paces.length]?.wait('provider', 40, signal);
      turns.push(performance.now());
    };
    for (let round = 0; round < TURNS; round += 12)
      await Promise.all(Array.from({ length: 12 }, (_, index) => caller(index)));
    // A turn that a busy machine takes late is closer to the next one, so the time is that of all of them; the first may be late itself.
    const gaps = turns.slice(1).map((turn, index) => turn - (turns[index] ?? 0));
    expect(gaps.filter((gap) => gap < 40).length).toBeLessThanOrEqual(testSize() === 'full' ? 0 : TURNS / 8);
    expect((turns.at(-1) ?? 0) - (turns[0] ?? 0)).toBeGreaterThanOrEqual(40 * (turns.length - 2));
  });

  test('a turn that would come after the end of the call is refused at once, and costs nobody else a turn', async () => {
    expect(await at(0).turn('slow', 10_000, 20_000)).toHaveProperty('at');
    expect(await at(1).turn('slow', 10_000, 20_000)).toHaveProperty('at');
    expect(await at(2).turn('slow', 10_000, 15_000)).toEqual({ retryAfterMs: expect.any(Number) });
    const third = await at(3).turn('slow', 10_000, 30_000);
    expect('at' in third && third.at - performance.now()).toBeLessThan(20_200);
  });

  test('a request begins an interval after the one before was written, however late that was', async () => {
    const written = await at(0).begin('late', 1_000);
    if (typeof written !== 'function') throw new Error('Nothing was written before.');
    const refused = async () => {
      const begun = await at(1).begin('late', 1_000);
      return typeof begun === 'function' ? 0 : begun.retryAfterMs;
    };
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await refused()).toBeGreaterThan(1_000);
    const from = performance.now();
    written();
    await createPace({ clock, shared: at(2) }).begin('late', 1_000, signal);
    expect(performance.now() - from).toBeGreaterThanOrEqual(1_000);
    expect(await refused()).toBeGreaterThan(1_000);
    // The answer to a request that was written long ago says nothing about when.
    written();
    expect(await refused()).toBeGreaterThan(1_000);
  });

  test('a key that a provider refused at one gateway is in cooldown at all of them within half a second', async () => {
    const rings = gateways.map((shared) => createKeyRing({ clock, shared }));
    const candidate = (index: number) =>
      rings[index]?.all({ provider: { id: 'tavily' }, keys: ['tvly-a'] } as never)[0] as Candidate;
    const refused = { provider: 'tavily', retryAfterMs: 60_000 };
    rings[0]?.report(candidate(0), new HeadgateError('upstream_quota', 'No credits are left.', refused));
    const isKnown = () => rings.every((ring, index) => ring.cooldownOf(candidate(index)) !== undefined);
    expect(await ownMsUntil(isKnown)).toBeLessThan(500);
    const { error, until: end } = rings[3]?.cooldownOf(candidate(3)) ?? {};
    expect(error).toMatchObject({
      code: 'upstream_quota',
      message: 'No credits are left.',
      provider: 'tavily',
    });
    expect(Math.abs((end ?? 0) - Date.now() - 60_000)).toBeLessThan(2_000);
  });

  test('a circuit that one gateway opens is open at all, one call of all probes it, and closes it for all', async () => {
    const breakers = gateways.map((shared) => createBreaker({ clock, random: () => 0.5, shared }));
    const down = new HeadgateError('upstream_unavailable', 'HTTP 503.');
    for (let call = 0; call < 5; call += 1)
      await breakers[0]?.run('down', () => Promise.reject(down)).catch(() => undefined);
    const isOpen = () => breakers.every((breaker) => breaker.state('down').state === 'open');
    expect(await ownMsUntil(isOpen)).toBeLessThan(1_000);
    // The same circuit, at the time of its probe.
    at(0).mark('breaker back', { endsAt: clock.monotonic() + 3_600_000, value: faultOf(down) });
    await until(() => breakers.every((breaker) => breaker.state('back').state === 'half-open'));
    let probes = 0;
    const probe = async () => {
      probes += 1;
      await sleep(100);
    };
    const calls = breakers.flatMap((breaker) => Array.from({ length: 8 }, () => breaker.run('back', probe)));
    await Promise.allSettled(calls);
    expect(probes).toBe(1);
    const isClosed = () => breakers.every((breaker) => breaker.state('back').state === 'closed');
    expect(await ownMsUntil(isClosed)).toBeLessThan(1_000);
  });

  test('what a dead gateway leased ends with the lease; requests it took are not given back', async () => {
    await asked({ kind: 'lease', name: 'lease host', holder: 'dead', leaseMs: 700 });
    const window = { requests: 100, perMs: 60_000 };
    await asked({ kind: 'take', name: 'limit dead', ...window, leaseMs: 5_000, want: 60, id: 'dead-1' });
    expect(await at(1).lease('host')).toBeUndefined();
    let release: (() => void) | undefined;
    await until(async () => (release = await at(1).lease('host')) !== undefined, 5_000);
    expect(await at(2).lease('host')).toBeUndefined();
    release?.();
    let count = 0;
    while (await admitted(at(count), 'dead', window)) count += 1;
    expect(count).toBe(40);
  });

  test('callers that ask at once lease their next requests with the first: at most one statement in five calls', async () => {
    const window = { requests: 60, perMs: 60_000 };
    const operations = () => gateways.reduce((sum, gateway) => sum + gateway.status().operations, 0);
    const started = performance.now();
    const before = operations();
    let count = 0;
    const caller = async (gateway: Shared) => {
      while (await admitted(gateway, 'burst', window)) count += 1;
    };
    await Promise.all(gateways.flatMap((gateway) => Array.from({ length: 8 }, () => caller(gateway))));
    const asked = operations() - before;
    // Each gateway also reads four times per second, whatever is asked.
    const readings = gateways.length * Math.floor((performance.now() - started) / 250);
    expect(count).toBe(60);
    expect(asked - readings).toBeLessThanOrEqual(12);
  });

  test.skipIf(isSmall)(
    'what a process that was killed had leased ends within five seconds',
    { timeout: 60_000 },
    async () => {
      const from = new URL('../../src/', import.meta.url).href;
      const code = `
        const { systemClock: clock } = await import('${from}core/clock.ts');
        const { silentLogger: log } = await import('${from}core/log.ts');
        const { openPostgres } = await import('${from}store/postgres/postgres.ts');
        const { createPostgresShared } = await import('${from}store/postgres/shared.ts');
        const url = ${JSON.stringify(url)};
        const database = openPostgres({ url, clock, log });
        const shared = createPostgresShared({ url, database, clock, log, onLoss: 'closed' });
        for (const name of ['probe killed', 'host killed']) if ((await shared.lease(name)) === undefined) process.exit(1);
        console.log('leased');
        setInterval(() => {}, 1_000);`;
      const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code]);
      await once(child.stdout, 'data');
      // Longer than a lease: it is renewed for as long as the process lives.
      await sleep(6_000);
      for (const name of ['probe killed', 'host killed']) expect(await at(1).lease(name)).toBeUndefined();
      child.kill('SIGKILL');
      const killed = performance.now();
      for (const name of ['probe killed', 'host killed'])
        await until(async () => (await at(1).lease(name)) !== undefined);
      expect(performance.now() - killed).toBeLessThanOrEqual(5_000 + (testSize() === 'full' ? 250 : 1_500));
      // As if a minute had passed, in which it is counted as a gateway.
      await client.query(
        "UPDATE shared_state SET until = until - 60000 WHERE name LIKE 'gateway %' AND until < headgate_clock()",
      );
      await until(() => at(0).status().gateways === gateways.length);
    },
  );

  test('requests that a gateway leased and does not use go to the one that needs them', async () => {
    const window = { requests: 100, perMs: 60_000 };
    for (const gateway of gateways) await until(() => admitted(gateway, 'idle', window));
    let count = 4;
    await until(async () => {
      while (await admitted(at(0), 'idle', window)) count += 1;
      return count === 100;
    });
    expect(await admitted(at(1), 'idle', window)).toBe(false);
  });

  describe.skipIf(postgres?.isOwn !== true)('without PostgreSQL', () => {
    const WINDOW = { requests: 60, perMs: 1_000 };
    const ASK_MS = 20;
    /** A reading is due every 250 ms; what is more is for a busy machine. */
    const RECOVERY_MS = testSize() === 'full' ? 1_750 : 15_000;
    /** Asks all gateways until it is over; notes when they admitted, and what they said otherwise. */
    const hammer = async (
      members: Shared[],
      name: string,
      { isOver, times, refusals = [] }: { isOver(): boolean; times: number[]; refusals?: HeadgateError[] },
    ) => {
      const caller = async (gateway: Shared) => {
        while (!isOver()) {
          const refused = await gateway
            .take(name, WINDOW)
            .catch((thrown: unknown) => HeadgateError.from(thrown));
          if (refused === undefined) times.push(performance.now());
          else if (refused instanceof HeadgateError) refusals.push(refused);
          await sleep(refused === undefined ? 1 : ASK_MS);
        }
      };
      await Promise.all(members.flatMap((member) => Array.from({ length: 8 }, () => caller(member))));
    };
    const mostIn = (times: number[], windowMs: number): number =>
      Math.max(
        0,
        ...times.map((from) => times.filter((time) => time >= from && time < from + windowMs).length),
      );
    const LONG = { requests: 100, perMs: 60_000 };
    /** Whether a window that was lost ends its own length after the crash, not after the leases of before. */
    const countsFromCrash = async (name: string): Promise<boolean> => {
      for (const gateway of gateways) await gateway.take(name.slice('limit '.length), LONG);
      const { rows } = await client.query(
        `SELECT 1 FROM shared_state s, shared_state e, jsonb_array_elements(s.blocks) b
         WHERE s.name = $1 AND e.name = '' AND b->>0 = 'lost' AND (b->>2)::double precision = e.until`,
        [name],
      );
      return rows.length === 1;
    };
    /** Holds and settles one call after another, also while there is no server; how many settlements were acknowledged. */
    const book = async (subscription: string, isOver: () => boolean): Promise<number> => {
      const database = opened[0]?.database as Database;
      await database.write([
        {
          sql: "INSERT INTO subscriptions (id, name, tier, balance, created) VALUES (?, ?, 'pro', 0, 0)",
          values: [subscription, subscription],
        },
      ]);
      await database.book({ kind: 'grant', subscription, reference: 'start', amount: 1e9, note: null });
      let settled = 0;
      for (let call = 0; !isOver(); call += 1) {
        const id = `${subscription}-${String(call).padStart(9, '0')}`;
        const isSettled = await database
          .book(holdOf(id, subscription))
          .then(() => database.book(settleOf(id, subscription)))
          .then(({ status }) => status === 'committed')
          .catch(() => false);
        if (isSettled) settled += 1;
        await sleep(20);
      }
      return settled;
    };
    const stop = async () => {
      const { rows } = await client.query("SELECT pg_read_file('postmaster.pid') AS file");
      process.kill(Number.parseInt((rows[0] as { file: string }).file, 10), 'SIGINT');
    };

    test.each([
      // After a clean stop the table is as it was.
      ...(isSmall ? [] : [{ how: 'stopped', end: stop, withinMs: RECOVERY_MS }]),
      // A crash empties it: as if the window were full.
      { how: 'killed', end: async () => postgres?.kill(), withinMs: WINDOW.perMs + RECOVERY_MS },
    ])(
      '$how: nothing beyond the limit, refusals say when to try again, and it recovers',
      { timeout: 200_000 },
      async ({ how, end, withinMs }) => {
        let isOver = false;
        const times: number[] = [];
        const refusals: HeadgateError[] = [];
        const running = hammer(gateways, how, { isOver: () => isOver, times, refusals });
        const booking = book(how, () => isOver);
        for (const gateway of gateways) await gateway.take(`long ${how}`, LONG);
        await gateways[0]?.take('guesses', { ...LONG, forgets: true });
        await sleep(300);
        await end();
        await sleep(OUTAGE_MS);
        await postgres?.start();
        const back = performance.now();
        await connect();
        await until(() => times.some((time) => time > back), withinMs);
        // The limit on guesses would otherwise refuse keys that are right.
        await until(
          () => admitted(at(0), 'guesses', { ...LONG, forgets: true }).catch(() => false),
          withinMs,
        );
        if (how === 'killed') await until(() => countsFromCrash(`limit long ${how}`));
        await sleep(WINDOW.perMs);
        isOver = true;
        await running;
        const settled = await booking;
        expect(settled).toBeGreaterThan(0);
        expect(await opened[0]?.database.check()).toEqual([]);
        const rows = await opened[0]?.database.read(
          'SELECT id FROM holds WHERE subscription = ? AND state = ?',
          how,
          'settled',
        );
        // What was acknowledged is there; one may have been settled whose answer was lost.
        expect(rows?.length).toBeGreaterThanOrEqual(settled);
        expect(mostIn(times, WINDOW.perMs)).toBeLessThanOrEqual(WINDOW.requests);
        expect(times.filter((time) => time < back).length).toBeGreaterThan(0);
        expect(refusals.length).toBeGreaterThan(0);
        for (const { code, retryAfterMs } of refusals)
          expect([code, Number(retryAfterMs) > 0]).toEqual(['storage_unavailable', true]);
      },
    );

    test.skipIf(isSmall)(
      'with shares, each of two gateways admits half of the limit, never all of it',
      { timeout: 60_000 },
      async () => {
        const two = [open('share'), open('share')];
        for (const gateway of two) await gateway.take('warm', WINDOW);
        const all = opened.length - two.length;
        // The four others have said goodbye, or would count.
        for (const { shared, database } of opened.splice(0, all)) {
          await shared.close();
          await database.close();
        }
        await until(() => two.every((gateway) => gateway.status().gateways === 2));
        postgres?.kill();
        await until(() => two.every((gateway) => gateway.status().state === 'lost'));
        const end = performance.now() + WINDOW.perMs / 2;
        const times: number[] = [];
        await hammer(two, 'share', { isOver: () => performance.now() > end, times });
        expect(times.length).toBe(WINDOW.requests);
        await postgres?.start();
        await until(() => two.every((gateway) => gateway.status().state === 'shared'));
      },
    );
  });
});
