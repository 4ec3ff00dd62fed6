import { expect } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import type { Database } from '../../../src/store/database.ts';
import type { LedgerAnswer } from '../../../src/store/ledger/types.ts';
import type { GatewayProcess } from './processes.ts';
import { holdOf, settleOf } from './workload.ts';

/** What a killed gateway had said before it died. */
export interface Said {
  begun: Set<string>;
  held: Set<string>;
  settled: Set<string>;
}

export const nothingSaid = (): Said => ({
  begun: new Set(),
  held: new Set(),
  settled: new Set(),
});

export function listen(said: Said, gateway: GatewayProcess): void {
  const kinds = { B: said.begun, H: said.held, S: said.settled };
  for (const line of gateway.lines) {
    const [kind = '', id = ''] = line.split(' ');
    kinds[kind as keyof typeof kinds]?.add(id);
  }
}

/** Nothing that was acknowledged is missing, and what is in doubt has at most one effect, also when it comes again. */
export async function expectNothingLost(database: Database, subscription: string, said: Said): Promise<void> {
  const stateOf = async () => {
    const rows = await database.read('SELECT id, state FROM holds WHERE subscription = ?', subscription);
    return new Map(rows.map((row) => [String(row.id), String(row.state)]));
  };
  const states = await stateOf();
  const lostHolds = [...said.held].filter((id) => !states.has(id));
  const lostSettles = [...said.settled].filter((id) => states.get(id) !== 'settled');
  expect({ lostHolds, lostSettles }).toEqual({ lostHolds: [], lostSettles: [] });
  expect(await database.check()).toEqual([]);

  const inDoubt = [...said.begun].filter((id) => !said.settled.has(id));
  for (const round of [1, 2]) {
    const ends = await Promise.all(
      inDoubt.map(async (id) => {
        await database.book(holdOf(id, subscription));
        return database.book(settleOf(id, subscription, 1, systemClock.now()));
      }),
    );
    const isEnded = (end: LedgerAnswer): boolean =>
      end.status === 'committed' && (round === 1 || end.holds.every((hold) => hold.already));
    expect(ends.every(isEnded)).toBe(true);
  }
  const [account] = await database.read(
    'SELECT balance, reserved FROM subscriptions WHERE id = ?',
    subscription,
  );
  const charges = await database.read(
    "SELECT count(*) AS charges FROM ledger WHERE kind = 'charge' AND subscription = ?",
    subscription,
  );
  expect(Number(charges[0]?.charges)).toBe(said.begun.size);
  expect(Number(account?.reserved)).toBe(0);
  // The row of a call is in the commit of its charge: none is missing, and none is there twice.
  const logged = await database.read(
    `SELECT count(*) AS rows, count(DISTINCT c.request) AS calls, sum(c.charged + l.amount) AS difference
     FROM calls c JOIN ledger l ON l.reference = c.request WHERE l.subscription = ?`,
    subscription,
  );
  expect(Object.values(logged[0] ?? {}).map(Number)).toEqual([said.begun.size, said.begun.size, 0]);
  expect(await database.check()).toEqual([]);
  for (const id of said.begun) said.settled.add(id);
}
