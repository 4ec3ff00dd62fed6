import { HeadgateError, type FailureCode } from '../../core/errors.ts';
import type { Cost } from '../../operations/run-unit.ts';
import { budgetHeaders } from './budget-headers.ts';
import { redact } from '../../core/log.ts';

/**
 * Tavily's statuses where they differ from ours: its clients distinguish a used-up plan from a rate limit by
 * them.
 */
const STATUS: Partial<Record<FailureCode, number>> = {
  insufficient_credits: 432,
  limit_reached: 432,
  over_budget: 432,
  idempotency_mismatch: 422,
};

/** Tavily's own messages, which programs compare. */
const TEXT: Partial<Record<FailureCode, string>> = {
  unauthenticated: 'Unauthorized: missing or invalid API key.',
  rate_limited: 'Your request has been blocked due to excessive requests. Please reduce rate of requests.',
  internal: 'Internal Server Error',
};

export const statusOf = (error: HeadgateError): number => STATUS[error.code] ?? error.status;

/** A failure in Tavily's form, `{"detail":{"error"}}`, with our code and Retry-After. */
export function errorResponse(thrown: unknown, requestId?: string): Response {
  const error = HeadgateError.from(thrown);
  const seconds = secondsOf(error);
  const body = {
    detail: {
      error: redact(TEXT[error.code] ?? error.explanation),
      code: error.code,
      retryable: error.retryable,
      ...(error.remediation === undefined ? {} : { remediation: redact(error.remediation) }),
      ...(seconds === undefined ? {} : { retry_after: seconds }),
      ...(requestId === undefined ? {} : { request_id: requestId }),
      // A failed call may still have cost something.
      ...(error.data['cost'] === undefined ? {} : { cost: error.data['cost'] }),
    },
  };
  return failureResponse(error, body, { status: statusOf(error) });
}

/** A failure with this body, and the headers that every API has. */
export function failureResponse(
  error: HeadgateError,
  body: unknown,
  { status = error.status, scheme = 'Bearer' }: { status?: number; scheme?: string } = {},
): Response {
  const seconds = secondsOf(error);
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/json',
      ...(seconds === undefined ? {} : { 'retry-after': String(seconds) }),
      ...refusedHeaders(error.data, seconds),
      ...(error.code === 'unauthenticated' ? { 'www-authenticate': scheme } : {}),
      // The unread rest of an oversized body must not be parsed as the next request.
      ...(error.code === 'payload_too_large' ? { connection: 'close' } : {}),
    },
  });
}

const secondsOf = ({ retryAfterMs }: HeadgateError): number | undefined =>
  retryAfterMs === undefined ? undefined : Math.max(1, Math.ceil(retryAfterMs / 1_000));

/** The headers of a call that a budget refused, or that failed and was charged. */
function refusedHeaders(data: HeadgateError['data'], seconds: number | undefined): Record<string, string> {
  const { unit, limit, used } = data as { unit: 'credits' | 'money'; limit: number; used: number };
  if (data['budget'] === undefined) return budgetHeaders((data['cost'] as Cost | undefined)?.budget);
  return budgetHeaders({ unit, left: limit - used, amount: limit, renews_in: seconds ?? null });
}
