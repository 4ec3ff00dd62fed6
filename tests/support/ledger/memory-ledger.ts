import type { decide } from '../../../src/store/ledger/ledger.ts';
import type { BudgetRow } from '../../../src/store/ledger/budget.ts';
import { keysOf } from '../../../src/store/ledger/keys.ts';
import type {
  Account,
  Bucket,
  EventRow,
  HoldRow,
  IdempotencyRow,
  LedgerAnswer,
} from '../../../src/store/ledger/types.ts';
import type { LedgerChanges, LedgerOperation, LedgerRow } from '../../../src/store/ledger/types.ts';

export type Decide = typeof decide;

/** The rows of a ledger in memory, written and read exactly as the databases do. */
export function createMemoryLedger(decideBatch: Decide, account: Account, budgets: BudgetRow[] = []) {
  const holds = new Map<string, HoldRow>();
  const buckets = new Map<string, Bucket>();
  const idempotency = new Map<string, IdempotencyRow>();
  const rows: LedgerRow[] = [];
  const events: EventRow[] = [];

  const load = (operations: LedgerOperation[], now: number) => {
    const keys = keysOf(operations);
    const found = keys.holds.flatMap((id) => holds.get(id) ?? []);
    const asked = keys.idempotency.map(([, key]) => key);
    const oldest = Math.floor(now / 3_600_000) - 24;
    return {
      now,
      accounts: [{ ...account }],
      buckets: [...buckets.values()]
        .filter((bucket) => bucket.hour >= oldest)
        .map((bucket) => ({ ...bucket })),
      budgets: budgets.map((budget) => ({ ...budget })),
      holds: found.map((hold) => ({ ...hold })),
      idempotency: [...new Set(asked)].flatMap((key) => idempotency.get(key) ?? []),
      granted: rows.filter((row) => keys.references.some(([, reference]) => reference === row.reference)),
    };
  };
  const save = (changes: LedgerChanges) => {
    for (const it of changes.accounts) Object.assign(account, it);
    for (const it of changes.buckets) {
      const id = `${it.hour} ${it.category}`;
      const before = buckets.get(id) ?? { ...it, count: 0, credits: 0 };
      const after = { ...it, count: before.count + it.count, credits: before.credits + it.credits };
      if (after.count < 0 || after.credits < 0) throw new Error(`the bucket ${id} is negative`);
      buckets.set(id, after);
    }
    for (const it of changes.events) if (!events.some(({ id }) => id === it.id)) events.push(it);
    for (const it of changes.holdsNew) {
      if (holds.has(it.id)) throw new Error(`the hold ${it.id} is there already`);
      holds.set(it.id, { ...it });
    }
    for (const it of changes.holdsResolved) holds.set(it.id, { ...it });
    for (const row of changes.rows) {
      if (rows.some((before) => before.reference === row.reference))
        throw new Error(`${row.reference} is booked twice`);
      rows.push(row);
    }
    for (const it of changes.idempotency) idempotency.set(it.key, it);
    for (const it of changes.idempotencyGone) idempotency.delete(it.key);
  };
  return {
    account,
    rows,
    events,
    buckets,
    /** Decides a batch; writes it only when `isCommitted`. */
    run(operations: LedgerOperation[], now: number, isCommitted: boolean): LedgerAnswer[] {
      const { answers, changes } = decideBatch(load(operations, now), operations);
      if (isCommitted) save(changes);
      return answers;
    },
  };
}
