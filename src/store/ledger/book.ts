import type { CallRow } from '../../core/call-row.ts';
import { type BudgetRow, openBudget, type OpenBudget } from './budget.ts';
import type { Account, Bucket, Category, EndedRow, EventRow, HoldRow, IdempotencyRow } from './types.ts';
import type { LedgerChanges, LedgerRow, LedgerState } from './types.ts';
import { HOUR_MS, WINDOW_HOURS } from '../../core/window.ts';

/** What a subscription used in its rolling window, and when room comes back. */
export interface Window {
  calls: number;
  credits: number;
  /** When fewer than `limit` calls are in the window; null when that never happens by waiting. */
  callsFreeAt(limit: number): number | null;
  /** When at most `limit` credits are in the window. */
  creditsFreeAt(limit: number): number | null;
}

/** The loaded rows of one batch, indexed, with a record of what changed. */
export interface LedgerBook {
  now: number;
  account(id: string): Account | undefined;
  touch(account: Account): void;
  window(subscription: string, now: number): Window;
  count(hold: HoldRow, calls: number, credits: number): void;
  /** The budgets of an account that are wanted, at this moment. */
  budgets(account: Account, isWanted: (row: BudgetRow) => boolean): OpenBudget[];
  /** Something of a budget was used or reported. */
  touchBudget(budget: OpenBudget): void;
  addEvent(event: EventRow): void;
  hold(id: string): HoldRow | undefined;
  addHold(hold: HoldRow): void;
  resolve(hold: HoldRow): void;
  addRow(row: LedgerRow): void;
  /** Logs a call with what it cost. */
  logCall(row: CallRow | undefined, ended: EndedRow[]): void;
  isGranted(subscription: string, reference: string): boolean;
  remembered(subscription: string, key: string): IdempotencyRow | undefined;
  remember(record: IdempotencyRow): void;
  forget(record: IdempotencyRow): void;
  changes(): LedgerChanges;
}

export function openBook(state: LedgerState): LedgerBook {
  const accounts = new Map(state.accounts.map((row) => [row.id, { ...row }]));
  const holds = new Map(state.holds.map((row) => [row.id, { ...row }]));
  const buckets = bucketBook(state.buckets);
  const budgets = budgetBook(state);
  const idempotency = idempotencyBook(state.idempotency);
  const granted = new Set(state.granted.map((row) => pair(row.subscription, row.reference)));
  const touched = new Set<Account>();
  const added = new Set<HoldRow>();
  const resolved = new Set<HoldRow>();
  const rows: LedgerRow[] = [];
  const calls: CallRow[] = [];
  return {
    now: state.now,
    account: (id) => accounts.get(id),
    touch: (account) => touched.add(account),
    window: (subscription, now) => buckets.window(subscription, now),
    count: (hold, calls, credits) => buckets.count(hold, calls, credits),
    ...budgets.book,
    hold: (id) => holds.get(id),
    addHold: (hold) => {
      holds.set(hold.id, hold);
      added.add(hold);
    },
    resolve: (hold) => {
      if (!added.has(hold)) resolved.add(hold);
    },
    addRow: (row) => {
      rows.push(row);
      granted.add(pair(row.subscription, row.reference));
    },
    logCall: (row, ended) => void calls.push(...loggedCalls(row, ended)),
    isGranted: (subscription, reference) => granted.has(pair(subscription, reference)),
    ...idempotency.book,
    changes: () => ({
      accounts: [...touched],
      buckets: buckets.changed(),
      ...budgets.changed(),
      holdsNew: [...added],
      holdsResolved: [...resolved],
      rows,
      calls,
      ...idempotency.changed(),
    }),
  };
}

function budgetBook(state: LedgerState) {
  const rowsOf = new Map<string, BudgetRow[]>();
  for (const row of state.budgets) {
    const own = rowsOf.get(row.subscription);
    if (own === undefined) rowsOf.set(row.subscription, [{ ...row }]);
    else own.push({ ...row });
  }
  const open = new Map<string, { at: number; budget: OpenBudget }>();
  const touched = new Map<string, OpenBudget>();
  const events: EventRow[] = [];
  const opened = (row: BudgetRow, now: number): OpenBudget => {
    const known = open.get(row.id);
    if (known?.at === now) return known.budget;
    touched.get(row.id)?.save();
    const budget = openBudget(row, now);
    open.set(row.id, { at: now, budget });
    return budget;
  };
  return {
    book: {
      budgets: ({ id, clock, ahead }: Account, isWanted: (row: BudgetRow) => boolean) => {
        const own = rowsOf.get(id);
        if (own === undefined) return [];
        // The account's own time, which never goes back.
        const now = Math.max(clock, state.now + ahead);
        return own.filter(isWanted).map((row) => opened(row, now));
      },
      touchBudget: (budget: OpenBudget) => void touched.set(budget.row.id, budget),
      addEvent: (event: EventRow) => void events.push(event),
    },
    changed: () => {
      const changed = [...touched.values()];
      for (const budget of changed) budget.save();
      return { budgets: changed.map(({ row }) => row), events };
    },
  };
}

