import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HeadgateError } from '../../../src/core/errors.ts';
import { LIMITS } from '../../../src/core/limits.ts';
import { silentLogger } from '../../../src/core/log.ts';
import type { HoldRequest } from '../../../src/meter/books.ts';
import { createMeter } from '../../../src/meter/meter.ts';
import { createReports } from '../../../src/store/reports.ts';
import { codeOf, createWorld, type Engine, PRICES, search, type World } from './world.ts';
import { sized } from '../sized.ts';
import { beginUnitOfWork } from '../../../src/meter/unit-of-work.ts';
import { createDoubts } from '../../../src/store/doubts.ts';
import { HOUR_MS } from '../../../src/core/window.ts';

const CREDIT = 8_000;
const DAY_MS = 24 * HOUR_MS;
/** `npm run test:long` repeats more. */
const REPETITIONS = sized('repetitions of races for the last credit', { small: 1, large: 10, full: 1_000 });
const CALLERS_MAX = sized('callers at once for the last credit', { small: 64, large: 1_000, full: 1_000 });
const ENDS = sized('holds that are settled and released at once', { small: 6, large: 30, full: 30 });
const OPERATIONS = sized('random meter operations', { small: 200, large: 20_000, full: 1_000_000 });

/** What the meter promises on every database. */
export function meterContract(engine: Engine): void {
  describe(`${engine.name}: the meter`, () => {
    let world: World;
    beforeAll(async () => {
      world = await createWorld(engine);
    });
    afterAll(async () => {
      expect(await world.database.check()).toEqual([]);
      await world.dispose();
    });
    const balanceOf = async (subscription: string) => {
      const { balance, reserved } = await world.accounts.subscription(subscription);
      return { balance, reserved };
    };
    /** Ten calls, so that the next one is charged. */
    const useAllowance = async (workspace: string) => {
      for (let call = 0; call < 10; call += 1)
        await world.meter.settle(await world.meter.hold(search(workspace)), 1);
    };
    const errorOf = async (promise: Promise<unknown>): Promise<HeadgateError> =>
      promise.then(
        () => expect.fail('should have been refused'),
        (thrown: unknown) => HeadgateError.from(thrown),
      );

    test('L3, F10: 200 callers at once on the free tier: exactly 10 pass, 190 learn when the next slot frees', async () => {
      const { id } = await world.workspace('free');
      const ends = await Promise.allSettled(
        Array.from({ length: 200 }, (_, index) =>
          world.meter.hold(search(id, { category: index % 2 === 0 ? 'search' : 'fetch' })),
        ),
      );
      expect(ends.filter((end) => end.status === 'fulfilled')).toHaveLength(10);
      const resetAt = new Date((Math.floor(world.clock.now() / HOUR_MS) + 25) * HOUR_MS).toISOString();
      for (const end of ends) {
        if (end.status === 'fulfilled') continue;
        expect(end.reason).toMatchObject({ code: 'limit_reached', data: { limit: 10, used: 10, resetAt } });
      }
    });

    test('the refusal says what happened, the numbers, when it gets better and what to do', async () => {
      const { id } = await world.workspace('free');
      await useAllowance(id);
      const limit = await errorOf(world.meter.hold(search(id)));
      expect(limit.explanation).toMatch(
        /^Limit reached: 10 of 10 calls used in the rolling day, counted by the hour\. The next slot frees at 2026-.*Z \(in 2\d h \d+ min\)\. Wait until then, use a free provider/,
      );
      const paid = await world.workspace('starter', 2_500);
      await useAllowance(paid.id);
      const credits = await errorOf(world.meter.hold(search(paid.id, { credits: 2 })));
      expect(credits.explanation).toBe(
        'Insufficient credits: this call needs up to $0.016, $0.0025 is available (10 calls in the rolling day, counted by ' +
          'the hour; 10 are free). Add credits to the workspace, wait for free calls, or use a free provider.',
      );
      expect(credits.data).toEqual({ balance: 2_500, required: 16_000, limit: 10, used: 10 });
    });

    test('the first 10 calls of a paid tier move no money, the 11th is charged', async () => {
      const { id, subscription } = await world.workspace('starter', 3 * CREDIT);
      await useAllowance(id);
      expect(await balanceOf(subscription)).toEqual({ balance: 3 * CREDIT, reserved: 0 });
      const hold = await world.meter.hold(search(id, { credits: 2 }));
      expect(hold).toMatchObject({ free: false, amount: 2 * CREDIT });
      expect(await balanceOf(subscription)).toEqual({ balance: 3 * CREDIT, reserved: 2 * CREDIT });
      expect(await world.meter.settle(hold, 1)).toMatchObject({
        charged: CREDIT,
        balance: 2 * CREDIT,
        late: false,
      });
      expect(await balanceOf(subscription)).toEqual({ balance: 2 * CREDIT, reserved: 0 });
    });

    test(
      `L2, F9: N callers with credit for exactly k: exactly min(N, k) pass, for N up to ${CALLERS_MAX}`,
      async () => {
        const { database, clock } = world;
        const tiers = { pro: { callsFree: 0, beyond: 'charge', creditsMax: null } } as const;
        const meter = createMeter({ database, clock, log: silentLogger, tiers, prices: PRICES });
        const cases = [2, 16, 128, 1_000]
          .filter((callers) => callers <= CALLERS_MAX)
          .flatMap((callers) => [0, 1, 7, 100].map((credits) => ({ callers, credits })));
        for (const { callers, credits } of Array.from({ length: REPETITIONS }, () => cases).flat()) {
          const { id, subscription } = await world.workspace(
            'pro',
            credits * CREDIT + (credits === 0 ? 1 : 0),
          );
          const ends = await Promise.all(
            Array.from({ length: callers }, () => codeOf(meter.hold(search(id)))),
          );
          const admitted = Math.min(callers, credits);
          expect(ends.filter((end) => end === 'fulfilled')).toHaveLength(admitted);
          expect(ends.filter((end) => end === 'insufficient_credits')).toHaveLength(callers - admitted);
          expect((await balanceOf(subscription)).reserved).toBe(admitted * CREDIT);
        }
      },
      60_000 * REPETITIONS,
    );

    test(
      'L1: a mixed load of many callers leaves a ledger in which everything adds up',
      async () => {
        const spaces = [
          await world.workspace('pro', 500 * CREDIT),
          await world.workspace('starter', 3 * CREDIT),
        ];
        let random = 1;
        const pick = (below: number) => {
          random = (random * 48_271) % 2_147_483_647;
          return random % below;
        };
        const keyed = async ({ workspace, ...request }: HoldRequest, idempotencyKey: string) => {
          const work = { caller: { workspace }, idempotencyKey, fingerprint: 'f' };
          const begun = await beginUnitOfWork(world.meter, work).catch(() => undefined);
          if (begun === undefined || !('unit' in begun)) return;
          const asked = await begun.unit.ask(request).catch(() => undefined);
          if (asked === undefined) return void (await begun.unit.fail());
          void asked.answered(pick(5));
          await begun.unit.commit('answer');
        };
        const call = async () => {
          const request = search(spaces[pick(2)]?.id ?? '', {
            category: pick(2) === 0 ? 'search' : 'fetch',
            credits: 1 + pick(3),
            asks: pick(2) === 0,
          });
          if (pick(3) === 0) return keyed(request, `k${pick(20)}`);
          const hold = await world.meter.hold(request).catch(() => undefined);
          if (hold === undefined) return;
          const end = pick(8);
          if (end < 4) await world.meter.settle(hold, pick(5));
          if (end === 5) await world.meter.release(hold);
          if (end === 6) await world.meter.doubt(hold, 'no answer');
          if (pick(50) === 0) world.clock.advance(LIMITS.holdTtlMs);
          if (pick(50) === 0) await world.meter.sweep();
          if (end === 4) await world.meter.settle(hold, 1);
        };
        const caller = async () => {
          for (let count = 0; count < OPERATIONS / 32; count += 1) await call();
        };
        await Promise.all(Array.from({ length: 32 }, caller));
        world.clock.advance(LIMITS.holdTtlMs);
        // One sweep ends a bounded number of holds, and the race above leaves more than that.
        while ((await world.meter.sweep()).expired > 0);
        expect(await createReports(world.database).openHolds()).toEqual([]);
        expect(await world.database.check()).toEqual([]);
      },
      60_000 + OPERATIONS * 20,
    );

    test('actual usage above the estimate is charged, and debt refuses the next reservation', async () => {
      const { id, subscription } = await world.workspace('pro', CREDIT);
      await useAllowance(id);
      const hold = await world.meter.hold(search(id));
      expect(await world.meter.settle(hold, 3)).toMatchObject({ charged: 3 * CREDIT, balance: -2 * CREDIT });
      expect(await codeOf(world.meter.hold(search(id)))).toBe('insufficient_credits');
      await world.accounts.topUp({ subscription, amount: 3 * CREDIT });
      expect(await codeOf(world.meter.hold(search(id)))).toBe('fulfilled');
    });

    test('a failed call gives its credits and its count back, the count to the hour it was taken from', async () => {
      const { id, subscription } = await world.workspace('free');
      const holds = [];
      for (let call = 0; call < 10; call += 1) holds.push(await world.meter.hold(search(id)));
      expect(await codeOf(world.meter.hold(search(id)))).toBe('limit_reached');
      const hour = Math.floor(world.clock.now() / HOUR_MS);
      world.clock.advance(HOUR_MS);
      for (const hold of holds.slice(0, 3))
        expect(await world.meter.release(hold)).toMatchObject({ state: 'released' });
      const buckets = await world.database.read(
        'SELECT hour, count FROM request_buckets WHERE subscription = ? ORDER BY hour',
        subscription,
      );
      expect(buckets.map((row) => [Number(row.hour), Number(row.count)])).toEqual([[hour, 7]]);
      const again = await Promise.all(Array.from({ length: 5 }, () => codeOf(world.meter.hold(search(id)))));
      expect(again.filter((end) => end === 'fulfilled')).toHaveLength(3);
    });

    test('F15, L5: settle, release and expiry of one hold: the first wins, the others get its result', async () => {
      const { id, subscription } = await world.workspace('pro', 100 * CREDIT);
      await useAllowance(id);
      for (let round = 0; round < ENDS; round += 1) {
        const before = (await balanceOf(subscription)).balance;
        const hold = await world.meter.hold(search(id));
        const ends = await Promise.all([
          world.meter.settle(hold, 1),
          world.meter.release(hold),
          world.meter.settle(hold, 2),
          world.meter.release(hold),
        ]);
        expect(ends.filter((end) => !end.already)).toHaveLength(1);
        expect(new Set(ends.map((end) => `${end.state} ${end.charged}`)).size).toBe(1);
        const { balance, reserved } = await balanceOf(subscription);
        expect({ spent: before - balance, reserved }).toEqual({ spent: ends[0]?.charged, reserved: 0 });
      }
    });

    test('L6, F4: a hold that nobody settles is given back by the first sweep after 300 s', async () => {
      const { id, subscription } = await world.workspace('pro', CREDIT);
      await useAllowance(id);
      await world.meter.hold(search(id));
      const open = async () => (await createReports(world.database).openHolds({ subscription })).length;
      world.clock.advance(LIMITS.holdTtlMs - 1);
      await world.meter.sweep();
      expect(await open()).toBe(1);
      world.clock.advance(1);
      await world.meter.sweep();
      expect(await open()).toBe(0);
      expect(await balanceOf(subscription)).toEqual({ balance: CREDIT, reserved: 0 });
      expect(await codeOf(world.meter.hold(search(id)))).toBe('fulfilled');
    });

    test('whatever a provider reports, at most four times the reservation is charged; the rest is told the operator', async () => {
      const { id, subscription } = await world.workspace('pro', 10 * CREDIT);
      await useAllowance(id);
      const warned: unknown[] = [];
      const log = { ...silentLogger, warn: (event: string, fields?: object) => warned.push([event, fields]) };
      const { database, clock } = world;
      const meter = createMeter({ database, clock, log, prices: PRICES });
      const told = await meter.settle(await meter.hold(search(id, { credits: 2 })), 1_000_000);
      expect(told).toMatchObject({ credits: 8, charged: 8 * CREDIT });
      expect(warned).toMatchObject([
        ['overage_not_charged', { provider: 'tavily', reported: 1_000_000, charged: 8 }],
      ]);
      expect(await balanceOf(subscription)).toEqual({ balance: 2 * CREDIT, reserved: 0 });
      const strict = createMeter({ database, clock, log: silentLogger, prices: PRICES, overageMax: 1 });
      expect(await strict.settle(await strict.hold(search(id)), 5)).toMatchObject({ charged: CREDIT });
    });

    test('a request that was asked and that nobody ended is in doubt: money and count go back, the operator sees it once', async () => {
      const { id, subscription } = await world.workspace('pro', CREDIT);
      await useAllowance(id);
      await world.meter.hold(search(id, { asks: true }));
      world.clock.advance(LIMITS.holdTtlMs);
      await world.meter.sweep();
      expect(await balanceOf(subscription)).toEqual({ balance: CREDIT, reserved: 0 });
      const doubts = createDoubts(world.database);
      const [doubt] = await doubts.list({ subscription });
      expect(doubt).toMatchObject({ provider: 'tavily', credits: 1, amount: CREDIT, verdict: null });
      const [usage] = await createReports(world.database).usage({ subscription }, []);
      expect(usage).toMatchObject({ calls: 10, counted: 10, returned: 1, inDoubt: 1 });
      const resolved = await doubts.resolve(doubt?.id ?? '', { verdict: 'billed', credits: 1 });
      expect(resolved).toMatchObject({ verdict: 'billed', billed: 1 });
      expect(await doubts.resolve(doubt?.id ?? '', { verdict: 'not_billed' })).toMatchObject({ billed: 1 });
      expect(await doubts.list({ subscription })).toEqual([]);
      expect(await doubts.list({ subscription, all: true })).toHaveLength(1);
      expect(await balanceOf(subscription)).toEqual({ balance: CREDIT, reserved: 0 });
      expect(await codeOf(doubts.resolve('nothing', { verdict: 'billed' }))).toBe('not_found');
    });

    test.each([false, true])(
      'F14: a late settle is booked exactly once and marked late (asked: %s)',
      async (asks) => {
        const { id, subscription } = await world.workspace('pro', 5 * CREDIT);
        await useAllowance(id);
        const hold = await world.meter.hold(search(id, { asks }));
        world.clock.advance(LIMITS.holdTtlMs);
        await world.meter.sweep();
        expect(await world.meter.settle(hold, 2)).toMatchObject({
          charged: 2 * CREDIT,
          late: true,
          already: false,
        });
        expect(await world.meter.settle(hold, 2)).toMatchObject({ late: true, already: true });
        await world.meter.sweep();
        expect(await balanceOf(subscription)).toEqual({ balance: 3 * CREDIT, reserved: 0 });
        const { entries } = await createReports(world.database).ledger({ subscription, limit: 1 });
        expect(entries).toMatchObject([{ note: 'late', amount: -2 * CREDIT }]);
      },
    );

    test('F11: a burst on both sides of an hour never puts more than the limit into any 24 hours', async () => {
      const { id } = await world.workspace('free');
      world.clock.advance(HOUR_MS - (world.clock.now() % HOUR_MS) - 1_000);
      const admitted: number[] = [];
      const burst = async () => {
        for (let call = 0; call < 12; call += 1) {
          if ((await codeOf(world.meter.hold(search(id)))) === 'fulfilled') admitted.push(world.clock.now());
        }
      };
      await burst();
      for (const step of [2_000, DAY_MS - HOUR_MS, HOUR_MS - 1_000, 999, 1, HOUR_MS, HOUR_MS]) {
        world.clock.advance(step);
        await burst();
      }
      for (const start of admitted) {
        const inside = admitted.filter((at) => at >= start && at < start + DAY_MS);
        expect(inside.length).toBeLessThanOrEqual(10);
      }
      expect(admitted.length).toBe(20);
    });

    test('what another process wrote counts in the next decision', async () => {
      const { id, subscription } = await world.workspace('pro', 3 * CREDIT);
      await useAllowance(id);
      const hold = await world.meter.hold(search(id));
      const other = createMeter({
        database: world.again(),
        clock: world.clock,
        log: silentLogger,
        prices: PRICES,
      });
      const theirs = await other.hold(search(id));
      expect(await codeOf(world.meter.hold(search(id, { credits: 2 })))).toBe('insufficient_credits');
      await other.settle(hold, 1);
      expect(await world.meter.settle(hold, 1)).toMatchObject({ already: true });
      await other.release(theirs);
      expect(await codeOf(world.meter.hold(search(id, { credits: 2 })))).toBe('fulfilled');
      await world.accounts.setTier(subscription, 'free');
      expect(await codeOf(world.meter.hold(search(id)))).toBe('limit_reached');
    });

    test.each([
      ['0', 0, 0, false],
      ['the estimate', 2, 2, false],
      ['three times the estimate', 6, 6, false],
      ['nothing', undefined, 2, true],
      ['a negative number', -1, 2, true],
      ['NaN', Number.NaN, 2, true],
      ['a fraction', 1.5, 2, true],
      ['1e30', 1e30, 2, true],
      ['a string', '8', 2, true],
      ['null', null, 2, true],
    ])(
      'F16, F34: when the provider reports %s, what is charged is a whole number',
      async (_, reported, credits, assumed) => {
        const { id } = await world.workspace('pro', 100 * CREDIT);
        await useAllowance(id);
        const hold = await world.meter.hold(search(id, { credits: 2 }));
        expect(await world.meter.settle(hold, reported)).toMatchObject({
          charged: credits * CREDIT,
          credits,
          assumed,
        });
      },
    );

    test('F25, L12: amounts that a number cannot hold exactly are refused, nothing wraps', async () => {
      const { id, subscription } = await world.workspace('pro', Number.MAX_SAFE_INTEGER);
      expect(await codeOf(world.accounts.topUp({ subscription, amount: 1 }))).toBe('invalid_request');
      expect(await codeOf(world.accounts.topUp({ subscription, amount: 0.5 }))).toBe('invalid_request');
      expect(await codeOf(world.accounts.topUp({ subscription, amount: 2 ** 53 }))).toBe('invalid_request');
      for (const credits of [-1, 0.5, Number.NaN, 2 ** 53, LIMITS.creditsPerCallMax + 1]) {
        expect(await codeOf(world.meter.hold(search(id, { credits })))).toBe('invalid_request');
      }
      const { database, clock } = world;
      const dear = createMeter({ database, clock, log: silentLogger, prices: { tavily: 2 ** 52 } });
      await useAllowance(id);
      expect(await codeOf(dear.hold(search(id, { credits: 4 })))).toBe('invalid_request');
      expect(await balanceOf(subscription)).toEqual({ balance: Number.MAX_SAFE_INTEGER, reserved: 0 });
      const cheap = createMeter({ database, clock, log: silentLogger, prices: { tavily: 1 } });
      await cheap.settle(await cheap.hold(search(id)), 1);
      expect((await balanceOf(subscription)).balance).toBe(Number.MAX_SAFE_INTEGER - 1);
    });

    test('a top-up with the same reference is booked once', async () => {
      const { subscription } = await world.workspace('pro');
      const topUp = { subscription, amount: 5, reference: 'invoice-7' };
      const ends = await Promise.all([world.accounts.topUp(topUp), world.accounts.topUp(topUp)]);
      expect(ends.filter((end) => end.already)).toHaveLength(1);
      expect((await balanceOf(subscription)).balance).toBe(5);
    });

    test('only priced providers count and cost; an operator can price any', async () => {
      const { id, subscription } = await world.workspace('free');
      for (let call = 0; call < 20; call += 1) {
        const hold = await world.meter.hold(search(id, { provider: 'duckduckgo' }));
        expect(hold.metered).toBe(false);
        expect(await world.meter.settle(hold, 1)).toMatchObject({ charged: 0 });
      }
      const { database, clock } = world;
      const priced = createMeter({ database, clock, log: silentLogger, prices: { duckduckgo: 5 } });
      expect((await priced.hold(search(id, { provider: 'duckduckgo' }))).metered).toBe(true);
      expect(priced.price('duckduckgo', 3)).toBe(15);
      const [usage] = await createReports(database).usage({ subscription }, []);
      expect(usage?.calls).toBe(1);
    });

    test('calls without a price appear in the usage within a second, and cost no commit before that', async () => {
      const { id, subscription } = await world.workspace('free');
      const { database, clock } = world;
      let commits = 0;
      const counted = {
        ...database,
        write: (...args: Parameters<typeof database.write>) => ((commits += 1), database.write(...args)),
      };
      const meter = createMeter({ database: counted, clock, log: silentLogger, prices: PRICES });
      const request = search(id, { provider: 'duckduckgo', key: 'k', credits: 0 });
      for (let call = 0; call < 20; call += 1) await meter.settle(await meter.hold(request));
      await meter.release(await meter.hold(request));
      await meter.settle(await meter.hold(search(id)), 1);
      expect(commits).toBe(0);
      await meter.flush();
      await meter.flush();
      expect(commits).toBe(1);
      await meter.settle(await meter.hold({ ...request, agent: 'a' }));
      await meter.flush();
      const rows = await createReports(database).usage({ subscription }, ['provider', 'key', 'agent']);
      const line = (provider: string, agent: string | null) =>
        rows.find((row) => row.group.provider === provider && row.group.agent === agent);
      expect(line('duckduckgo', null)).toMatchObject({
        calls: 20,
        free: 20,
        counted: 0,
        credits: 0,
        returned: 1,
      });
      expect(line('duckduckgo', 'a')).toMatchObject({ calls: 1, charged: 0 });
      expect(line('tavily', null)).toMatchObject({ calls: 1, counted: 1, credits: 1 });
      const [byKey] = await createReports(database).usage({ subscription, key: 'k' }, ['provider']);
      expect(byKey).toMatchObject({ group: { provider: 'duckduckgo' }, calls: 21 });
    });

    test('calls without a price that could not be written are written later, and counted once', async () => {
      const { id, subscription } = await world.workspace('free');
      const { database, clock } = world;
      let isDown = true;
      const shaky = {
        ...database,
        write: (...args: Parameters<typeof database.write>) =>
          isDown ? Promise.reject(new Error('down')) : database.write(...args),
      };
      const meter = createMeter({ database: shaky, clock, log: silentLogger, prices: PRICES });
      const request = search(id, { provider: 'duckduckgo' });
      await meter.settle(await meter.hold(request));
      await meter.flush();
      await meter.settle(await meter.hold(request));
      isDown = false;
      await meter.flush();
      const [usage] = await createReports(database).usage({ subscription }, []);
      expect(usage?.calls).toBe(2);
    });

    test('a person can limit calls and credits per day on this machine', async () => {
      const local = await createWorld(engine, { personal: { callsPerDay: 5, creditsPerDay: 6 } });
      const request = { category: 'search', provider: 'duckduckgo', credits: 0 } as const;
      const ends = await Promise.all(Array.from({ length: 8 }, () => codeOf(local.meter.hold(request))));
      expect(ends.filter((end) => end === 'fulfilled')).toHaveLength(5);
      local.clock.advance(25 * HOUR_MS);
      const dear = { category: 'fetch', provider: 'tavily', credits: 4 } as const;
      await local.meter.settle(await local.meter.hold(dear), 3);
      const refused = await errorOf(local.meter.hold(dear));
      expect(refused).toMatchObject({ code: 'limit_reached', data: { unit: 'credits', limit: 6, used: 3 } });
      expect(await codeOf(local.meter.hold({ ...dear, credits: 3 }))).toBe('fulfilled');
      const unlimited = createMeter({
        database: local.database,
        clock: local.clock,
        log: silentLogger,
        prices: PRICES,
      });
      expect((await unlimited.hold(dear)).metered).toBe(false);
      await local.dispose();
    });

    test('nothing is opened before it is needed', async () => {
      const { database, clock } = world;
      let asked = 0;
      const watched = {
        ...database,
        book: () => expect.fail(),
        read: () => expect.fail(),
        write: () => ++asked,
      };
      const meter = createMeter({ database: watched as never, clock, log: silentLogger, prices: PRICES });
      const hold = await meter.hold({ category: 'search', provider: 'tavily', credits: 1 });
      await meter.settle(hold, 1);
      expect(asked).toBe(0);
    });
  });
}
