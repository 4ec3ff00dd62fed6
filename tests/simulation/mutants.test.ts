import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Mutant, simulationOf } from '../support/simulation/mutants.ts';
import { sized } from '../support/sized.ts';

/** What the books once did wrong. */
const REVERTED: Mutant[] = [
  {
    name: 'a caller that hangs up is given back what the provider did',
    file: 'routing/spend.ts',
    changes: [
      ['{ signal: asked.heard, isSent: false }', '{ signal: call.signal, isSent: false }'],
      [
        "'upstream_timeout', 'network_error', 'deadline_exceeded', 'cancelled'",
        "'upstream_timeout', 'network_error'",
      ],
    ],
  },
  {
    name: 'whatever a provider reports is charged',
    file: 'store/ledger/ledger.ts',
    changes: [['Math.min(reported, most)', 'reported']],
  },
  {
    name: 'an answer whose charge could not be written is delivered',
    file: 'meter/booking.ts',
    changes: [
      [
        'throw bookingLost(thrown);',
        "return { status: 'committed', holds: [], balance: 0, callsLeft: null };",
      ],
    ],
  },
  {
    name: 'the charge and the kept answer are two commits',
    file: 'meter/unit-of-work.ts',
    changes: [
      [
        'const commit = meter.commit({ id: opened.id, charges, kept, call });',
        `const commit = meter.commit({ id: opened.id, charges, kept: null }).then(async (done) => {
           if (kept !== null) await meter.commit({ id: opened.id, charges: [], kept });
           return done;
         });`,
      ],
    ],
  },
  {
    name: 'a provider is asked before its hold is decided',
    file: 'routing/spend.ts',
    changes: [
      [
        'const asked = await unit.ask({',
        'const early = ask(call); early.catch(() => 0); const asked = await unit.ask({',
      ],
      ['ask({ ...call, paid })', 'early'],
    ],
  },
];

