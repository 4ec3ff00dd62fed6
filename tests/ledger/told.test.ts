import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createTestClock } from '../support/clock.ts';
import { HeadgateError } from '../../src/core/errors.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createMeter } from '../../src/meter/meter.ts';
import { defineOperation } from '../../src/operations/operation.ts';
import { createCall, perform } from '../../src/operations/perform.ts';
import type { Cost } from '../../src/operations/run-unit.ts';
import type { Services } from '../../src/operations/services.ts';
import type { Database } from '../../src/store/database.ts';
import { decide } from '../../src/store/ledger/ledger.ts';
import { createMemoryLedger } from '../support/ledger/memory-ledger.ts';
import { sized } from '../support/sized.ts';

const HISTORIES = sized('histories of what callers are told', { small: 40, large: 10_000, full: 10_000 });
const CREDIT = 8_000;

/** One request of a call: what it may cost, and how it ends. */
const request = fc.record({
  credits: fc.integer({ min: 0, max: 3 }),
  /** What the provider says that it used: true, a lie, or nothing. */
  reports: fc.option(fc.constantFrom(0, 1, 2, 3, 7, 1_000_000), { freq: 4 }),
  end: fc.constantFrom('answer', 'answer', 'answer', 'answer', 'refuse', 'doubt'),
});
const call = fc.record({
  requests: fc.array(request, { maxLength: 3 }),
  fails: fc.integer({ min: 0, max: 4 }).map((chance) => chance === 0),
  key: fc.option(fc.constantFrom('a', 'b'), { freq: 2 }),
  waitMs: fc.constantFrom(0, 1_000, 3_600_000, 90_000_000),
  /** The connection to the store is lost after every commit, and each is sent again. */
  isResent: fc.boolean(),
});
type Request = typeof request extends fc.Arbitrary<infer Value> ? Value : never;

/** The product's own road, meter and ledger over rows in memory. */
function createRoad(balance: number, callsFree: number) {
  const clock = createTestClock();
  const account = { id: 's', tier: 'pro', balance: 0, reserved: 0, clock: 0, ahead: 0, budget_use: '' };
  const ledger = createMemoryLedger(decide, account);
  const connection = { isLost: false };
  const database: Database = {
    dialect: 'sqlite',
    read: async () => [{ subscription: 's' }],
    write: async () => [],
    book: async (operation) => {
      if (connection.isLost) ledger.run([operation], clock.now(), true);
      const [answer] = ledger.run([operation], clock.now(), true);
      if (answer === undefined) throw new Error('no answer');
      return answer;
    },
    log: async () => undefined,
    backup: async () => undefined,
    check: async () => [],
    close: async () => undefined,
  };
  const tiers = { pro: { callsFree, beyond: 'charge', creditsMax: null } } as const;
  const meter = createMeter({ database, clock, log: silentLogger, tiers, prices: { tavily: CREDIT } });
  ledger.run(
    [{ kind: 'grant', subscription: 's', reference: 'start', amount: balance, note: null }],
    clock.now(),
    true,
  );
  const config = { search: { timeout_ms: 60_000 } };
  const services = {
    clock,
    log: silentLogger,
    config,
    meter,
    rulesFor: async () => undefined,
  } as unknown as Services;
  return { clock, ledger, services, connection };
}

const operation = defineOperation({
  contract: { name: 'told', title: '', description: '', input: z.unknown(), output: z.unknown() },
  scope: 'search',
  webTools: [],
  run: async (input, { call: { unit } }) => {
    const { requests, fails } = input as { requests: Request[]; fails: boolean };
    let credits = 0;
    for (const { credits: most, reports, end } of requests) {
      const asked = await unit?.ask({ category: 'search', provider: 'tavily', credits: most });
      if (end === 'refuse') await asked?.release();
      else if (end === 'doubt') await asked?.doubt('no answer');
      else void asked?.answered(reports);
      credits += reports ?? 0;
    }
    if (fails) throw new HeadgateError('upstream_unavailable', 'It failed at the end.');
    return { credits };
  },
});

test('what callers were told adds up to what the ledger booked, to the millionth', async () => {
  let told = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(call, { maxLength: 8 }),
      fc.nat({ max: 30 }),
      fc.nat({ max: 4 }),
      async (calls, balance, callsFree) => {
        const { clock, ledger, services, connection } = createRoad(balance * CREDIT, callsFree);
        let charged = 0;
        for (const { requests, fails, key, waitMs, isResent } of calls) {
          connection.isLost = isResent;
          clock.advance(waitMs);
          const options = key === null ? {} : { idempotencyKey: key };
          const open = createCall(services, { caller: { workspace: 'w' }, ...options });
          const cost = await perform(operation, { requests, fails }, { call: open, services }).then(
            (output) => (output as { cost: Cost }).cost,
            (thrown: unknown) => HeadgateError.from(thrown).data['cost'] as Cost | undefined,
          );
          open.end();
          charged += cost?.charged ?? 0;
          const { balance: now } = ledger.account;
          expect([cost?.balance_after ?? now, now]).toEqual([now, balance * CREDIT - charged]);
          told += 1;
        }
        const booked = ledger.rows.reduce((sum, row) => sum + (row.kind === 'charge' ? -row.amount : 0), 0);
        expect({ charged, reserved: ledger.account.reserved }).toEqual({ charged: booked, reserved: 0 });
      },
    ),
    { numRuns: HISTORIES },
  );
  expect(told).toBeGreaterThan(HISTORIES);
}, 600_000);
