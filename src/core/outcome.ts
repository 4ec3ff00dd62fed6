import type { OwnText } from './text.ts';
import type { FailureType, HeadgateError } from './errors.ts';

/** How a call, or one attempt, ended. Only `ok` and `empty` are ever cached. */
export const OUTCOMES = [
  'ok',
  'empty',
  'partial',
  'degraded',
  'blocked',
  'needs_approval',
  'payment_required',
  'quota',
  'rate_limit',
  'timeout',
  'auth',
  'invalid',
  'failed',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Whether the results answer the question, match it in part, or are about something else. */
export const MATCHES = ['answered', 'weak', 'none'] as const;
export type Match = (typeof MATCHES)[number];

/** An attempt in the call log, with how many milliseconds after the call it began, where that is known. */
export type LoggedAttempt = Attempt & { at?: number };

/** One request to one provider with one key. */
export interface Attempt {
  provider: string;
  /** A label such as `key 2`, never the key. */
  key?: string;
  ms: number;
  outcome: Outcome;
  reason?: OwnText;
  /** Why this provider was asked, when it was not simply the next one. */
  why?: OwnText;
  /** How a replay found the answer, if not for the very same request. */
  replayed?: 'canonical' | 'frozen';
}

/** When attempts began. Kept beside them, because the log tells it and an answer does not. */
const begun = new WeakMap<Attempt, number>();

export function attemptBegun(attempt: Attempt, at: number | undefined): Attempt {
  if (at !== undefined) begun.set(attempt, at);
  return attempt;
}

export const beginningOf = (attempt: Attempt): number | undefined => begun.get(attempt);

const OUTCOME_OF: Record<FailureType, Outcome> = {
  validation: 'invalid',
  authentication: 'auth',
  authorization: 'auth',
  rate_limit: 'rate_limit',
  quota: 'quota',
  timeout: 'timeout',
  blocked: 'blocked',
  approval: 'needs_approval',
  payment: 'payment_required',
  not_found: 'failed',
  unavailable: 'failed',
  cancelled: 'failed',
  internal: 'failed',
};

/** The outcome of a call that failed with this error. */
export const outcomeOf = (error: Pick<HeadgateError, 'type'>): Outcome => OUTCOME_OF[error.type];
