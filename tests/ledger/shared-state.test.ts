import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { HeadgateError } from '../../src/core/errors.ts';
import { faultOf } from '../../src/core/fault.ts';
import { silentLogger } from '../../src/core/log.ts';
import type { Shared } from '../../src/core/shared.ts';
import { createBreaker } from '../../src/net/breaker.ts';
import { createPace } from '../../src/net/pace.ts';
import { createKeyRing, type Candidate } from '../../src/routing/key-ring.ts';
import type { Database } from '../../src/store/database.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { createPostgresShared } from '../../src/store/postgres/shared.ts';
import { startPostgres } from '../support/postgres.ts';
import { sayNotRun } from '../support/not-run.ts';
import { sized, testSize } from '../support/sized.ts';
import { until } from '../support/until.ts';

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
    url = (await postgres?.freshUrl()) ?? '';
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
  const admitted = async (gateway: Shared, name: string, window: { requests: number; perMs: number }) =>
    (await gateway.take(name, window).catch(() => 'refused')) === undefined;

  test('turns are an interval apart, whichever gateway takes them', async () => {
    const turns: number[] = [];
    const paces = gateways.map((shared) => createPace({ clock, shared }));
    const caller = async (index: number) => {
      await paces[index % paces.length]?.wait('provider', 40, signal);
      turns.push(performance.now());
    };
    for (let round = 0; round < TURNS; round += 12)
      await Promise.all(Array.from({ length: 12 }, (_, index) => caller(index)));
    const gaps = turns.slice(1).map((turn, index) => turn - (turns[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(40);
  });

  test('a turn that would come after the end of the call is refused at once, and costs nobody else a turn', async () => {
    expect(await at(0).turn('slow', 10_000, 20_000)).toHaveProperty('at');
    expect(await at(1).turn('slow', 10_000, 20_000)).toHaveProperty('at');
    expect(await at(2).turn('slow', 10_000, 15_000)).toEqual({ retryAfterMs: expect.any(Number) });
    const third = await at(3).turn('slow', 10_000, 30_000);
    expect('at' in third && third.at - performance.now()).toBeLessThan(20_200);
  });

  test('a key that a provider refused at one gateway is in cooldown at all of them within half a second', async () => {
    const rings = gateways.map((shared) => createKeyRing({ clock, shared }));
    const candidate = (index: number) =>
      rings[index]?.all({ provider: { id: 'tavily' }, keys: ['tvly-a'] } as never)[0] as Candidate;
    const refused = { provider: 'tavily', retryAfterMs: 60_000 };
    rings[0]?.report(candidate(0), new HeadgateError('upstream_quota', 'No credits are left.', refused));
    const from = performance.now();
    await until(() => rings.every((ring, index) => ring.cooldownOf(candidate(index)) !== undefined));
    expect(performance.now() - from).toBeLessThan(500);
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
    const from = performance.now();
    await until(() => breakers.every((breaker) => breaker.state('down').state === 'open'));
    expect(performance.now() - from).toBeLessThan(1_000);
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
    await until(() => breakers.every((breaker) => breaker.state('back').state === 'closed'), 1_000);
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

  test('requests that a gateway leased and does not use go to the one that needs them', async () => {
    const window = { requests: 100, perMs: 60_000 };
    for (const gateway of gateways) expect(await admitted(gateway, 'idle', window)).toBe(true);
    let count = 4;
    await until(async () => {
      while (await admitted(at(0), 'idle', window)) count += 1;
      return count === 100;
    }, 4_000);
  });

  describe.skipIf(postgres?.isOwn !== true)('without PostgreSQL', () => {
    const WINDOW = { requests: 60, perMs: 1_000 };
    const ASK_MS = 20;
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
    const stop = async () => {
      const { rows } = await client.query("SELECT pg_read_file('postmaster.pid') AS file");
      process.kill(Number.parseInt((rows[0] as { file: string }).file, 10), 'SIGINT');
    };

    test.each([
      // After a clean stop the table is as it was.
      ...(isSmall ? [] : [{ how: 'stopped', end: stop, withinMs: 5_000 }]),
      // A crash empties it: as if the window were full.
      { how: 'killed', end: async () => postgres?.kill(), withinMs: WINDOW.perMs + 250 + 1_500 },
    ])(
      '$how: nothing beyond the limit, refusals say when to try again, and it recovers',
      { timeout: 200_000 },
      async ({ how, end, withinMs }) => {
        let isOver = false;
        const times: number[] = [];
        const refusals: HeadgateError[] = [];
        const running = hammer(gateways, how, { isOver: () => isOver, times, refusals });
        await sleep(300);
        await end();
        await sleep(OUTAGE_MS);
        await postgres?.start();
        const back = performance.now();
        await connect();
        await until(() => times.some((time) => time > back), withinMs);
        await sleep(WINDOW.perMs);
        isOver = true;
        await running;
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
        await until(() => two.every((gateway) => gateway.status().gateways === 2), 10_000);
        postgres?.kill();
        await until(() => two.every((gateway) => gateway.status().state === 'lost'));
        const end = performance.now() + WINDOW.perMs / 2;
        const times: number[] = [];
        await hammer(two, 'share', { isOver: () => performance.now() > end, times });
        expect(times.length).toBe(WINDOW.requests);
        await postgres?.start();
        await until(() => two.every((gateway) => gateway.status().state === 'shared'), 5_000);
      },
    );
  });
});
