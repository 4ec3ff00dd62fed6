import { mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Mutant, simulationOf } from '../support/simulation/mutants.ts';
import { sized } from '../support/sized.ts';

/** What the books once did wrong. */
const REVERTED: Mutant[] = [
  {
    name: 'a caller that hangs up is given back what the provider did',
    file: 'operations/asking/spend.ts',
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
        'const committed = await meter.commit({ id: opened.id, charges, kept });',
        `const committed = await meter.commit({ id: opened.id, charges, kept: null });
         if (kept !== null) await meter.commit({ id: opened.id, charges: [], kept });`,
      ],
    ],
  },
  {
    name: 'a provider is asked before its hold is decided',
    file: 'operations/asking/spend.ts',
    changes: [
      [
        'const asked = await unit.ask({',
        'const early = ask(call); early.catch(() => 0); const asked = await unit.ask({',
      ],
      ['ask({ ...call, paid })', 'early'],
    ],
  },
];

const HISTORIES = sized('simulated histories per mutant', { small: 3_000, large: 10_000, full: 30_000 });
// The mutants import packages, so they are put where packages are found.
const folder = mkdtempSync(join(resolve(import.meta.dirname, '../../node_modules'), '.mutants-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const mutants = REVERTED.slice(
  0,
  sized('reverted fixes that the simulation must find', { small: 2, large: 5, full: 5 }),
);

test.each(mutants)(
  'the simulation finds that $name',
  async (mutant) => {
    const simulate = await simulationOf(mutant, folder);
    const { found } = await simulate({ seed: 1, histories: HISTORIES });
    expect(found).toHaveLength(1);
  },
  600_000,
);