/** What could go wrong, and what the simulation must not miss. */
const SEEDED: Mutant[] = [
  {
    name: 'a hang-up ends the request at a priced provider',
    file: 'routing/ask.ts',
    changes: [['const signal = paid?.signal ?? call.signal;', 'const signal = call.signal;']],
  },
  {
    name: 'a short timeout of the caller ends the request at a priced provider',
    file: 'routing/ask.ts',
    changes: [
      [
        'paid === undefined ? call.deadline - services.clock.now() : longest',
        'call.deadline - services.clock.now()',
      ],
    ],
  },
  {
    name: 'a failure that was charged frees its idempotency key',
    file: 'store/ledger/ledger.ts',
    changes: [['if (isPaid || isBooked)', 'if (isPaid)']],
  },
  {
    name: 'other credits are told than those that are booked',
    file: 'meter/booking.ts',
    changes: [['sum + (hold.credits ?? 0)', 'sum + (hold.reported ?? hold.credits ?? 0)']],
  },
  {
    name: 'a commit that is sent again is told as free',
    file: 'meter/booking.ts',
    changes: [
      [
        "holds.filter((hold) => hold.state === 'settled')",
        "holds.filter((hold) => hold.state === 'settled' && !hold.already)",
      ],
    ],
  },
  {
    name: 'an idempotency key is not scoped to its workspace',
    file: 'meter/meter.ts',
    changes: [
      [
        '`${workspace} ${key} ${agent} ${checkedName',
        '`${workspace.slice(0, 0)} ${key} ${agent} ${checkedName',
      ],
    ],
  },
  {
    name: 'an idempotency key is not scoped to its API key',
    file: 'meter/meter.ts',
    changes: [
      [
        '`${workspace} ${key} ${agent} ${checkedName',
        '`${workspace} ${key.slice(0, 0)} ${agent} ${checkedName',
      ],
    ],
  },
  {
    name: 'a request is charged after the operator closed it',
    file: 'store/ledger/ledger.ts',
    changes: [["(hold.state === 'doubt' && hold.verdict === null)", "hold.state === 'doubt'"]],
  },
  {
    name: 'an answer to a request that the operator closed is delivered',
    file: 'meter/booking.ts',
    changes: [["hold.state !== 'settled'))", "hold.state === 'open'))"]],
  },
  {
    name: 'an answer is cached before it is charged',
    file: 'routing/cached.ts',
    changes: [
      [
        'ignoreRejection(Promise.all(pending).then(() => keep(asked)))',
        '(keep(asked), ignoreRejection(Promise.all(pending)))',
      ],
    ],
  },
  {
    name: 'the hour of a call is taken from the wall clock',
    file: 'store/sqlite/thread.ts',
    changes: [['now: steady(options.clock.now())', 'now: options.clock.now()']],
  },
  {
    name: 'the hour of a call is not taken from the time of its account',
    file: 'store/ledger/ledger.ts',
    changes: [['hour: Math.floor(made.now / HOUR_MS)', 'hour: Math.floor(made.at / HOUR_MS)']],
  },
  {
    name: 'what is held has no least time',
    file: 'meter/meter.ts',
    changes: [['Math.max(request.ttlMs ?? 0, LIMITS.holdTtlMs)', '(request.ttlMs ?? 0)']],
  },
  {
    name: 'a failure is told before it is booked',
    file: 'operations/run-unit.ts',
    changes: [
      [
        'throw withCost(error, await fail(note?.failedRow(error)));',
        'void fail(note?.failedRow(error)).catch(() => undefined); throw error;',
      ],
    ],
  },
  {
    name: 'a failed unit does not wait for the store',
    file: 'meter/unit-of-work.ts',
    changes: [
      [
        'return receiptOf(book(undefined, true, isLate ? undefined : call), owes);',
        '{ void book(undefined, true, isLate ? undefined : call).catch(() => undefined); return undefined; }',
      ],
    ],
  },
  {
    name: 'other credits are told beside the cost than those that are booked',
    file: 'operations/perform.ts',
    changes: [['{ ...output, ...credits, cost', '{ ...credits, ...output, cost']],
  },
  {
    name: 'nobody counts how often a provider is asked again',
    file: 'routing/route.ts',
    changes: [['if (isRetry) retries += 1;', '']],
  },
  {
    name: 'a change of an hour replaces the hour that is known',
    file: 'store/sqlite/row-cache.ts',
    changes: [['(before?.count ?? 0) + change.count', 'change.count']],
  },
  {
    name: 'a provider that used nothing is paid the estimate',
    file: 'meter/booking.ts',
    changes: [
      ['Number.isSafeInteger(credits) && credits >= 0', 'Number.isSafeInteger(credits) && credits > 0'],
    ],
  },
  {
    name: 'the window is an hour short',
    file: 'store/ledger/book.ts',
    changes: [['bucket.hour >= oldest', 'bucket.hour > oldest']],
  },
  {
    name: 'workspaces share what is cached',
    file: 'routing/cached.ts',
    changes: [["call.caller.workspace ?? ''", "''"]],
  },
  {
    name: 'the sweeper forgets keys too early',
    file: 'meter/sweeper.ts',
    changes: [
      [
        "'DELETE FROM idempotency WHERE expires <= ?', values: [now]",
        "'DELETE FROM idempotency WHERE expires <= ?', values: [now + 20 * HOUR_MS]",
      ],
    ],
  },
  {
    name: 'what is given back stays reserved in budgets',
    file: 'store/ledger/hold-budgets.ts',
    changes: [['moved.wasHeld ? budget.weigh(hold.estimate, hold.price) : 0', '0']],
  },
  {
    name: 'what was swept is given back to budgets again',
    file: 'store/ledger/hold-budgets.ts',
    changes: [
      [
        'moved.wasHeld ? budget.weigh(hold.estimate, hold.price) : 0',
        'budget.weigh(hold.estimate, hold.price)',
      ],
    ],
  },
  {
    name: 'budgets count what was reserved, not what was used',
    file: 'store/ledger/hold-budgets.ts',
    changes: [['budget.weigh(moved.credits, hold.price)', 'budget.weigh(hold.estimate, hold.price)']],
  },
  {
    name: 'a budget refuses one call too late',
    file: 'store/ledger/hold-budgets.ts',
    changes: [['used() + needed > row.amount', 'used() >= row.amount']],
  },
  {
    name: 'the budget of a key counts the calls of others',
    file: 'store/ledger/hold-budgets.ts',
    changes: [
      [
        'operation[row.level] === row.subject',
        "(row.level === 'key' || operation[row.level] === row.subject)",
      ],
    ],
  },
  {
    name: 'of thresholds that are reached at once, only the last is reported',
    file: 'store/ledger/budget.ts',
    changes: [['return reached.map(', 'return reached.slice(-1).map(']],
  },
  {
    name: 'a threshold is reported once and never again',
    file: 'store/ledger/budget.ts',
    changes: [['use.told = [reported, 0, 0];', 'use.told[0] = reported;']],
  },
  {
    name: 'a rolling budget forgets a slot too early',
    file: 'store/ledger/budget.ts',
    changes: [['start + lastsMs > now,', 'start + lastsMs - slotMs > now,']],
  },
  {
    name: 'what a batch reserves in a budget is not written',
    file: 'store/ledger/hold-budgets.ts',
    changes: [['for (const budget of budgets) book.touchBudget(budget);', '']],
  },
  {
    name: 'what is swept late is charged twice to its hour',
    file: 'store/ledger/ledger.ts',
    changes: [['if (isSwept) book.count(hold, 1, credits);', 'if (isSwept) book.count(hold, 2, credits);']],
  },
];

const HISTORIES = sized('simulated histories per mutant', { small: 3_000, large: 10_000, full: 30_000 });
// The mutants import packages, so they are put where packages are found.
const folder = mkdtempSync(join(resolve(import.meta.dirname, '../../node_modules'), '.mutants-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ALL = [...REVERTED, ...SEEDED];
const mutants = ALL.slice(
  0,
  sized('bugs that the simulation must find', { small: 1, large: ALL.length, full: ALL.length }),
);

test('every bug changes something that the source still says', () => {
  const stale = ALL.filter(({ file, changes }) => {
    const source = readFileSync(resolve(import.meta.dirname, '../../src', file), 'utf8');
    return !changes.every(([right]) => source.includes(right));
  });
  expect(stale.map(({ name }) => name)).toEqual([]);
});

test.each(mutants)(
  'the simulation finds that $name',
  async (mutant) => {
    const simulate = await simulationOf(mutant, folder);
    const { found } = await simulate({ seed: 1, histories: HISTORIES });
    expect(found).toHaveLength(1);
  },
  600_000,
);
