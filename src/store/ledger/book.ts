import type { CallRow } from '../../core/call-row.ts';
import {
  type BudgetPart,
  type BudgetRow,
  type BudgetUses,
  openBudget,
  type OpenBudget,
  parseUses,
} from './budget.ts';
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
  /** What a hold took from budgets. */
  partsOf(hold: HoldRow): BudgetPart[];
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
      // First, because it writes to the accounts.
      events: budgets.changed(),
      accounts: [...touched],
      buckets: buckets.changed(),
      holdsNew: [...added],
      holdsResolved: [...resolved],
      rows,
      calls,
      idempotency: idempotency.put(),
      idempotencyGone: idempotency.gone(),
    }),
  };
}

function budgetBook(state: LedgerState) {
  const rowsOf = new Map<string, BudgetRow[]>();
  for (const row of state.budgets) {
    const own = rowsOf.get(row.subscription);
    if (own === undefined) rowsOf.set(row.subscription, [row]);
    else own.push(row);
  }
  const usesOf = new Map<Account, BudgetUses>();
  const parts = new Map<HoldRow, BudgetPart[]>();
  const open = new Map<string, { at: number; budget: OpenBudget }>();
  const touched = new Map<string, OpenBudget>();
  const events: EventRow[] = [];
  const opened = (row: BudgetRow, uses: BudgetUses, now: number): OpenBudget => {
    const known = open.get(row.id);
    if (known?.at === now) return known.budget;
    const before = touched.get(row.id)?.use() ?? uses[row.id];
    const budget = openBudget(row, before, now);
    open.set(row.id, { at: now, budget });
    return budget;
  };
  return {
    book: {
      budgets: (account: Account, isWanted: (row: BudgetRow) => boolean) => {
        const own = rowsOf.get(account.id)?.filter(isWanted) ?? [];
        if (own.length === 0) return [];
        const uses = usesOf.get(account) ?? parseUses(account.budget_use);
        usesOf.set(account, uses);
        // The account's own time, which never goes back.
        const now = Math.max(account.clock, state.now + account.ahead);
        return own.map((row) => opened(row, uses, now));
      },
      partsOf: (hold: HoldRow): BudgetPart[] => {
        const known = parts.get(hold) ?? (JSON.parse(hold.budgets ?? '[]') as BudgetPart[]);
        parts.set(hold, known);
        return known;
      },
      touchBudget: (budget: OpenBudget) => void touched.set(budget.row.id, budget),
      addEvent: (event: EventRow) => void events.push(event),
    },
    /** Writes what was used to the accounts; the events are left. */
    changed: () => {
      for (const [account, uses] of usesOf) {
        const own = rowsOf.get(account.id) ?? [];
        const changed = own.filter(({ id }) => touched.has(id));
        const isKnown = changed.every(({ id }) => id in uses);
        for (const { id } of changed) uses[id] = touched.get(id)?.use() ?? [[], 0, [0, 0, 0]];
        if (changed.length > 0) account.budget_use = JSON.stringify(isKnown ? uses : inOrder(uses, own));
      }
      return events;
    },
  };
}

/** In one order on all databases, and without those of budgets that are gone. */
function inOrder(uses: BudgetUses, rows: BudgetRow[]): BudgetUses {
  const ids = rows.map(({ id }) => id).toSorted();
  return Object.fromEntries(ids.flatMap((id) => (uses[id] === undefined ? [] : [[id, uses[id]]])));
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
    put: () => [...put.values()],
    gone: () => [...gone.values()].map(({ subscription, key }) => ({ subscription, key })),
  };
}

const pair = (a: string, b: string): string => `${a}\n${b}`;
const slot = (hour: number, category: Category): string => `${hour} ${category}`;
