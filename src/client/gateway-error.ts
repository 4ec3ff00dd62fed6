/** Why a gateway did not answer. `code` and `status` are the gateway's; a failed connection has status 0. */
export class GatewayError extends Error {
  override readonly name: string = 'GatewayError';
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  /** How long the gateway asks to wait before the next attempt. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    details: { status: number; code: string; requestId?: string; retryAfterMs?: number; cause?: unknown },
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.status = details.status;
    this.code = details.code;
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
  }

  /** True when the same call may succeed later, unchanged. A used-up plan (432) does not recover quickly. */
  get retryable(): boolean {
    return this.status === 0 || this.status === 429 || this.status === 503 || this.status === 504;
  }
}
