import type { HeadgateError } from './errors.ts';

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

/** One try at one provider with one key. */
export interface Attempt {
  provider: string;
  /** A label such as `key 2`, never the key. */
  key?: string;
  ms: number;
  outcome: Outcome;
  reason?: string;
}

/** The outcome that a failure stands for. */
export function outcomeOf(error: HeadgateError): Outcome {
  switch (error.type) {
    case 'validation':
      return 'invalid';
    case 'authentication':
    case 'authorization':
      return 'auth';
    case 'rate_limit':
      return 'rate_limit';
    case 'quota':
      return 'quota';
    case 'timeout':
      return 'timeout';
    case 'blocked':
      return 'blocked';
    case 'not_found':
    case 'unavailable':
    case 'cancelled':
    case 'internal':
      return 'failed';
  }
}
