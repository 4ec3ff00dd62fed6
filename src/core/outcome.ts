import type { FailureType, HeadgateError } from './errors.ts';

/** How a call, or one attempt of it, went. Only `ok` and `empty` are ever cached. */
export const OUTCOMES = [
  'ok',
  'empty',
  'partial',
  'degraded',
  'blocked',
  'quota',
  'rate_limit',
  'timeout',
  'auth',
  'invalid',
  'failed',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Whether what was found answers the question, is about it only in part, or is about something else. */
export const MATCHES = ['answered', 'weak', 'none'] as const;
export type Match = (typeof MATCHES)[number];

/** One try at one provider with one key. */
export interface Attempt {
  provider: string;
  /** A label such as `key 2`, never the key. */
  key?: string;
  ms: number;
  outcome: Outcome;
  reason?: string;
}

const OUTCOME_OF: Record<FailureType, Outcome> = {
  validation: 'invalid',
  authentication: 'auth',
  authorization: 'auth',
  rate_limit: 'rate_limit',
  quota: 'quota',
  timeout: 'timeout',
  blocked: 'blocked',
  not_found: 'failed',
  unavailable: 'failed',
  cancelled: 'failed',
  internal: 'failed',
};

/** The outcome that a failure stands for. */
export const outcomeOf = (error: HeadgateError): Outcome => OUTCOME_OF[error.type];
