import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LEAK_LIMITS } from '../../../src/core/leak-limits.ts';
import { createApprovals } from '../../../src/store/approvals.ts';
import { createLeaks, type LeakOwner } from '../../../src/store/leaks.ts';
import { createMovableClock } from '../movable-clock.ts';
import { sayNotRun } from '../not-run.ts';
import { testSize } from '../sized.ts';
import type { Engine } from './world.ts';

/** What every database must do with what callers were shown, chose and asked. */
export function leakContract(engine: Engine): void {
  describe(`${engine.name}: leak budgets`, () => {
    const clock = createMovableClock();
    let opened: Awaited<ReturnType<Engine['fresh']>>;
    beforeAll(async () => {
      opened = await engine.fresh(clock);
    });
    afterAll(() => opened.dispose());
    let count = 0;
    const newOwner = (): LeakOwner => {
      count += 1;
      return { owner: `o${count}`, payers: [`key k${count}`, `agent a${count}`] };
    };
    const gateways = () => [opened.database, opened.again()].map((database) => createLeaks(database, clock));

    test('two gateways and forty choices at once: exactly as many as the budget holds', async () => {
      const who = newOwner();
      const both = gateways();
      const [first] = both;
      const limits = { perDomain: 10_000, total: 17_000 };
      const booked = await Promise.all(
        Array.from({ length: 40 }, async (_, index) =>
          both[index % 2]?.book(who, { domain: `${index % 4}.example`, bits: 1_000 }, limits),
        ),
      );
      expect(booked.filter(Boolean).length).toBe(17);
      expect(await first?.booked(who)).toBe(17_000);
      // An agent with a fresh key has no fresh budget, and a key with a fresh agent neither.
      for (const payers of [
        [who.payers[0] ?? '', 'agent other'],
        ['key other', who.payers[1] ?? ''],
      ])
        expect(await first?.book({ ...who, payers }, { domain: 'x.example', bits: 1 }, limits)).toBe(false);
      expect(await first?.book(newOwner(), { domain: 'x.example', bits: 1 }, limits)).toBe(true);
      clock.move(LEAK_LIMITS.windowMs + 1);
      expect(await first?.book(who, { domain: 'x.example', bits: 1 }, limits)).toBe(true);
    });

    test('one domain has a budget of its own', async () => {
      const [leaks] = gateways();
      const who = newOwner();
      const limits = { perDomain: 3_000, total: 9_000 };
      const book = (domain: string) => leaks?.book(who, { domain, bits: 2_000 }, limits);
      expect([await book('a.example'), await book('a.example'), await book('b.example')]).toEqual([
        true,
        false,
        true,
      ]);
    });

    test('what was shown is found by every gateway, latest first, for one owner and one day', async () => {
      const [one, other] = gateways();
      const who = newOwner();
      await one?.show(who, [
        { addresses: ['https://a.example/'], depth: 0 },
        { addresses: ['https://a.example/', 'https://b.example/'], depth: 3 },
      ]);
      expect(await other?.find(who, 'https://b.example/')).toMatchObject([
        { size: 2, rank: 1, count: 2, depth: 3 },
      ]);
      const found = await other?.find(who, 'https://a.example/');
      expect(found?.map(({ size, rank }) => [size, rank]).toSorted()).toEqual([
        [1, 2],
        [2, 1],
      ]);
      // A list that was chosen from comes first.
      clock.move(1);
      const list = found?.find(({ size }) => size === 1)?.list ?? '';
      await one?.book(who, { domain: 'a.example', bits: 1, list }, { perDomain: 9, total: 9 });
      expect(await other?.find(who, 'https://b.example/')).toMatchObject([{ rank: 2 }]);
      expect(await other?.find(newOwner(), 'https://a.example/')).toEqual([]);
      clock.move(LEAK_LIMITS.windowMs);
      expect(await other?.find(who, 'https://a.example/')).toEqual([]);
    });

    // Tens of thousands of rows; in a small run on SQLite only.
    const isLarge = engine.name === 'SQLite' || testSize() !== 'small';
    if (!isLarge) sayNotRun('the bound of lists of addresses on PostgreSQL', 'HEADGATE_TEST_SIZE=large');
    test.runIf(isLarge)('lists are bounded, and what is over is removed', async () => {
      const [leaks] = gateways();
      const who = newOwner();
      const many = (name: string, length: number) =>
        Array.from({ length }, (_, index) => `https://${name}.example/${index}`);
      for (let index = 0; index < 7; index += 1) {
        clock.move(1);
        await leaks?.show(who, [{ addresses: many(`m${index}`, LEAK_LIMITS.listAddressesMax), depth: 0 }]);
      }
      expect(await leaks?.find(who, 'https://m0.example/0')).toEqual([]);
      expect(await leaks?.find(who, 'https://m6.example/9999')).toMatchObject([{ rank: 1 }]);
      clock.move(LEAK_LIMITS.windowMs);
      await leaks?.show(newOwner(), [{ addresses: ['https://a.example/'], depth: 0 }]);
      const [row] = await opened.database.read('SELECT COUNT(*) AS rows FROM leak_addresses');
      expect(Number(row?.['rows'])).toBe(1);
    });

    test('a code is for one caller and one address, once, and expires', async () => {
      const approvals = createApprovals(opened.database, clock);
      const who = newOwner();
      const about = { url: 'https://a.example/x', reason: 'It was not shown.' };
      const asked = await approvals.ask(who, about);
      expect(asked).toMatchObject({ state: 'pending', url: about.url });
      expect(asked?.code).toMatch(/^([2-9A-Z]{4}-){2}[2-9A-Z]{4}$/);
      expect((await approvals.ask(who, about))?.code).toBe(asked?.code);
      expect(await approvals.use(who, about.url)).toBe(false);
      const typed = asked?.code.toLowerCase().replaceAll('-', ' ') ?? '';
      expect(await approvals.decide(typed, true)).toMatchObject({ state: 'approved' });
      await expect(approvals.decide(typed, true)).rejects.toMatchObject({ code: 'not_found' });
      expect(await approvals.use(newOwner(), about.url)).toBe(false);
      expect(await approvals.use(who, 'https://a.example/y')).toBe(false);
      const uses = await Promise.all([1, 2, 3].map(() => approvals.use(who, about.url)));
      expect(uses.filter(Boolean)).toHaveLength(1);

      const late = await approvals.ask(who, about);
      clock.move(LEAK_LIMITS.approvalMs);
      await expect(approvals.decide(late?.code ?? '', true)).rejects.toMatchObject({ code: 'not_found' });
      const questions = await Promise.all(
        Array.from({ length: LEAK_LIMITS.approvalsPerCallerMax + 3 }, async (_, index) =>
          approvals.ask(who, { ...about, url: `https://b.example/${index}` }),
        ),
      );
      const codes = questions.flatMap((one) => one?.code ?? []);
      expect(codes).toHaveLength(LEAK_LIMITS.approvalsPerCallerMax);
      expect(await approvals.ask(who, { ...about, url: 'https://c.example/' })).toBeUndefined();
      expect(await approvals.list()).toHaveLength(codes.length);
    });
  });
}
