import type { CallLog, CallRow } from '../core/call-row.ts';
import type { Caller } from '../core/call.ts';
import type { Millionths } from '../core/money.ts';
import type { AskRequest, Committed, Receipt } from '../core/unit-of-work.ts';
import type { Hearing } from './hearing.ts';
import type { Settlement } from './settlement.ts';

export interface HoldRequest extends AskRequest {
  /** The workspace whose limit and balance apply; without one, the local user. */
  workspace?: string | undefined;
  agent?: string | undefined;
  /** The id of the API key, never the key. */
  key?: string | undefined;
  /** Who let the client of the key in. */
  person?: string | undefined;
  /** Whether the provider is called as soon as the hold is written. */
  asks?: boolean;
  /** Recorded at once even when free and uncounted, because a limit depends on it. */
  recorded?: boolean;
}

/** A reservation of money and count, to be ended exactly once. */
export interface Hold {
  id: string;
  subscription: string;
  /** False when the call is free and unlimited, and nothing was written. */
  metered: boolean;
  /** Whether the provider has a price. */
  isPriced: boolean;
  /** True when the call is within the free allowance. */
  free: boolean;
  credits: number;
  amount: Millionths;
  expiresAt: number;
  /** What was asked. */
  request: HoldRequest;
}

/** A settled hold and its credits. */
export interface HeldCharge {
  hold: Hold;
  credits: unknown;
}

/** The idempotency key of a unit of work. */
export interface KeptKey {
  subscription: string;
  key: string;
  fingerprint: string;
}

/** What a unit of work is opened with. */
export interface Work {
  caller: Caller;
  idempotencyKey?: string | undefined;
  /** Identifies the request: the same key with another fingerprint is refused. */
  fingerprint?: string;
  /** How long the key stays reserved if the unit does not end. */
  ttlMs?: number;
}

/** Takes and ends holds. */
export interface Books {
  /** Begins a unit of work: reserves its idempotency key, or returns the answer stored under it. */
  open(work: Work): Promise<{ id: string; kept: KeptKey | null } | { replay: string; receipt: Receipt }>;
  /** Checks limits, reserves and records the request in one durable step, or throws. Fails closed. */
  hold(request: HoldRequest): Promise<Hold>;
  /** Books a unit of work in one commit: its charges, its answer and its key. */
  commit(unit: {
    id: string;
    charges: HeldCharge[];
    kept: (KeptKey & { answer: string | null; failed: boolean }) | null;
    call?: CallRow | undefined;
  }): Promise<Committed>;
  /** Settles one hold. Anything but a whole number of credits charges the estimate. */
  settle(hold: Hold, credits?: unknown, call?: CallRow): Promise<Settlement>;
  /** Releases money and count. */
  release(hold: Hold): Promise<Settlement>;
  /** Like `release`, and lists the request as in doubt for the operator. */
  doubt(hold: Hold, reason: string): Promise<Settlement>;
  /** Requests to priced providers, which run to their end even without their caller. */
  hearing: Hearing;
  /** Counts the tokens of a language model, and their price, beside the credits. They are not charged. */
  noteTokens(caller: Caller, model: string, used: { input: number; output: number }): void;
  /** Absent where calls are not logged. */
  calls?: CallLog | undefined;
}
