import type { Millionths } from './money.ts';

/** What a call is counted as; all are summed against one limit. A walk of our own is the fetches it consists of. */
export type Category = 'search' | 'fetch' | 'crawl' | 'map';

/** A request to a provider, before it is sent. */
export interface AskRequest {
  category: Category;
  provider: string;
  /** The most credits it can cost. */
  credits: number;
  /** How long its reservation lives when nobody ends it. */
  ttlMs?: number;
}

/** A request that is on the disk as asked. It ends in exactly one of three ways; whoever is first decides. */
export interface Asked {
  /** A provider with a price is heard to its end, whatever becomes of the caller, until this fires: the process ends. */
  heard: AbortSignal | undefined;
  /** The provider answered and used so many credits. Resolves once that is charged; nothing of the answer may leave before. */
  answered(credits: unknown): Promise<unknown>;
  /** It refused or failed, or was not asked after all: nothing is charged or counted. */
  release(): Promise<unknown>;
  /** It was asked and did not say how it went. Nothing is charged or counted, and the operator is told. */
  doubt(reason: string): Promise<unknown>;
}

/** What was booked for a unit of work. */
export interface Receipt {
  credits: number;
  charged: Millionths;
  /** Whether everything was within the free allowance, or without a price. */
  free: boolean;
  /** Where the account stands; absent when nothing had to be booked. */
  balanceAfter?: Millionths;
  /** Free calls that are left in the window; null without a limit. */
  callsLeft?: number | null;
}

/**
 * One call and all it spends: begin, run, commit. Every request is on the disk before a provider gets a byte of it; all charges, the kept
 * answer and its idempotency key are one commit; and the answer leaves after that.
 */
export interface UnitOfWork {
  /** Whether its answer is kept for an idempotency key. Then it is worked on to its end, also when its caller has gone. */
  keepsAnswer: boolean;
  /** Reserves the most that a request can cost and writes down that it is asked. Nothing may be sent before this resolves. */
  ask(request: AskRequest): Promise<Asked>;
  /** Takes what must be written by others before the answer of this unit may leave. */
  waitFor(written: Promise<unknown>): void;
  /** Charges what was answered and keeps the answer. */
  commit(answer?: string): Promise<Committed>;
  /** The work came to nothing: what was answered is charged all the same, and the key may be tried again if nothing was. */
  fail(): Promise<Receipt | undefined>;
}

export interface Committed {
  receipt: Receipt;
  /** Another call under the same key was charged first: this is its answer, and nothing of this unit is charged. */
  replay?: string;
}
