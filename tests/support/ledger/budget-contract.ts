import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HeadgateError } from '../../../src/core/errors.ts';
import { silentLogger } from '../../../src/core/log.ts';
import { HOUR_MS } from '../../../src/core/window.ts';
import { createMeter } from '../../../src/meter/meter.ts';
import { type BudgetInput, type Budgets, createBudgets } from '../../../src/store/budgets.ts';
import { createAgents } from '../../../src/store/agents.ts';
import { createKeys } from '../../../src/store/keys.ts';
import { BUDGET_LEVELS } from '../../../src/store/ledger/budget.ts';
import { sized } from '../sized.ts';
import { codeOf, createWorld, type Engine, PRICES, search, type World } from './world.ts';

const CALLERS = sized('callers at once for the rest of a budget', { small: 40, large: 400, full: 1_000 });
const TIERS = { pro: { callsFree: null, beyond: 'charge', creditsMax: null } } as const;

/** What budgets promise on every database, with two gateways on it. */
export function budgetContract(engine: Engine): void {
  describe(`${engine.name}: budgets`, () => {
    let world: World;
    let budgets: Budgets;
    let other: World['meter'];
    beforeAll(async () => {
      world = await createWorld(engine, { tiers: TIERS });
      budgets = createBudgets(world.database, world.clock, world.accounts);
      other = createMeter({
        ...world,
        database: world.again(),
        log: silentLogger,
        prices: PRICES,
        tiers: TIERS,
      });
    });
    afterAll(async () => {
      expect(await world.database.check()).toEqual([]);
      await world.dispose();
    });
    /** A workspace with an agent, a key and a person, and what a call by all of them says. */
    const team = async () => {
      const { id: workspace } = await world.workspace('pro');
      const { id: agent } = await createAgents(world.database, world.clock).create({ workspace, name: 'A' });
      const { record } = await createKeys(world.database, world.clock).create({ workspace, label: 'K' });
      return { workspace, agent, key: record.id, person: 'ada' };
    };
    const refusalOf = (promise: Promise<unknown>): Promise<HeadgateError> =>
      promise.then(
        () => expect.fail('should have been refused'),
        (thrown: unknown) => HeadgateError.from(thrown),
      );
    const eventsOf = async (subject: string) =>
      (
        await world.database.read(
          'SELECT kind, threshold FROM events WHERE subject = ? ORDER BY threshold, kind',
          subject,
        )
      ).map((row) => `${row['kind']} ${row['threshold']}`);
    const set = (input: Pick<BudgetInput, 'workspace' | 'amount'> & Partial<BudgetInput>) =>
      budgets.set({ level: 'workspace', unit: 'credits', period: 'day', ...input });

    test.each(BUDGET_LEVELS)(
      '%s: of many callers at two gateways exactly as many pass as the budget allows',
      async (level) => {
        const who = await team();
        const allowed = Math.floor(CALLERS / 3);
        await set({ workspace: who.workspace, level, subject: who[level], amount: allowed });
        // Larger ones decide nothing.
        for (const larger of BUDGET_LEVELS)
          await set({
            workspace: who.workspace,
            level: larger,
            subject: who[larger],
            amount: allowed + 5,
            period: '48h',
          });
        const ends = await Promise.allSettled(
          Array.from({ length: CALLERS }, (_, index) =>
            (index % 2 === 0 ? world.meter : other).hold(search(who.workspace, who)),
          ),
        );
        const held = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
        expect(held).toHaveLength(allowed);
        const refused = ends.flatMap((end) =>
          end.status === 'rejected' ? [end.reason as HeadgateError] : [],
        );
        const data = { level, subject: who[level], limit: allowed };
        for (const one of refused) expect(one).toMatchObject({ code: 'limit_reached', data });
        // What is given back can be used again, by anybody.
        await Promise.all(
          held.slice(0, 3).map((hold, index) => (index % 2 === 0 ? other : world.meter).release(hold)),
        );
        const again = await Promise.allSettled(
          Array.from({ length: 6 }, () => other.hold(search(who.workspace, who))),
        );
        expect(again.filter((end) => end.status === 'fulfilled')).toHaveLength(3);
        // Nobody else is concerned.
        const someone = await codeOf(world.meter.hold(search(who.workspace)));
        expect(someone).toBe(level === 'workspace' ? 'limit_reached' : 'fulfilled');
      },
    );

    test('a budget in money counts credits at the price of the provider, and what was used, not what was reserved', async () => {
      const { workspace } = await team();
      const { id } = await set({ workspace, unit: 'money', amount: 10 * PRICES.tavily });
      const hold = await world.meter.hold(search(workspace, { credits: 8 }));
      expect(await budgets.get(id)).toMatchObject({ used: 8 * PRICES.tavily, left: 2 * PRICES.tavily });
      const refused = await refusalOf(world.meter.hold(search(workspace, { credits: 3 })));
      expect(refused.message).toContain('$0.064 of $0.08 used this day by the workspace');
      await world.meter.settle(hold, 2);
      expect(await budgets.get(id)).toMatchObject({ used: 2 * PRICES.tavily });
      await world.meter.hold(search(workspace, { credits: 3 }));
    });

    test('days and months are those of the time zone, and a rolling budget frees what is old', async () => {
      const { workspace } = await team();
      world.clock.advance(Date.parse('2027-03-27T22:30:00Z') - world.clock.now());
      const { id } = await set({ workspace, amount: 2, zone: 'Europe/Berlin' });
      for (let call = 0; call < 2; call += 1)
        await world.meter.settle(await world.meter.hold(search(workspace)), 1);
      const refused = await refusalOf(world.meter.hold(search(workspace)));
      expect(refused.data).toMatchObject({ resetAt: '2027-03-27T23:00:00.000Z' });
      expect(refused.retryAfterMs).toBe(HOUR_MS / 2);
      world.clock.advance(HOUR_MS);
      await world.meter.settle(await world.meter.hold(search(workspace)), 1);
      // This day has 23 hours: summer time begins.
      expect(await budgets.get(id)).toMatchObject({ used: 1, renews: Date.parse('2027-03-28T22:00:00Z') });

      const monthly = await team();
      await set({ workspace: monthly.workspace, amount: 1, period: 'month', zone: 'Asia/Tokyo' });
      await world.meter.settle(await world.meter.hold(search(monthly.workspace)), 1);
      const until = await refusalOf(world.meter.hold(search(monthly.workspace)));
      expect(until.data).toMatchObject({ resetAt: '2027-03-31T15:00:00.000Z' });

      const rolling = await team();
      await set({ workspace: rolling.workspace, amount: 2, period: '3h' });
      await world.meter.settle(await world.meter.hold(search(rolling.workspace)), 1);
      world.clock.advance(2 * HOUR_MS);
      await world.meter.settle(await world.meter.hold(search(rolling.workspace)), 1);
      const full = await refusalOf(world.meter.hold(search(rolling.workspace)));
      expect(full.data).toMatchObject({ resetAt: '2027-03-28T03:00:00.000Z' });
      world.clock.advance(1.5 * HOUR_MS);
      await world.meter.hold(search(rolling.workspace));
      expect(await refusalOf(world.meter.hold(search(rolling.workspace)))).toMatchObject({
        code: 'limit_reached',
      });
    });

    test('each threshold is one event per period, and a soft budget refuses nothing', async () => {
      const { workspace } = await team();
      const { id } = await set({ workspace, amount: 10, hard: false });
      const use = async (credits: number) =>
        world.meter.settle(await other.hold(search(workspace, { credits })), credits);
      await use(4);
      expect(await eventsOf(id)).toEqual([]);
      await use(5);
      expect(await eventsOf(id)).toEqual(['budget.threshold 50', 'budget.threshold 80']);
      // What is only reserved has crossed nothing yet.
      const open = await other.hold(search(workspace, { credits: 3 }));
      expect(await eventsOf(id)).toHaveLength(2);
      await world.meter.release(open);
      await use(3);
      await use(3);
      expect(await eventsOf(id)).toEqual([
        'budget.threshold 50',
        'budget.threshold 80',
        'budget.threshold 100',
      ]);
      expect(await budgets.get(id)).toMatchObject({ used: 15, left: -5 });
      world.clock.advance(24 * HOUR_MS);
      await use(5);
      expect((await eventsOf(id)).filter((one) => one.endsWith(' 50'))).toHaveLength(2);
      // A larger amount keeps what was used; the refusal of a hard one is reported once.
      await set({ workspace, amount: 6 });
      for (let call = 0; call < 3; call += 1)
        await refusalOf(world.meter.hold(search(workspace, { credits: 2 })));
      expect((await eventsOf(id)).filter((one) => one.startsWith('budget.exhausted'))).toHaveLength(1);
    });

    test('a budget that was removed, or set in another time zone, gives nothing back and takes nothing', async () => {
      const { workspace } = await team();
      const first = await set({ workspace, amount: 1 });
      const hold = await world.meter.hold(search(workspace));
      const second = await set({ workspace, amount: 1, zone: 'Asia/Tokyo' });
      expect(second).toMatchObject({ used: 0 });
      expect(second.id).not.toBe(first.id);
      await other.release(hold);
      expect(await budgets.list(workspace)).toEqual([second]);
      await budgets.remove(second.id);
      await world.meter.hold(search(workspace, { credits: 5 }));
    });
  });
}
