import type { CallRow } from './call-row.ts';
import type { Millionths } from './money.ts';

/**
 * The category of a call. All categories count against one limit. A crawl by our own reader counts as
 * fetches.
 */
export type Category = 'search' | 'fetch' | 'crawl' | 'map';

/** A request to a provider, before it is sent. */
export interface AskRequest {
  category: Category;
  provider: string;
  /** The most credits that the request can cost. */
  credits: number;
  /** How long the reservation lives when it is neither settled nor released. */
  ttlMs?: number;
}

/**
 * A request that is recorded on disk before it is sent. It ends in exactly one of three ways; the first one
 * wins.
 */
export interface Asked {
  /**
   * For priced providers: the request runs to its end even when the caller leaves, until this signal aborts
   * because the process ends.
   */
  heard: AbortSignal | undefined;
  /**
   * The provider answered and used this many credits. Resolves once the charge is written; the answer must
   * not be delivered before.
   */
  answered(credits: unknown): Promise<unknown>;
  /** The provider refused or failed, or was not called after all. Nothing is charged or counted. */
  release(): Promise<unknown>;
  /**
   * The request was sent and its result is unknown. Nothing is charged or counted, and the operator is
   * informed.
   */
  doubt(reason: string): Promise<unknown>;
}

/** The budget with the least left, of those that a call counted against. */
export interface BudgetLeft {
  level: string;
  subject: string;
  unit: 'credits' | 'money';
  /** In credits or millionths of a dollar; below 0 for a budget that only reports. */
  left: number;
  amount: number;
  /** Until its day or month ends, or a rolling one has room again. */
  renewsInMs: number | null;
}

/** What was booked for a unit of work. */
export interface Receipt {
  credits: number;
  charged: Millionths;
  /** True when everything was within the free allowance or had no price. */
  free: boolean;
  /** The balance afterwards; absent when nothing had to be booked. */
  balanceAfter?: Millionths;
  /** Free calls left in the window; null without a limit. */
  callsLeft?: number | null;
  budget?: BudgetLeft;
}

/**
 * One call and everything it spends: begin, run, commit. Each request is on disk before the provider receives
 * a byte. All charges, the stored answer and its idempotency key are one commit, and the answer is delivered
 * after it.
 */
export interface UnitOfWork {
  /**
   * True when the answer is stored under an idempotency key. The work then continues even when the caller has
   * left.
   */
  keepsAnswer: boolean;
  /** Reserves the most that a request can cost and records it. Nothing may be sent before this resolves. */
  ask(request: AskRequest): Promise<Asked>;
  /** Adds a write that must finish before the answer may be delivered. */
  waitFor(written: Promise<unknown>): void;
  /** Charges the answered requests, stores the answer and logs the call. */
  commit(answer?: string, call?: CallRow): Promise<Committed>;
  /**
   * Ends a unit that failed: answered requests are charged all the same, and if there are none the
   * idempotency key may be used again.
   */
  fail(call?: CallRow): Promise<Receipt | undefined>;
}

export interface Committed {
  receipt: Receipt;
  /**
   * Set when another call under the same key was charged first: its answer. Nothing of this unit is charged.
   */
  replay?: string;
}
