import { HeadgateError, type FailureType } from '../../../core/errors.ts';

/** The response-v2 envelope (research spec 2.1). All four keys are always present. */
export interface Envelope {
  success: boolean;
  data: Record<string, unknown>;
  error: string | null;
  meta: Record<string, unknown>;
}

export type EnvelopeErrorType =
  | 'validation'
  | 'authentication'
  | 'authorization'
  | 'not_found'
  | 'rate_limit'
  | 'quota'
  | 'unavailable'
  | 'internal';

interface Failure {
  code: string;
  type: EnvelopeErrorType;
  remediation?: string | undefined;
  details?: Record<string, unknown>;
  retryAfterMs?: number | undefined;
}

/** A call that did its work, wholly or in part; what was left undone stands in the warnings. */
export const successResponse = (
  data: Record<string, unknown>,
  { requestId, warnings = [] }: { requestId: string; warnings?: string[] },
): Envelope => ({
  success: true,
  data,
  error: null,
  meta: metaFor(requestId, warnings.length === 0 ? {} : { warnings }),
});

/** A call that did nothing of its work. */
export function errorEnvelope(message: string, failure: Failure, requestId: string): Envelope {
  const { code, type, remediation, details = {}, retryAfterMs } = failure;
  const seconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1_000);
  return {
    success: false,
    data: {
      error_code: code,
      error_type: type,
      ...(remediation === undefined ? {} : { remediation }),
      ...(Object.keys(details).length === 0 ? {} : { details }),
      ...(seconds === undefined ? {} : { retry_after_seconds: seconds }),
    },
    error: message,
    meta: metaFor(requestId, seconds === undefined ? {} : { rate_limit: { retry_after: seconds } }),
  };
}

const FAILURES: Record<FailureType, [code: string, type: EnvelopeErrorType]> = {
  validation: ['VALIDATION_ERROR', 'validation'],
  authentication: ['UNAUTHORIZED', 'authentication'],
  authorization: ['FORBIDDEN', 'authorization'],
  not_found: ['NOT_FOUND', 'not_found'],
  rate_limit: ['RATE_LIMIT_EXCEEDED', 'rate_limit'],
  quota: ['QUOTA_EXCEEDED', 'quota'],
  timeout: ['TIMEOUT', 'unavailable'],
  blocked: ['UNAVAILABLE', 'unavailable'],
  approval: ['FORBIDDEN', 'authorization'],
  payment: ['FORBIDDEN', 'authorization'],
  unavailable: ['UNAVAILABLE', 'unavailable'],
  cancelled: ['OPERATION_FAILED', 'internal'],
  internal: ['INTERNAL_ERROR', 'internal'],
};

/** Any failure of the engine as an envelope. */
export function envelopeOf(error: HeadgateError, requestId: string): Envelope {
  const [code, type] = FAILURES[error.type];
  const { attempts } = error.data;
  return errorEnvelope(
    error.message,
    {
      code,
      type,
      remediation: error.remediation,
      ...(attempts === undefined ? {} : { details: { attempts } }),
      retryAfterMs: error.retryAfterMs,
    },
    requestId,
  );
}

const metaFor = (requestId: string, more: Record<string, unknown>): Record<string, unknown> => ({
  version: 'response-v2',
  request_id: requestId,
  ...more,
});
