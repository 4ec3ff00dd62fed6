import type { Context } from 'hono';
import { checkedPolicy } from '../../config/policy.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { Policy } from '../../core/gate.ts';
import { LIMITS } from '../../core/limits.ts';
import { createCall, type OpenCall } from '../../operations/perform.ts';
import { keyOf, keyOfBody } from './credentials.ts';
import type { OpenRequest } from './open-requests.ts';
import { readJsonBody, type Body } from './request-body.ts';
import type { GatewayContext } from './context.ts';
import type { Wire } from './wire.ts';

/** The requirements of a route. */
type Wanted = Pick<Wire, 'keyOf' | 'read'> & {
  timeoutMs?: number | ((body: Body, usualMs: number) => number) | undefined;
};

/** Identifies the caller, reads the body and creates the call, or refuses. */
export async function openCall(
  context: Context,
  { timeoutMs, ...wire }: Wanted,
  { services, identify, addressOf }: GatewayContext,
  { signal, abort }: Pick<OpenRequest, 'signal'> & Partial<Pick<OpenRequest, 'abort'>>,
): Promise<{ body: Body; call: OpenCall }> {
  const headerKey = wire.keyOf === undefined ? keyOf(context.req) : wire.keyOf(context);
  const address = addressOf(context);
  // A key in a header is checked before the body is read.
  const early = headerKey === undefined ? undefined : await identify(headerKey, address);
  const body = await (wire.read?.(context) ?? readJsonBody(context.req));
  // Fields of an address are no place for a key: addresses are logged.
  const bodyKey = wire.read === undefined ? keyOfBody(body) : undefined;
  const identity = early ?? (await identify(bodyKey, address));
  const limit =
    typeof timeoutMs === 'function' ? timeoutMs(body, services.config.search.timeout_ms) : timeoutMs;
  const call = createCall(services, {
    signal,
    surface: 'http',
    ...(abort === undefined ? {} : { abort }),
    caller: identity.caller,
    ...(limit === undefined ? {} : { timeoutMs: limit }),
    ...idempotencyOf(context),
    ...policyOf(context),
  });
  return { body, call };
}

/** Rules for this call alone, which can only narrow those of the gateway. */
export function policyOf(context: Context): { policy?: Policy } {
  const text = context.req.header('x-headgate-policy')?.trim();
  if (text === undefined || text === '') return {};
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw new HeadgateError('invalid_request', 'X-Headgate-Policy: this is not JSON.', {
      remediation: 'Send an object such as {"deny":["example.com"]}.',
    });
  }
  return { policy: checkedPolicy(given) };
}

export function idempotencyOf(context: Context): { idempotencyKey?: string } {
  const key = context.req.header('idempotency-key')?.trim();
  if (key === undefined || key === '') return {};
  if (key.length <= LIMITS.meterNameCharsMax && /^[\x21-\x7e]+$/.test(key)) return { idempotencyKey: key };
  throw new HeadgateError(
    'invalid_request',
    `Idempotency-Key: 1–${LIMITS.meterNameCharsMax} visible characters.`,
  );
}
