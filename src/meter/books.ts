import type { Caller } from '../core/call.ts';
import type { Millionths } from '../core/money.ts';
import type { AskRequest, Committed, Receipt } from '../core/unit-of-work.ts';
import type { Hearing } from './hearing.ts';
import type { Settlement } from './settlement.ts';

export interface HoldRequest extends AskRequest {
  /** Whose limit and money. Without a workspace it is the person at this machine. */
  workspace?: string | undefined;
  agent?: string | undefined;
  /** The id of the API key, never the key. */
  key?: string | undefined;
  /** Whether the provider is asked as soon as the hold is written. */
  asks?: boolean;
  /** Written down at once even when it costs and counts nothing, because a limit depends on it. */
  recorded?: boolean;
}

/** Reserved money and count, to be ended exactly once. */
export interface Hold {
  id: string;
  subscription: string;
  /** False when the call is free of limits and money, and nothing was written. */
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

/** What was answered, and by which hold it is paid. */
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

/** What a unit of work is begun for. */
export interface Work {
  caller: Caller;
  idempotencyKey?: string | undefined;
  /** What is asked, as a short text: the same key with another fingerprint is refused. */
  fingerprint?: string;
  /** How long the key is taken when the unit does not end. */
  ttlMs?: number;
}

/** Where holds are taken and ended. */
export interface Books {
  /** Begins a unit of work: takes its idempotency key, or finds what was answered under it. */
  open(work: Work): Promise<{ id: string; kept: KeptKey | null } | { replay: string; receipt: Receipt }>;
  /** Checks, counts, reserves and notes that the provider is asked, in one step that is on the disk; or throws what to do about it. Fails closed when the store is down. */
  hold(request: HoldRequest): Promise<Hold>;
  /** Books a unit of work in one commit: its charges, its answer and its key. */
  commit(unit: {
    id: string;
    charges: HeldCharge[];
    kept: (KeptKey & { answer: string | null; failed: boolean }) | null;
  }): Promise<Committed>;
  /** Books one hold. Anything but a whole number of credits keeps the estimate. */
  settle(hold: Hold, credits?: unknown): Promise<Settlement>;
  /** Gives money and count back. */
  release(hold: Hold): Promise<Settlement>;
  /** The same, and the operator is told that the provider was asked and nobody knows how it went. */
  doubt(hold: Hold, reason: string): Promise<Settlement>;
  /** Requests at providers with a price, which are heard to their end. */
  hearing: Hearing;
}
