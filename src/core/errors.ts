import { joinSentences, type OwnText, type Written } from './text.ts';

/**
 * Every failure that Headgate can report. Callers branch on `type`, HTTP answers with `status`, and
 * `retryable` says whether the same call may be repeated unchanged. Retries and fallbacks are decided here,
 * never by message text.
 */
export const FAILURES = {
  invalid_request: { type: 'validation', status: 400, retryable: false },
  invalid_url: { type: 'validation', status: 400, retryable: false },
  invalid_config: { type: 'validation', status: 500, retryable: false },
  payload_too_large: { type: 'validation', status: 413, retryable: false },
  idempotency_mismatch: { type: 'validation', status: 422, retryable: false },
  in_progress: { type: 'validation', status: 409, retryable: true },
  conflict: { type: 'validation', status: 409, retryable: false },
  unauthenticated: { type: 'authentication', status: 401, retryable: false },
  sign_in_refused: { type: 'authentication', status: 401, retryable: false },
  second_factor_needed: { type: 'authentication', status: 401, retryable: false },
  forbidden: { type: 'authorization', status: 403, retryable: false },
  not_found: { type: 'not_found', status: 404, retryable: false },
  not_configured: { type: 'authentication', status: 503, retryable: false },
  rate_limited: { type: 'rate_limit', status: 429, retryable: true },
  limit_reached: { type: 'quota', status: 429, retryable: false },
  insufficient_credits: { type: 'quota', status: 402, retryable: false },
  over_budget: { type: 'quota', status: 402, retryable: false },
  storage_unavailable: { type: 'unavailable', status: 503, retryable: true },
  blocked_host: { type: 'blocked', status: 403, retryable: false },
  policy_denied: { type: 'blocked', status: 403, retryable: false },
  needs_approval: { type: 'approval', status: 403, retryable: false },
  payment_required: { type: 'payment', status: 402, retryable: false },
  page_too_large: { type: 'blocked', status: 413, retryable: false },
  redirect_refused: { type: 'blocked', status: 502, retryable: false },
  unsupported_type: { type: 'blocked', status: 415, retryable: false },
  robots_denied: { type: 'blocked', status: 403, retryable: false },
  not_recorded: { type: 'not_found', status: 502, retryable: false },
  page_status: { type: 'not_found', status: 502, retryable: false },
  extract_failed: { type: 'unavailable', status: 502, retryable: false },
  upstream_authentication: { type: 'authentication', status: 502, retryable: false },
  upstream_quota: { type: 'quota', status: 432, retryable: false },
  upstream_rate_limit: { type: 'rate_limit', status: 429, retryable: true },
  upstream_invalid: { type: 'validation', status: 400, retryable: false },
  upstream_blocked: { type: 'blocked', status: 503, retryable: false },
  upstream_bad_answer: { type: 'unavailable', status: 502, retryable: false },
  upstream_unavailable: { type: 'unavailable', status: 503, retryable: true },
  upstream_timeout: { type: 'timeout', status: 504, retryable: true },
  network_error: { type: 'unavailable', status: 502, retryable: true },
  tls_error: { type: 'unavailable', status: 502, retryable: false },
  deadline_exceeded: { type: 'timeout', status: 504, retryable: false },
  cancelled: { type: 'cancelled', status: 499, retryable: false },
  internal: { type: 'internal', status: 500, retryable: false },
} as const satisfies Record<string, { type: string; status: number; retryable: boolean }>;

export type FailureCode = keyof typeof FAILURES;
export type FailureType = (typeof FAILURES)[FailureCode]['type'];

interface ErrorDetails {
  /** The provider that failed. */
  provider?: string;
  /** How long the provider asked us to wait. */
  retryAfterMs?: number;
  /** The provider was not asked, because earlier calls failed in this way. */
  isUnasked?: boolean;
  /** What a gateway answered, where it is not what the table says. */
  status?: number;
  retryable?: boolean;
  /** The gateway's id of the call. */
  requestId?: string;
  /** Facts for the caller (limits, counts, balances); never secrets. */
  data?: Record<string, unknown>;
  /** For the log only; never shown to a caller. */
  cause?: unknown;
}

const BRAND = Symbol.for('headgate.error');

/**
 * The only error class that leaves a module. The message is for the caller: what failed and what to do next.
 */
export class Failure extends Error {
  override readonly name: string = 'HeadgateError';
  readonly code: FailureCode;
  readonly type: FailureType;
  readonly status: number;
  readonly retryable: boolean;
  readonly isUnasked: boolean;
  declare readonly message: OwnText;
  readonly remediation: OwnText | undefined;
  readonly provider: string | undefined;
  /** How long to wait before the same call is repeated. */
  readonly retryAfterMs: number | undefined;
  /** The id of a call to a gateway. */
  readonly requestId: string | undefined;
  readonly data: Record<string, unknown>;
  readonly [BRAND] = true;

  /**
   * The executable and the modules it loads are bundled separately, each with its own copy of this class. The
   * brand makes `instanceof` work across copies.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== Failure) return Function.prototype[Symbol.hasInstance].call(this, value);
    return value instanceof Error && BRAND in value;
  }

  constructor(
    code: FailureCode,
    message: string,
    details: ErrorDetails & { remediation?: string | undefined } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.type = FAILURES[code].type;
    this.status = details.status ?? FAILURES[code].status;
    this.isUnasked = details.isUnasked === true;
    this.retryable = details.retryable ?? (FAILURES[code].retryable && !this.isUnasked);
    this.remediation = details.remediation as OwnText | undefined;
    this.provider = details.provider;
    this.retryAfterMs = details.retryAfterMs;
    this.requestId = details.requestId;
    this.data = details.data ?? {};
  }

  /** Turns anything that was thrown into a known failure. This is the only place that does. */
  static from(thrown: unknown): Failure {
    if (thrown instanceof HeadgateError) return thrown;
    if (isAbort(thrown)) {
      // The reason of a signal may already be a failure; AbortSignal.timeout gives a TimeoutError.
      const timedOut = (thrown as Error).name === 'TimeoutError';
      return timedOut
        ? new HeadgateError('deadline_exceeded', 'The call ran out of time.', { cause: thrown })
        : new HeadgateError('cancelled', 'The call was cancelled.', { cause: thrown });
    }
    return new HeadgateError('internal', 'Something went wrong inside Headgate. The log has the details.', {
      cause: thrown,
    });
  }

  /** The message with its remediation, as one text for a person or a model. */
  get explanation(): OwnText {
    return joinSentences(this.message, this.remediation);
  }
}

/** How a failure is constructed: with a message that is a literal of our source, or one made with `own`. */
interface FailureConstructor {
  new <const Message extends string, const Remediation extends string = never>(
    code: FailureCode,
    message: Written<Message> & Message,
    details?: ErrorDetails & { remediation?: (Written<Remediation> & Remediation) | undefined },
  ): Failure;
  readonly prototype: Failure;
  from(thrown: unknown): Failure;
}

// oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- the narrower signature is the point
export const HeadgateError = Failure as unknown as FailureConstructor;
export type HeadgateError = Failure;

function isAbort(thrown: unknown): boolean {
  return thrown instanceof Error && (thrown.name === 'AbortError' || thrown.name === 'TimeoutError');
}
