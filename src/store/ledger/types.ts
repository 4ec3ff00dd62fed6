import type { CallRow } from '../../core/call-row.ts';
import type { Millionths } from '../../core/money.ts';
import type { Category } from '../../core/unit-of-work.ts';
import type { BudgetRow, BudgetStanding } from './budget.ts';

export type { Category };

/** Something that happened and is reported once: `(subject, kind, period, threshold)` is unique. */
export interface EventRow {
  id: string;
  kind: string;
  subject: string;
  period: number;
  threshold: number;
  workspace: string | null;
  /** What is reported, as JSON. */
  data: string;
  at: number;
}

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
  /** The account's own time when it was last touched. It never goes back. */
  clock: number;
  /** How far the account's own time is ahead of the database's, because that was set back. */
  ahead: number;
  /** What was used of its budgets, as JSON of `BudgetUses`; '' when nothing was. */
  budget_use: string;
}

/** Calls and credits of one subscription, category and UTC hour (hours since the epoch). */
export interface Bucket {
  subscription: string;
  category: Category;
  hour: number;
  count: number;
  credits: number;
}

/**
 * `open` until it ends in exactly one of: `settled` (the provider answered: charged), `released` (it refused or failed, or was never
 * asked), `expired` (released because nobody ended it, and it was never asked), `doubt` (it was asked, and nobody knows whether it
 * did the work). Only `settled` costs and counts.
 */
export type HoldState = 'open' | 'settled' | 'released' | 'expired' | 'doubt';

/** What the operator found out about a request in doubt: whether the provider billed it. */
export type Verdict = 'billed' | 'not_billed';

/** One request to a provider. */
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
  /** When the provider was asked; written before it gets a byte. Null while it may not be asked yet. */
  asked: number | null;
  /** Credits used, once settled; of a request in doubt, what the provider billed to the operator. */
  credits: number | null;
  /** What the provider said that it used, where that was more than may be charged. */
  reported: number | null;
  charged: Millionths;
  late: number;
  /** 1 when the provider did not say what it used and the estimate was kept. */
  assumed: number;
  created: number;
  expires: number;
  resolved: number | null;
  /** Why it is in doubt. */
  reason: string | null;
  /** What the operator found out about a request in doubt, and when. */
  verdict: Verdict | null;
  closed: number | null;
  /** What it took from which budgets, as JSON of `BudgetPart[]`; null when there were none. */
  budgets: string | null;
}

export const LEDGER_KINDS = ['grant', 'correction', 'charge'] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];

/** A line of the ledger. The amounts of a subscription always sum to its balance. */
export interface LedgerRow {
  subscription: string;
  kind: LedgerKind;
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
  /** The unit of work that runs or ran under the key. */
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
  /** The person who let the caller's client in; only budgets use it. */
  person: string | null;
  category: Category;
  provider: string;
  price: Millionths;
  credits: number;
  counted: boolean;
  /** Whether the provider is asked as soon as this is written. */
  asks: boolean;
  ttlMs: number;
  tiers: Tiers;
}

/** A unit of work begins under an idempotency key. The key is free again after `ttlMs` if the unit does not end. */
export interface BeginOperation {
  kind: 'begin';
  /** The unit of work. */
  id: string;
  subscription: string;
  key: string;
  fingerprint: string;
  ttlMs: number;
  tiers: Tiers;
}

/** `credits: null` says that the provider did not tell; the estimate is kept and flagged. */
export interface Charge {
  hold: string;
  credits: number | null;
}

/** A unit of work ends: what was answered is charged, and the answer is kept for its idempotency key. */
export interface CommitOperation {
  kind: 'commit';
  /** The unit of work. */
  id: string;
  subscription: string;
  charges: Charge[];
  /** The key, and what it answers from now on. A unit that failed has no answer; then the key is free again unless something was charged. */
  kept: { key: string; fingerprint: string; ttlMs: number; answer: string | null; failed: boolean } | null;
  tiers: Tiers;
  /** Charged at most, as a multiple of what was reserved. */
  overageMax: number;
  /** The row of the call log, which is written with the charge. */
  call?: CallRow;
}