/** The row of a call; none for a commit that is sent again after its connection was lost, which is logged already. */
function loggedCalls(row: CallRow | undefined, ended: EndedRow[]): CallRow[] {
  if (row === undefined || ended.every((one) => one.already)) return [];
  const paid = ended.filter((one) => one.state === 'settled');
  const credits = paid.reduce((sum, one) => sum + (one.credits ?? 0), 0);
  return [{ ...row, credits, charged: paid.reduce((sum, one) => sum + one.charged, 0) }];
}

function bucketBook(loaded: Bucket[]) {
  const perAccount = new Map<string, Map<string, Bucket>>();
  const changed = new Map<string, Bucket>();
  const of = (subscription: string): Map<string, Bucket> => {
    const known = perAccount.get(subscription) ?? new Map<string, Bucket>();
    perAccount.set(subscription, known);
    return known;
  };
  for (const row of loaded) of(row.subscription).set(slot(row.hour, row.category), { ...row });
  return {
    changed: () => [...changed.values()],
    count(hold: HoldRow, calls: number, credits: number) {
      if (calls === 0 && credits === 0) return;
      const { subscription, category, hour } = hold;
      const empty = { subscription, category, hour, count: 0, credits: 0 };
      add(of(subscription), slot(hour, category), empty, calls, credits);
      add(changed, `${subscription}\n${slot(hour, category)}`, empty, calls, credits);
    },
    window(subscription: string, now: number): Window {
      const oldest = Math.floor(now / HOUR_MS) - WINDOW_HOURS + 1;
      const inside = [...of(subscription).values()].filter((bucket) => bucket.hour >= oldest);
      const calls = inside.reduce((sum, bucket) => sum + bucket.count, 0);
      const credits = inside.reduce((sum, bucket) => sum + bucket.credits, 0);
      return {
        calls,
        credits,
        callsFreeAt: (limit) =>
          freeAt(
            inside,
            (bucket) => bucket.count,
            (left) => left < limit,
          ),
        creditsFreeAt: (limit) =>
          freeAt(
            inside,
            (bucket) => bucket.credits,
            (left) => left <= limit,
          ),
      };
    },
  };
}

function add(to: Map<string, Bucket>, id: string, empty: Bucket, calls: number, credits: number): void {
  const bucket = to.get(id) ?? { ...empty };
  bucket.count += calls;
  bucket.credits += credits;
  to.set(id, bucket);
}

/** The moment at which enough of the oldest buckets have left the window. */
function freeAt(
  buckets: Bucket[],
  weigh: (bucket: Bucket) => number,
  isEnough: (left: number) => boolean,
): number | null {
  let left = buckets.reduce((sum, bucket) => sum + weigh(bucket), 0);
  for (const bucket of buckets.toSorted((a, b) => a.hour - b.hour)) {
    left -= weigh(bucket);
    if (isEnough(left)) return (bucket.hour + WINDOW_HOURS) * HOUR_MS;
  }
  return null;
}

function idempotencyBook(loaded: IdempotencyRow[]) {
  const records = new Map(loaded.map((row) => [pair(row.subscription, row.key), row]));
  const put = new Map<string, IdempotencyRow>();
  const gone = new Map<string, IdempotencyRow>();
  return {
    book: {
      remembered: (subscription: string, key: string) => records.get(pair(subscription, key)),
      remember(record: IdempotencyRow) {
        const id = pair(record.subscription, record.key);
        records.set(id, record);
        put.set(id, record);
        gone.delete(id);
      },
      forget(record: IdempotencyRow) {
        const id = pair(record.subscription, record.key);
        records.delete(id);
        put.delete(id);
        gone.set(id, record);
      },
    },
    changed: () => ({
      idempotency: [...put.values()],
      idempotencyGone: [...gone.values()].map(({ subscription, key }) => ({ subscription, key })),
    }),
  };
}

const pair = (a: string, b: string): string => `${a}\n${b}`;
const slot = (hour: number, category: Category): string => `${hour} ${category}`;
