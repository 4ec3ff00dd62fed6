import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HeadgateError } from '../../../src/core/errors.ts';
import { LIMITS } from '../../../src/core/limits.ts';
import { silentLogger } from '../../../src/core/log.ts';
import { HOUR_MS } from '../../../src/core/window.ts';
import { createMeter } from '../../../src/meter/meter.ts';
import { beginUnitOfWork, type Begun } from '../../../src/meter/unit-of-work.ts';
import { codeOf, createWorld, type Engine, PRICES, search, type World } from './world.ts';

const CREDIT = 8_000;
const DAY_MS = 24 * HOUR_MS;

/** What a unit of work and the account's own time promise on every database. Each test has a world of its own, because it may set the clock. */
export function unitContract(engine: Engine): void {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(engine);
  });
  afterEach(async () => {
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

  describe(`${engine.name}: a clock that is set`, () => {
    test('F12: a clock that jumps back never reopens a window, and an alarm is raised', async () => {
      const { id, subscription } = await world.workspace('free');
      const alarms: string[] = [];
      const log = { ...silentLogger, error: (event: string) => alarms.push(event) };
      const meter = createMeter({ database: world.database, clock: world.clock, log, prices: PRICES });
      const start = world.clock.now();
      for (let call = 0; call < 9; call += 1) await meter.hold(search(id));
      world.clock.step(-2 * HOUR_MS);
      await meter.hold(search(id));
      expect(alarms).toEqual(['clock_went_back']);
      for (const to of [start + 2 * HOUR_MS, start - DAY_MS, 0, start]) {
        world.clock.step(to - world.clock.now());
        expect(await codeOf(meter.hold(search(id)))).toBe('limit_reached');
      }
      const buckets = await world.database.read(
        'SELECT hour, count FROM request_buckets WHERE subscription = ?',
        subscription,
      );
      expect(buckets.map((row) => [Number(row.hour), Number(row.count)])).toEqual([
        [Math.floor(start / HOUR_MS), 10],
      ]);
    });

    test('F12: a clock that jumps forward and comes back admits nobody twice, and no bucket goes below zero', async () => {
      const { id, subscription } = await world.workspace('free');
      const start = world.clock.now();
      const to = (moment: number) => world.clock.step(moment - world.clock.now());
      const admitted = async (calls: number) => {
        const ends = await Promise.all(
          Array.from({ length: calls }, () => codeOf(world.meter.hold(search(id)))),
        );
        return ends.filter((end) => end === 'fulfilled').length;
      };
      const early = await world.meter.hold(search(id));
      expect(await admitted(8)).toBe(8);
      to(start + 2 * HOUR_MS);
      expect(await admitted(5)).toBe(1);
      to(start);
      expect(await admitted(5)).toBe(0);
      await world.meter.release(early);
      expect(await admitted(5)).toBe(1);
      // Two days ahead the window is empty as far as anybody can know; back again, those calls still count.
      to(start + 2 * DAY_MS);
      expect(await admitted(15)).toBe(10);
      to(start + HOUR_MS);
      expect(await admitted(5)).toBe(0);
      to(start + 3 * DAY_MS - HOUR_MS);
      expect(await admitted(5)).toBe(0);
      const buckets = await world.database.read(
        'SELECT count FROM request_buckets WHERE subscription = ?',
        subscription,
      );
      expect(buckets.every((row) => Number(row.count) >= 0)).toBe(true);
      expect(buckets.reduce((sum, row) => sum + Number(row.count), 0)).toBe(20);
    });

    test.each([
      ['an hour', HOUR_MS],
      ['two days', 2 * DAY_MS],
      ['ten years', 3_652 * DAY_MS],
    ])(
      'F12: calls counted under a clock that was %s ahead count for a window of real time, also after a restart',
      async (_name, aheadMs) => {
        const { id } = await world.workspace('free');
        world.clock.step(aheadMs);
        for (let call = 0; call < 10; call += 1) await world.meter.hold(search(id));
        world.clock.step(-aheadMs);
        const refused = await errorOf(world.meter.hold(search(id)));
        expect(refused.retryAfterMs).toBeLessThanOrEqual(25 * HOUR_MS);
        const other = createMeter({
          database: world.again(),
          clock: world.clock,
          log: silentLogger,
          prices: PRICES,
        });
        expect(await codeOf(other.hold(search(id)))).toBe('limit_reached');
        for (let hour = 0; hour < 23; hour += 1) {
          world.clock.advance(HOUR_MS);
          expect(await codeOf(world.meter.hold(search(id)))).toBe('limit_reached');
        }
        world.clock.advance(2 * HOUR_MS);
        expect(await codeOf(world.meter.hold(search(id)))).toBe('fulfilled');
      },
    );
  });

  test(`${engine.name}: a sweep under a clock that is wrong does not forget calls that still count`, async () => {
    const { id } = await world.workspace('free');
    for (let call = 0; call < 10; call += 1) await world.meter.settle(await world.meter.hold(search(id)), 1);
    world.clock.step(2 * DAY_MS);
    await world.meter.sweep();
    world.clock.step(-2 * DAY_MS);
    const restarted = createMeter({
      database: world.again(),
      clock: world.clock,
      log: silentLogger,
      prices: PRICES,
    });
    expect(await codeOf(restarted.hold(search(id)))).toBe('limit_reached');
  });

  test(`${engine.name}: a hold that nobody ends expires in its time, also when the clock is set back meanwhile`, async () => {
    const { id, subscription } = await world.workspace('pro', 10 * CREDIT);
    await useAllowance(id);
    await world.meter.hold(search(id));
    world.clock.step(-2 * HOUR_MS);
    world.clock.advance(LIMITS.holdTtlMs);
    expect(await world.meter.sweep()).toEqual({ expired: 1 });
    expect((await balanceOf(subscription)).reserved).toBe(0);
  });

  test(`${engine.name}: a charge that comes after its hour stopped counting does not look like damage`, async () => {
    const { id } = await world.workspace('pro', 10 * CREDIT);
    await world.meter.settle(await world.meter.hold(search(id)), 1);
    const hold = await world.meter.hold(search(id));
    world.clock.step(2 * DAY_MS);
    await world.meter.sweep();
    expect(await world.meter.settle(hold, 1)).toMatchObject({ late: true });
    expect(await world.database.check()).toEqual([]);
  });

  describe(`${engine.name}: units of work`, () => {
    /** Begins a unit of work under a key. */
    const begin = (workspace: string, idempotencyKey: string, fingerprint = 'f', meter = world.meter) =>
      beginUnitOfWork(meter, { caller: { workspace }, idempotencyKey, fingerprint });
    const unitOf = (begun: Begun) => ('unit' in begun ? begun.unit : expect.fail('it was answered before'));
    const ONE = { category: 'search', provider: 'tavily', credits: 1 } as const;
    /** A unit of work that asks once and is answered. */
    const answeredUnit = async (workspace: string, key: string, answer: string) => {
      const unit = unitOf(await begin(workspace, key));
      void (await unit.ask(ONE)).answered(1);
      return unit.commit(answer);
    };

    test('F7: 50 parallel calls with one idempotency key: one executes, 49 are told to wait, one charge', async () => {
      const { id, subscription } = await world.workspace('pro', 100 * CREDIT);
      await useAllowance(id);
      const ends = await Promise.allSettled(Array.from({ length: 50 }, () => begin(id, 'k-1')));
      const begun = ends.flatMap((end) => (end.status === 'fulfilled' ? [unitOf(end.value)] : []));
      expect(begun).toHaveLength(1);
      const refused = ends.flatMap((end) =>
        end.status === 'rejected' ? [HeadgateError.from(end.reason).code] : [],
      );
      expect(new Set(refused)).toEqual(new Set(['in_progress']));
      for (const unit of begun) {
        void (await unit.ask(ONE)).answered(1);
        expect(await unit.commit('{"answer":42}')).toMatchObject({
          receipt: { credits: 1, charged: CREDIT, free: false, balanceAfter: 99 * CREDIT, callsLeft: 0 },
        });
      }
      for (const again of await Promise.all(Array.from({ length: 5 }, () => begin(id, 'k-1'))))
        expect(again).toMatchObject({ replay: '{"answer":42}', receipt: { charged: 0 } });
      expect(await balanceOf(subscription)).toEqual({ balance: 99 * CREDIT, reserved: 0 });
    });

    test('F8: the same key with another body is refused, and nothing is charged', async () => {
      const { id, subscription } = await world.workspace('pro', 100 * CREDIT);
      await useAllowance(id);
      const unit = unitOf(await begin(id, 'k-1'));
      expect(await codeOf(begin(id, 'k-1', 'f-2'))).toBe('idempotency_mismatch');
      void (await unit.ask(ONE)).answered(1);
      await unit.commit('answer');
      expect(await codeOf(begin(id, 'k-1', 'f-2'))).toBe('idempotency_mismatch');
      expect((await balanceOf(subscription)).balance).toBe(99 * CREDIT);
    });

    test('F5: a client that retries with the same key after a lost answer gets that answer, on any gateway', async () => {
      const { id, subscription } = await world.workspace('pro', 100 * CREDIT);
      await useAllowance(id);
      await answeredUnit(id, 'k-9', 'the answer');
      const other = createMeter({
        database: world.again(),
        clock: world.clock,
        log: silentLogger,
        prices: PRICES,
      });
      expect(await begin(id, 'k-9', 'f', other)).toMatchObject({ replay: 'the answer' });
      expect((await balanceOf(subscription)).balance).toBe(99 * CREDIT);
      world.clock.advance(25 * HOUR_MS);
      await world.meter.sweep();
      expect('unit' in (await begin(id, 'k-9', 'f', other))).toBe(true);
    });

    test('charges of a unit are one commit with its answer: nobody ever sees one without the other', async () => {
      const { id, subscription } = await world.workspace('pro', 100 * CREDIT);
      await useAllowance(id);
      const unit = unitOf(await begin(id, 'k'));
      for (let request = 0; request < 3; request += 1) void (await unit.ask(ONE)).answered(1);
      const seen = async () => {
        const [row] = await world.database.read(
          `SELECT (SELECT count(*) FROM ledger WHERE kind = 'charge' AND subscription = ?) AS charges,
             (SELECT coalesce(sum(done), 0) FROM idempotency WHERE subscription = ?) AS kept`,
          subscription,
          subscription,
        );
        return [Number(row?.charges), Number(row?.kept)];
      };
      expect(await seen()).toEqual([0, 0]);
      await unit.commit('answer');
      expect(await seen()).toEqual([3, 1]);
    });

    test('a failed call may be tried again under its key; two runs under one key are charged once', async () => {
      const { id, subscription } = await world.workspace('pro', 100 * CREDIT);
      await useAllowance(id);
      const failed = unitOf(await begin(id, 'k'));
      await (await failed.ask(ONE)).release();
      await failed.fail();
      const slow = unitOf(await begin(id, 'k'));
      const asked = await slow.ask(ONE);
      world.clock.advance(LIMITS.holdTtlMs);
      await world.meter.sweep();
      await answeredUnit(id, 'k', 'first');
      void asked.answered(1);
      // What the slow one was answered is nobody's to pay; its caller gets what was paid for.
      expect(await slow.commit('second')).toMatchObject({ replay: 'first', receipt: { charged: 0 } });
      expect(await balanceOf(subscription)).toEqual({ balance: 99 * CREDIT, reserved: 0 });
      expect(await begin(id, 'k')).toMatchObject({ replay: 'first' });
    });

    test('a call that failed after something was charged is not charged again under its key', async () => {
      const { id, subscription } = await world.workspace('pro', 100 * CREDIT);
      await useAllowance(id);
      const unit = unitOf(await begin(id, 'k'));
      void (await unit.ask(ONE)).answered(1);
      expect(await unit.fail()).toMatchObject({ charged: CREDIT });
      expect(await codeOf(begin(id, 'k'))).toBe('conflict');
      expect((await balanceOf(subscription)).balance).toBe(99 * CREDIT);
    });
  });
}
