import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { decide } from '../../src/store/ledger/ledger.ts';
import { history, play } from '../support/ledger/history.ts';
import type { Decide } from '../support/ledger/memory-ledger.ts';
import { sized } from '../support/sized.ts';

/** Histories per run; `npm run test:long` plays many more. */
const HISTORIES = sized('random ledger histories', { small: 60, large: 10_000, full: 300_000 });

test('L1, L3, L4, L5, L8: any history of calls, crashes, duplicates and clock jumps agrees with the model', () => {
  let operations = 0;
  fc.assert(
    fc.property(history, (each) => {
      operations += play(decide, each);
    }),
    { numRuns: HISTORIES },
  );
  expect(operations).toBeGreaterThan(HISTORIES * 10);
}, 3_600_000);

/** A bug as a change of the source: the file, what is there, and what would be wrong. The first nine are the seeded ones. */
const BUGS: [name: string, file: string, right: string, wrong: string][] = [
  [
    'a hold is settled twice',
    'ledger.ts',
    "if (hold.state !== 'open' && !isSwept) return",
    'if (false) return',
  ],
  ['the window has 24 buckets', 'window.ts', 'WINDOW_HOURS = 25', 'WINDOW_HOURS = 24'],
  ['open holds are not subtracted', 'ledger.ts', 'account.balance - account.reserved', 'account.balance'],
  [
    'a refund charges',
    'ledger.ts',
    'account.reserved -= hold.amount;\n  if (hold.counted === 1) book.count(hold, -1',
    'account.reserved -= hold.amount; account.balance -= hold.amount;\n  if (hold.counted === 1) book.count(hold, -1',
  ],
  [
    'refused calls are counted',
    'ledger.ts',
    "tier.beyond === 'block') {",
    "tier.beyond === 'block') { book.count(newHold(operation, { at: now, now, amount: 0, free: true }), 1, 0);",
  ],
  ['duplicates are admitted', 'ledger.ts', 'if (before !== undefined)', 'if (false)'],
  [
    'overage is not charged at all',
    'ledger.ts',
    'Math.min(reported, most)',
    'Math.min(reported, hold.estimate)',
  ],
  ['overage has no bound', 'ledger.ts', 'Math.min(reported, most)', 'reported'],
  [
    'a request that was asked and swept is not in doubt',
    'ledger.ts',
    "(kind === 'expire' && hold.asked !== null)",
    'false',
  ],
  [
    'a request in doubt still costs',
    'ledger.ts',
    "if (hold.state !== 'open') return endedOf(hold, true);\n  account.reserved",
    "if (hold.state !== 'open') return endedOf(hold, true);\n  if (state === 'doubt') account.balance -= hold.amount;\n  account.reserved",
  ],
  [
    'a key is free again although something was charged',
    'ledger.ts',
    'if (isPaid || isBooked)',
    'if (isPaid)',
  ],
  [
    'a clock that was wrong refuses for ever',
    'ledger.ts',
    'if (clock - (book.now + ahead) > WINDOW_MS) ahead = clock - book.now;',
    'if (false) ahead = 0;',
  ],
  [
    'a clock that comes back opens the window',
    'ledger.ts',
    'book.now >= clock - HOUR_MS && book.now + ahead - clock >= WINDOW_MS',
    'false',
  ],
  [
    'one category only',
    'book.ts',
    'bucket.hour >= oldest',
    "bucket.hour >= oldest && bucket.category === 'search'",
  ],
  [
    'a refund goes into the wrong hour',
    'ledger.ts',
    'book.count(hold, -1, -hold.estimate)',
    'book.count({ ...hold, hour: Math.floor(account.clock / HOUR_MS) }, -1, -hold.estimate)',
  ],
  ['the 11th call is free', 'ledger.ts', 'window.calls < tier.callsFree', 'window.calls <= tier.callsFree'],
  [
    'free calls are charged',
    'ledger.ts',
    'hold.free === 1 ? 0 : credits * hold.price',
    'credits * hold.price',
  ],
  [
    'a clock that goes back reopens the window',
    'ledger.ts',
    'const now = Math.max(clock, book.now + ahead);',
    'const now = book.now + ahead;',
  ],
  [
    'a late settle is lost',
    'ledger.ts',
    "if (hold.state !== 'open' && !isSwept)",
    "if (hold.state !== 'open')",
  ],
  [
    'two runs under one key are booked twice',
    'ledger.ts',
    'record.done === 1 && record.hold !== operation.id',
    'false',
  ],
  ['the fingerprint is ignored', 'ledger.ts', 'record.fingerprint !== fingerprint', 'false'],
  ['a settled hold keeps its reservation', 'ledger.ts', 'if (!isSwept) account.reserved -= hold.amount;', ''],
  ['a hold expires early', 'ledger.ts', "kind === 'expire' && !isOver", 'false'],
  [
    'a grant is booked twice',
    'ledger.ts',
    'if (book.isGranted(account.id, operation.reference))',
    'if (false)',
  ],
];

describe('the model test finds seeded bugs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-mutants-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const count = sized('bugs that the model of the ledger must find', {
    small: 3,
    large: BUGS.length,
    full: BUGS.length,
  });
  const every = Math.floor(BUGS.length / count);

  test.each(BUGS.filter((_, index) => index % every === 0))(
    '%s',
    async (name, file, right, wrong) => {
      const mutant = await mutate(join(folder, `${name.replaceAll(' ', '-')}.mjs`), file, right, wrong);
      const found = fc.check(
        fc.property(history, (each) => {
          play(mutant, each);
        }),
        { numRuns: 5_000, seed: 20_261_115 },
      );
      expect(found.failed, 'the bug was not found').toBe(true);
    },
    120_000,
  );
});

/** The rules with one passage of their source exchanged. */
async function mutate(output: string, file: string, right: string, wrong: string): Promise<Decide> {
  const folder = resolve(import.meta.dirname, '../../src/store/ledger');
  const source = readFileSync(join(folder, file === 'window.ts' ? '../../core' : '.', file), 'utf8');
  expect(source.split(right), `${file} no longer contains the passage`).toHaveLength(2);
  await build({
    entryPoints: [join(folder, 'ledger.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile: output,
    plugins: [
      {
        name: 'mutation',
        setup: (builder) => {
          builder.onLoad({ filter: new RegExp(`[\\\\/]${file.replace('.', '\\.')}$`) }, () => ({
            contents: source.replace(right, () => wrong),
            loader: 'ts',
          }));
        },
      },
    ],
  });
  const { decide: mutant } = (await import(/* @vite-ignore */ pathToFileURL(output).href)) as {
    decide: Decide;
  };
  return mutant;
}
