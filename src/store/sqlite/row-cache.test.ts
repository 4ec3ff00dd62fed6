import { sized } from '../../../tests/support/sized.ts';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LedgerOperation } from '../ledger/types.ts';
import { createSqliteLedger } from './ledger.ts';
import { openSqliteFile, type SqliteFile } from './driver.ts';
import { migrateSqlite } from './migrate.ts';
import { holdOf, settleOf } from '../../../tests/support/ledger/workload.ts';
import { HOUR_MS } from '../../core/window.ts';

const HISTORIES = sized('histories of the cache of ledger rows', { small: 8, large: 600, full: 60_000 });
const TIERS = { pro: { callsFree: 2, beyond: 'charge' as const, creditsMax: 9 } };
const ACCOUNTS = ['a', 'b'];
const START = 500_000 * HOUR_MS;

const operation: fc.Arbitrary<LedgerOperation> = fc
  .record({
    kind: fc.constantFrom(
      'hold',
      'hold',
      'commit',
      'commit',
      'begin',
      'release',
      'expire',
      'doubt',
      'resolve',
      'grant',
    ),
    id: fc.integer({ min: 0, max: 11 }),
    credits: fc.integer({ min: 0, max: 3 }),
    keyed: fc.boolean(),
  })
  .map(({ kind, id, credits, keyed }): LedgerOperation => {
    const subscription = ACCOUNTS[id % ACCOUNTS.length] ?? 'a';
    const hold = `h${id}`;
    const key = { key: `k${id % 4}`, fingerprint: `f${credits % 2}`, ttlMs: HOUR_MS };
    if (kind === 'begin') return { kind, id: `u${id}`, subscription, ...key, tiers: TIERS };
    if (kind === 'hold')
      return { ...holdOf(hold, subscription), credits, asks: keyed, tiers: TIERS, ttlMs: HOUR_MS };
    if (kind === 'commit') {
      const kept = keyed ? { ...key, answer: 'a', failed: credits === 0 } : null;
      return { ...settleOf(hold, subscription, credits), id: `u${id}`, kept, tiers: TIERS };
    }
    if (kind === 'resolve') return { kind, id: hold, subscription, verdict: 'billed', credits };
    if (kind === 'grant')
      return { kind, subscription, reference: `r${id}`, amount: credits * 8_000, note: null };
    return { kind, id: hold, subscription };
  });

/**
 * Operations that are committed together, some hours after or before the last; now and then the commit fails.
 */
const batches = fc.array(
  fc.record({
    operations: fc.array(operation, { minLength: 1, maxLength: 6 }),
    hours: fc.constantFrom(0, 0, 0, 1, 2, 26, -3, -30),
    fails: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
    byOthers: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
  }),
  { minLength: 1, maxLength: 25 },
);

function newLedger() {
  const file = openSqliteFile(':memory:');
  migrateSqlite(file, () => 0);
  for (const account of ACCOUNTS)
    file
      .prepare('INSERT INTO subscriptions (id, name, tier, balance, created) VALUES (?, ?, ?, 0, 0)')
      .run(account, account, 'pro');
  return { file, ledger: createSqliteLedger(file) };
}

const TABLES = ['subscriptions', 'holds', 'request_buckets', 'idempotency', 'ledger'];
const contentOf = (file: SqliteFile) =>
  TABLES.map((table) => file.prepare(`SELECT * FROM ${table} ORDER BY 1, 2, 3`).all());

test(
  'L1: rows that are kept in memory decide exactly as rows that are read anew',
  async () => {
    await fc.assert(
      fc.asyncProperty(batches, async (history) => {
        // Closed databases give their memory back only when the event loop turns.
        await setImmediate();
        const [keeping, reading] = [newLedger(), newLedger()];
        let now = START;
        for (const { operations, hours, fails, byOthers } of history) {
          now += hours * HOUR_MS;
          reading.ledger.forget();
          const answers = [keeping, reading].map(({ file, ledger }) => {
            file.exec('BEGIN');
            const said = ledger.book(operations, now);
            file.exec(fails ? 'ROLLBACK' : 'COMMIT');
            if (fails) ledger.forget();
            else ledger.committed();
            if (byOthers) {
              file.exec("UPDATE subscriptions SET balance = balance + 8000 WHERE id = 'a'");
              ledger.forget();
            }
            return said;
          });
          expect(answers[0]).toEqual(answers[1]);
        }
        expect(contentOf(keeping.file)).toEqual(contentOf(reading.file));
        for (const { file } of [keeping, reading]) file.close();
      }),
      { numRuns: HISTORIES },
    );
  },
  120_000 + HISTORIES * 2_000,
);
