import type { ExtractCode, ExtractHit } from '../../contract/extract.ts';
import type { FailureType, HeadgateError } from '../../core/errors.ts';
import type { OwnText } from '../../core/text.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { KeptPage } from '../library/keep.ts';

/** A page that could not be read, and why. */
export interface FailedPage {
  url: string;
  error: OwnText;
  code: ExtractCode;
}

/** What one reader made of its URLs. */
export interface ReadBatch {
  hits: ExtractHit[];
  /** The whole pages, whatever of them was asked for. */
  pages: KeptPage[];
  failed: FailedPage[];
  credits: number;
  warnings: OwnText[];
  /** The failure itself, where the reader was refused or failed as a whole and not at single pages. */
  refusal?: HeadgateError;
}

/** The one cause of several failures, if its type is among these; the latest stands for all. */
export function commonCause(
  errors: HeadgateError[],
  types: readonly FailureType[],
): HeadgateError | undefined {
  const last = errors.at(-1);
  return last !== undefined && types.includes(last.type) && errors.every(({ code }) => code === last.code)
    ? last
    : undefined;
}

const OUTCOMES: Record<ExtractCode, Outcome> = {
  INVALID_URL: 'invalid',
  BLOCKED_HOST: 'blocked',
  NOT_FOUND: 'failed',
  ACCESS_DENIED: 'blocked',
  TIMEOUT: 'timeout',
  PAYLOAD_TOO_LARGE: 'blocked',
  UNSUPPORTED_TYPE: 'blocked',
  NETWORK_ERROR: 'failed',
  RATE_LIMITED: 'rate_limit',
  UNAUTHORIZED: 'auth',
  QUOTA_EXCEEDED: 'quota',
  UNAVAILABLE: 'failed',
  BAD_ANSWER: 'failed',
  EXTRACT_FAILED: 'failed',
};

/** The outcome of reading nothing: the common one of all pages. */
export function outcomeOfFailed(failed: FailedPage[]): Outcome {
  const [first, ...others] = new Set(failed.map(({ code }) => OUTCOMES[code]));
  return first === undefined || others.length > 0 ? 'failed' : first;
}
