import type { ExtractCode, ExtractHit } from '../../contract/extract.ts';
import type { FailureType, HeadgateError } from '../../core/errors.ts';
import type { OwnText } from '../../core/text.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { ReadPageRecord } from './archive.ts';

/** A page that could not be read, and why. */
export interface FailedPage {
  url: string;
  error: OwnText;
  code: ExtractCode;
}

/** The results of one reader. */
export interface ReadBatch {
  hits: ExtractHit[];
  /** The whole pages, even if only passages were requested. */
  pages: ReadPageRecord[];
  failed: FailedPage[];
  credits: number;
  warnings: OwnText[];
  /** The failure of the reader as a whole, as opposed to single pages. */
  refusal?: HeadgateError;
  /** Set if a page was replayed and not for the very same request. */
  replayed?: 'canonical';
}

/** The common cause of several failures, if its type is in the list; the latest one represents all. */
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
  NEEDS_APPROVAL: 'needs_approval',
  PAYMENT_REQUIRED: 'payment_required',
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

/** The outcome when no page was read: the one that all pages share. */
export function outcomeOfFailed(failed: FailedPage[]): Outcome {
  const [first, ...others] = new Set(failed.map(({ code }) => OUTCOMES[code]));
  return first === undefined || others.length > 0 ? 'failed' : first;
}
