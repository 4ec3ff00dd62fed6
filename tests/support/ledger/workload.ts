import type { CallRow } from '../../../src/core/call-row.ts';
import type { Migration } from '../../../src/store/migration.ts';
import type { HoldOperation, CommitOperation } from '../../../src/store/ledger/types.ts';
import { randomCall } from './random-call.ts';

/** Every call is charged: the ledger has a row for each. */
export const CHARGED = { pro: { callsFree: 0, beyond: 'charge' as const, creditsMax: null } };

export const holdOf = (id: string, subscription: string, workspace: string | null = null): HoldOperation => ({
  kind: 'hold',
  id,
  subscription,
  workspace,
  agent: null,
  key: null,
  person: null,
  category: 'search',
  provider: 'tavily',
  price: 8_000,
  credits: 1,
  counted: true,
  asks: true,
  ttlMs: 300_000,
  tiers: CHARGED,
});

/** A unit of work with one request, which ends. */
export const settleOf = (
  hold: string,
  subscription: string,
  credits: number | null = 1,
  at?: number,
): CommitOperation => ({
  kind: 'commit',
  id: `unit-${hold}`,
  subscription,
  charges: [{ hold, credits }],
  kept: null,
  tiers: CHARGED,
  overageMax: 4,
  ...(at === undefined ? {} : { call: callOf(hold, at) }),
});

/** The row of its call; what it cost is added when it is booked. */
const callOf = (request: string, at: number): CallRow => ({
  ...randomCall(() => 0, at),
  request,
  query: null,
  text_bytes: 0,
});

/** Four small steps that both databases understand, to be interrupted anywhere. */
export const STEPS: Migration[] = [1, 2, 3, 4].map((version) => ({
  version,
  name: `step ${version}`,
  sql: `CREATE TABLE step_${version} (id INTEGER PRIMARY KEY); INSERT INTO step_${version} VALUES (${version});`,
}));
