import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/core/limits.ts';
import { silentLogger } from '../../../src/core/log.ts';
import { createCallLog } from '../../../src/meter/call-log.ts';
import { beginUnitOfWork } from '../../../src/meter/unit-of-work.ts';
import { CALL_COLUMNS_FILTERED, CALL_NUMBERS_FILTERED } from '../../../src/store/calls.ts';
import { createCalls, type CallFilter, type LoggedCall } from '../../../src/store/calls.ts';
import { createMeter } from '../../../src/meter/meter.ts';
import { seededRandom } from '../seeded-random.ts';
import { sized } from '../sized.ts';
import { randomCall } from './random-call.ts';
import { createWorld, type Engine, PRICES, type World } from './world.ts';

const ROWS = sized('rows of a call log that every filter is tried on', {
  small: 5_200,
  large: 20_000,
  full: 200_000,
});
const VALUES = sized('values of each column that the call log is filtered by', {
  small: 1,
  large: 3,
  full: 3,
});
/** Each filter is tried alone; some of them, from all of the list, with another. */
const PAIRS = sized('pairs of filters of the call log', { small: 5, large: 50, full: 50 });
const DAY_MS = 24 * 3_600_000;

/** What the call log promises on every database. */
export function callsContract(engine: Engine): void {
  describe(`${engine.name}: the call log`, () => {
    let world: World;
    let rows: LoggedCall[];
    beforeAll(async () => {
      world = await createWorld(engine);
      const random = seededRandom(7);
      const start = world.clock.now() - ROWS * 100;
      for (let from = 0; from < ROWS; from += 500) {
        const count = Math.min(500, ROWS - from);
        await world.database.log(
          Array.from({ length: count }, (_, index) =>
            randomCall(random, start + Math.floor((from + index) / 3) * 300),
          ),
        );
      }
      rows = await everyPage({});
    });
    afterAll(() => world.dispose());

    const everyPage = async (filter: CallFilter, limit = 500): Promise<LoggedCall[]> => {
      const found: LoggedCall[] = [];
      let before: string | undefined;
      do {
        const page = await createCalls(world.database).page(filter, {
          limit,
          ...(before === undefined ? {} : { before }),
        });
        expect(page.calls.length).toBeLessThanOrEqual(limit);
        found.push(...page.calls);
        before = page.next;
      } while (before !== undefined);
      return found;
    };
    const matches = (call: LoggedCall, filter: CallFilter): boolean =>
      CALL_COLUMNS_FILTERED.every(
        (column) => filter[column] === undefined || call[column] === filter[column],
      ) &&
      (['tokens', 'credits', 'ms'] as const).every((column) => call[column] >= (filter[column] ?? 0)) &&
      (filter.cached === undefined || call.cached === filter.cached) &&
      (filter.text === undefined || (call.query ?? '').toLowerCase().includes(filter.text.toLowerCase())) &&
      call.at >= (filter.from ?? 0) &&
      call.at < (filter.to ?? Infinity);

    test('every page follows the one before, newest first, without a gap or a double', () => {
      expect(rows).toHaveLength(ROWS);
      expect(new Set(rows.map(({ seq }) => seq)).size).toBe(ROWS);
      expect(rows.map(({ at, seq }) => [at, seq])).toEqual(
        rows
          .map(({ at, seq }) => [at, seq])
          .toSorted((a, b) => (b[0] ?? 0) - (a[0] ?? 0) || (b[1] ?? 0) - (a[1] ?? 0)),
      );
    });

    test('every filter, alone and with another, finds what it says', async () => {
      const filters: CallFilter[] = [
        ...CALL_COLUMNS_FILTERED.flatMap((column) =>
          [...new Set(rows.map((row) => row[column]))]
            .filter((value) => value !== null)
            .slice(0, VALUES)
            .map((value) => ({ [column]: value })),
        ),
        ...CALL_NUMBERS_FILTERED.filter((column) => column !== 'tries').map((column) => ({ [column]: 2 })),
        { cached: true },
        { cached: false },
        { text: 'MILLS' },
        { text: '100%' },
        { text: '_' },
        { text: 'a!' },
        { from: rows[Math.floor(ROWS / 3)]?.at ?? 0, to: rows[10]?.at ?? 0 },
      ];
      const pairs = filters
        .map((filter, index) => ({ ...filter, ...filters[(index * 7 + 3) % filters.length] }))
        .filter((_, index) => index % Math.ceil(filters.length / PAIRS) === 0);
      for (const filter of [...filters, ...pairs]) {
        const wanted = rows.filter((row) => matches(row, filter)).map(({ seq }) => seq);
        const found = (await everyPage(filter)).map(({ seq }) => seq);
        expect({ filter, found }).toEqual({ filter, found: wanted });
      }
    });

    test('a search that finds little says how far it looked, and can go on', async () => {
      const calls = createCalls(world.database);
      const page = await calls.page({ ms: 1e9 }, { limit: 10 });
      const last = rows[LIMITS.callsLookedMax - 1];
      expect(page).toEqual({ calls: [], next: `${last?.at}.${last?.seq}`, searchedTo: last?.at });
      const texts = rows.filter(({ query }) => query !== null);
      const end = texts[LIMITS.callsLookedMax - 1];
      const words = await calls.page({ text: 'nowhere' }, { limit: 10 });
      expect(words).toEqual(
        end === undefined ? { calls: [] } : { calls: [], next: `${end.at}.${end.seq}`, searchedTo: end.at },
      );
      await expect(calls.page({}, { before: 'x', limit: 1 })).rejects.toMatchObject({
        code: 'invalid_request',
      });
    });

    test('what is charged is logged with the charge, once; what is free within a second', async () => {
      const own = await createWorld(engine);
      const bounds = { days: 30, rows: 1_000, textBytes: 1_000 };
      const local = { queries: false, answers: false };
      const log = createCallLog({
        database: own.database,
        clock: own.clock,
        log: silentLogger,
        bounds,
        local,
      });
      const meter = createMeter({ ...own, log: silentLogger, prices: PRICES, calls: log });
      const { id } = await own.workspace('pro', 1_000_000);
      const row = { ...randomCall(seededRandom(1), own.clock.now()), workspace: id };
      const call = async (provider: string, request: string) => {
        const begun = await beginUnitOfWork(meter, { caller: { workspace: id } });
        if (!('unit' in begun)) throw new Error('It was answered before.');
        const asked = await begun.unit.ask({ category: 'search', provider, credits: 2 });
        const written = asked.answered(2);
        await begun.unit.commit(undefined, { ...row, request });
        await written;
      };
      for (let used = 0; used < 10; used += 1) await call('tavily', `within ${used}`);
      await call('tavily', 'charged');
      await call('duckduckgo', 'free');
      const calls = createCalls(own.database);
      expect(await calls.page({}, { limit: 1 })).toMatchObject({
        calls: [{ request: 'charged', credits: 2, charged: 16_000 }],
      });
      own.clock.advance(LIMITS.callsFlushMs);
      await log.flush();
      expect((await calls.page({}, { limit: 20 })).calls.map(({ request }) => request)).toEqual(
        expect.arrayContaining(['charged', 'free']),
      );
      expect(await own.database.check()).toEqual([]);
      await own.dispose();
    });

    test('rows and texts are kept within the days, the rows and the bytes that are set', async () => {
      const own = await createWorld(engine);
      const now = own.clock.now();
      const random = seededRandom(3);
      const text = 'x'.repeat(100);
      const made = Array.from({ length: 300 }, (_, index) => ({
        ...randomCall(random, now - (300 - index) * (DAY_MS / 100)),
        query: text,
        text_bytes: 100,
      }));
      await own.database.log(made);
      const calls = createCalls(own.database);
      const kept = async (bounds: { days: number; rows: number; textBytes: number }) => {
        const log = createCallLog({
          ...own,
          log: silentLogger,
          bounds,
          local: { queries: false, answers: false },
        });
        await log.trim();
        const page = await calls.page({}, { limit: 500 });
        return {
          rows: page.calls.length,
          texts: page.calls.filter(({ query }) => query !== null).length,
          oldest: page.calls.at(-1)?.at,
        };
      };
      expect(await kept({ days: 2, rows: 1_000, textBytes: 1e9 })).toMatchObject({ rows: 200, texts: 200 });
      expect(await kept({ days: 2, rows: 150, textBytes: 1e9 })).toMatchObject({ rows: 150, texts: 150 });
      expect(await kept({ days: 2, rows: 150, textBytes: 5_050 })).toMatchObject({ rows: 150, texts: 50 });
      expect((await calls.page({}, { limit: 50 })).calls.every(({ query }) => query === text)).toBe(true);
      await own.dispose();
    });
  });
}
