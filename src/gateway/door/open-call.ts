import type { Context } from 'hono';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { createCall, type OpenCall } from '../../operations/perform.ts';
import { keyOf, keyOfBody } from './credentials.ts';
import type { OpenRequest } from './open-requests.ts';
import { readJsonBody, type Body } from './request-body.ts';
import type { GatewayContext } from './context.ts';

/** The requirements of a route. */
interface Wanted {
  timeoutMs?: number | ((body: Body, usualMs: number) => number) | undefined;
}

/** Identifies the caller, reads the body and creates the call, or refuses. */
export async function openCall(
  context: Context,
  { timeoutMs }: Wanted,
  { services, identify, addressOf }: GatewayContext,
  { signal, abort }: Pick<OpenRequest, 'signal'> & Partial<Pick<OpenRequest, 'abort'>>,
): Promise<{ body: Body; call: OpenCall }> {
  const headerKey = keyOf(context.req);
  const address = addressOf(context);
  // A key in a header is checked before the body is read.
  const early = headerKey === undefined ? undefined : await identify(headerKey, address);
  const body = await readJsonBody(context.req);
  const identity = early ?? (await identify(keyOfBody(body), address));
  const limit =
    typeof timeoutMs === 'function' ? timeoutMs(body, services.config.search.timeout_ms) : timeoutMs;
  const call = createCall(services, {
    signal,
    surface: 'http',
    ...(abort === undefined ? {} : { abort }),
    caller: identity.caller,
    ...(limit === undefined ? {} : { timeoutMs: limit }),
    ...idempotencyOf(context),
  });
  return { body, call };
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