/** `expire` ends a hold whose time is over; `doubt` one whose provider was asked and did not say how it went. */
export interface ReleaseOperation {
  kind: 'release' | 'expire' | 'doubt';
  id: string;
  subscription: string;
  reason?: string;
}

/** The operator found out what became of a request in doubt. */
export interface ResolveOperation {
  kind: 'resolve';
  id: string;
  subscription: string;
  verdict: Verdict;
  /** What the provider billed. */
  credits: number | null;
}

export interface GrantOperation {
  kind: 'grant';
  subscription: string;
  reference: string;
  amount: Millionths;
  note: string | null;
}

export type LedgerOperation =
  | BeginOperation
  | HoldOperation
  | CommitOperation
  | ReleaseOperation
  | ResolveOperation
  | GrantOperation;

/** What somebody who holds or ended a hold needs to know of it: less than the row, because every answer crosses a thread. */
export type BegunRow = Pick<HoldRow, 'id' | 'estimate' | 'amount' | 'free' | 'expires'>;
export interface EndedRow extends Pick<
  HoldRow,
  'id' | 'state' | 'credits' | 'reported' | 'charged' | 'free' | 'late' | 'assumed'
> {
  /** It had been ended before; this is what happened then. */
  already: boolean;
}

/** Where an account stands. */
export interface LedgerStanding {
  balance: Millionths;
  /** Calls that cost nothing and are left in the window; null without a limit. */
  callsLeft: number | null;
  /** Of the budgets that were charged, the one with the least left. */
  budget?: BudgetStanding;
}

/** What became of one operation. Refusals are values: nothing was written for them. */
export type LedgerAnswer =
  | { status: 'held'; hold: BegunRow; behindMs: number }
  /** The hold is there and no longer open: nothing may be asked for it. */
  | { status: 'ended' }
  | { status: 'begun' }
  /** Another unit of work ran under the key: this is its answer. */
  | ({ status: 'replay'; answer: string | null } & LedgerStanding)
  /** With `replay`, another unit under the same key was booked first, and nothing of this one is charged. */
  | ({ status: 'committed'; holds: EndedRow[]; replay?: string | null } & LedgerStanding)
  | { status: 'mismatch' }
  | { status: 'in_progress' }
  /** `resetInMs` is null when waiting does not help. */
  | { status: 'limit'; unit: 'calls' | 'credits'; limit: number; used: number; resetInMs: number | null }
  | { status: 'budget'; budget: BudgetStanding; required: number }
  | { status: 'insufficient'; available: Millionths; required: Millionths; limit: number; used: number }
  | { status: 'resolved'; hold: EndedRow; balance: Millionths }
  | { status: 'granted'; balance: Millionths; already: boolean }
  | { status: 'overflow' }
  | { status: 'unknown'; what: 'subscription' | 'tier' | 'hold' };

/** Everything the operations of one batch may read, loaded under the accounts' locks. */
export interface LedgerState {
  now: number;
  accounts: Account[];
  buckets: Bucket[];
  budgets: BudgetRow[];
  holds: HoldRow[];
  idempotency: IdempotencyRow[];
  /** References of this batch's grants that are booked already. */
  granted: { subscription: string; reference: string }[];
}

/** What a batch changed, each row in its final form; buckets as what to add, because old ones are not loaded. */
export interface LedgerChanges {
  accounts: Account[];
  buckets: Bucket[];
  events: EventRow[];
  /** New holds, and the ones that moved on. */
  holdsNew: HoldRow[];
  holdsResolved: HoldRow[];
  rows: LedgerRow[];
  idempotency: IdempotencyRow[];
  idempotencyGone: { subscription: string; key: string }[];
  calls: CallRow[];
}
