import type { Millionths } from '../../core/money.ts';

/** What a call is counted as; all are summed against one limit. A walk of our own is the fetches it consists of. */
export type Category = 'search' | 'fetch' | 'crawl' | 'map';

/** The rules of one tier. `null` means without limit. */
export interface Tier {
  /** Calls in the window that cost nothing. */
  callsFree: number | null;
  /** What happens to the call after those. */
  beyond: 'block' | 'charge';
  /** The most credits in the window, whoever pays for them. */
  creditsMax: number | null;
}
export type Tiers = Record<string, Tier>;

/** A subscription's money and clock. `reserved` is the sum of its open holds. */
export interface Account {
  id: string;
  tier: string;
  balance: Millionths;
  reserved: Millionths;
  /** The latest moment at which this account was touched: its time never goes back. */
  clock: number;
}

/** Calls and credits of one subscription, category and UTC hour (hours since the epoch). */
export interface Bucket {
  subscription: string;
  category: Category;
  hour: number;
  count: number;
  credits: number;
}

export type HoldState = 'open' | 'settled' | 'released' | 'expired';

/** One call: reserved, then settled, released or expired exactly once. */
export interface HoldRow {
  id: string;
  subscription: string;
  workspace: string | null;
  agent: string | null;
  key: string | null;
  category: Category;
  provider: string;
  /** Millionths per credit when the hold was taken; a later price does not change it. */
  price: Millionths;
  /** Credits reserved: the most the call can cost. */
  estimate: number;
  /** Money reserved: 0 within the free allowance. */
  amount: Millionths;
  free: number;
  /** 1 when the call counts against the window. */
  counted: number;
  /** The bucket the count was taken from, and is given back to. */
  hour: number;
  state: HoldState;
  /** Credits used, once settled. */
  credits: number | null;
  charged: Millionths;
  late: number;
  /** 1 when the provider did not say what it used and the estimate was kept. */
  assumed: number;
  idempotency: string | null;
  created: number;
  expires: number;
  resolved: number | null;
}

/** A line of the ledger. The amounts of a subscription always sum to its balance. */
export interface LedgerRow {
  subscription: string;
  kind: 'grant' | 'correction' | 'charge';
  amount: Millionths;
  /** The balance after this row. */
  balance: Millionths;
  /** Unique per subscription: the hold's id, or what the operator chose, so that nothing is booked twice. */
  reference: string;
  workspace: string | null;
  agent: string | null;
  key: string | null;
  provider: string | null;
  category: Category | null;
  note: string | null;
  at: number;
}

/** What was asked under an idempotency key, and what came of it. */
export interface IdempotencyRow {
  subscription: string;
  key: string;
  fingerprint: string;
  hold: string;
  done: number;
  answer: string | null;
  expires: number;
}

export interface HoldOperation {
  kind: 'hold';
  /** Chosen by the caller before the first try, so that a retry finds what the first try did. */
  id: string;
  subscription: string;
  workspace: string | null;
  agent: string | null;
  key: string | null;
  category: Category;
  provider: string;
  price: Millionths;
  credits: number;
  counted: boolean;
  ttlMs: number;
  tiers: Tiers;
  idempotency: { key: string; fingerprint: string; ttlMs: number } | null;
}

/** `credits: null` says that the provider did not tell; the estimate is kept and flagged. */
export interface SettleOperation {
  kind: 'settle';
  id: string;
  subscription: string;
  credits: number | null;
  answer: string | null;
}

export interface ReleaseOperation {
  kind: 'release' | 'expire';
  id: string;
  subscription: string;
}

export interface GrantOperation {
  kind: 'grant';
  subscription: string;
  reference: string;
  amount: Millionths;
  note: string | null;
}

export type LedgerOperation = HoldOperation | SettleOperation | ReleaseOperation | GrantOperation;

/** What somebody who holds or ended a hold needs to know of it: less than the row, because every answer crosses a thread. */
export type BegunRow = Pick<HoldRow, 'id' | 'estimate' | 'amount' | 'free' | 'expires'>;
export type EndedRow = Pick<HoldRow, 'id' | 'state' | 'credits' | 'charged' | 'late' | 'assumed'>;

/** What became of one operation. Refusals are values: nothing was written for them. */
export type LedgerAnswer =
  | { status: 'held'; hold: BegunRow; behindMs: number }
  | { status: 'replay'; hold: string; answer: string | null }
  | { status: 'mismatch' }
  | { status: 'in_progress'; hold: string }
  | { status: 'limit'; unit: 'calls' | 'credits'; limit: number; used: number; resetAt: number | null }
  | { status: 'insufficient'; available: Millionths; required: Millionths; limit: number; used: number }
  | { status: 'resolved'; hold: EndedRow; balance: Millionths; already: boolean }
  | { status: 'granted'; balance: Millionths; already: boolean }
  | { status: 'overflow' }
  | { status: 'unknown'; what: 'subscription' | 'tier' | 'hold' };

/** Everything the operations of one batch may read, loaded under the accounts' locks. */
export interface LedgerState {
  now: number;
  accounts: Account[];
  buckets: Bucket[];
  holds: HoldRow[];
  idempotency: IdempotencyRow[];
  /** References of this batch's grants that are booked already. */
  granted: { subscription: string; reference: string }[];
}

/** What a batch changed, each row in its final form; buckets as what to add, because old ones are not loaded. */
export interface LedgerChanges {
  accounts: Account[];
  buckets: Bucket[];
  /** New holds, and the ones that moved on. */
  holdsNew: HoldRow[];
  holdsResolved: HoldRow[];
  rows: LedgerRow[];
  idempotency: IdempotencyRow[];
  idempotencyGone: { subscription: string; key: string }[];
}

export const HOUR_MS = 3_600_000;
/** A call counts until its hour bucket is this old, so that no call ever counts for less than 24 hours. */
export const WINDOW_HOURS = 25;
