import { LIMITS } from '../../core/limits.ts';
import type { BudgetRow } from '../ledger/budget.ts';
import type { Account, Bucket, HoldRow, LedgerChanges } from '../ledger/types.ts';
import { HOUR_MS, WINDOW_HOURS } from '../../core/window.ts';

/**
 * A cache of rows as this connection last read or wrote them. It is valid until another connection writes,
 * which the engine detects inside its transaction; then, and after every failure, it is cleared.
 */
export interface RowCache {
  /**
   * The accounts of `ids`, their buckets and budgets. `load` is called for those that are not cached for this time.
   */
  accounts(ids: string[], now: number, load: LoadAccounts): AccountRows;
  /** The holds of `ids`; only open ones are cached. */
  holds(ids: string[], load: (missing: string[]) => HoldRow[]): HoldRow[];
  /** Updates the cache with the changes of a committed batch. */
  keep(changes: LedgerChanges): void;
  forget(): void;
}

interface AccountRows {
  accounts: Account[];
  buckets: Bucket[];
  budgets: BudgetRow[];
}

/** Loads accounts with their budgets, and their buckets from hour `from` on. */
type LoadAccounts = (ids: string[], from: number) => AccountRows;

interface KnownAccount {
  account: Account;
  buckets: Map<string, Bucket>;
  budgets: Map<string, BudgetRow>;
  /** Older buckets were not read. */
  from: number;
}

export function createKnownRows(): RowCache {
  const accounts = new Map<string, KnownAccount>();
  const open = new Map<string, HoldRow>();

  const read = (ids: string[], from: number, load: LoadAccounts): void => {
    if (accounts.size + ids.length > LIMITS.storeKnownMax) accounts.clear();
    const loaded = load(ids, from);
    for (const account of loaded.accounts)
      accounts.set(account.id, { account, buckets: new Map(), budgets: new Map(), from });
    for (const budget of loaded.budgets) accounts.get(budget.subscription)?.budgets.set(budget.id, budget);
    for (const bucket of loaded.buckets) accounts.get(bucket.subscription)?.buckets.set(slot(bucket), bucket);
  };
  const keepBucket = (change: Bucket): void => {
    const known = accounts.get(change.subscription);
    if (known === undefined || change.hour < known.from) return;
    const before = known.buckets.get(slot(change));
    const count = (before?.count ?? 0) + change.count;
    const credits = (before?.credits ?? 0) + change.credits;
    known.buckets.set(slot(change), { ...change, count, credits });
  };
  return {
    accounts: (ids, now, load) => {
      const from = Math.floor(now / HOUR_MS) - WINDOW_HOURS + 1;
      const isKnown = (id: string): boolean => (accounts.get(id)?.from ?? Infinity) <= from;
      const missing = ids.filter((id) => !isKnown(id));
      if (missing.length > 0) read(missing, from, load);
      const found = ids.flatMap((id) => accounts.get(id) ?? []);
      for (const known of found) dropOld(known, from);
      return {
        accounts: found.map((known) => known.account),
        buckets: found.flatMap((known) => [...known.buckets.values()]),
        budgets: found.flatMap((known) => [...known.budgets.values()]),
      };
    },
    holds: (ids, load) => {
      const missing = ids.filter((id) => !open.has(id));
      return [...ids.flatMap((id) => open.get(id) ?? []), ...(missing.length === 0 ? [] : load(missing))];
    },
    keep: (changes) => {
      for (const account of changes.accounts) {
        const known = accounts.get(account.id);
        if (known !== undefined) known.account = account;
      }
      for (const change of changes.buckets) keepBucket(change);
      if (open.size + changes.holdsNew.length > LIMITS.storeKnownMax) open.clear();
      for (const hold of changes.holdsNew) if (hold.state === 'open') open.set(hold.id, hold);
      for (const hold of changes.holdsResolved) open.delete(hold.id);
    },
    forget: () => {
      accounts.clear();
      open.clear();
    },
  };
}

/** Removes buckets that have left the window; they would otherwise accumulate while the account is in use. */
function dropOld(known: KnownAccount, from: number): void {
  if (known.from === from) return;
  for (const [id, bucket] of known.buckets) if (bucket.hour < from) known.buckets.delete(id);
  known.from = from;
}

const slot = (bucket: Bucket): string => `${bucket.hour} ${bucket.category}`;
