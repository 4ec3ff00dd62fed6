import type { Context } from 'hono';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Operation } from '../../operations/operation.ts';
import { createCall, perform } from '../../operations/perform.ts';
import { keyOf, keyOfBody } from './credentials.ts';
import { errorResponse } from './error-response.ts';
import type { HttpWorld } from './world.ts';
import { requireScope } from './identify.ts';
import { noteCall, type CallFacts } from './note-call.ts';
import { readJsonBody } from './request-body.ts';
import type { Wire } from './tavily/wire.ts';

/** One operation over HTTP: who asks, what they ask, the answer. */
export function operationRoute(operation: Operation, wire: Wire, world: HttpWorld) {
  const { services, flights, identify } = world;
  return async (context: Context): Promise<Response> => {
    const flight = flights.begin(context);
    const noted = noteCall(world, operation.contract.name);
    try {
      const headerKey = keyOf(context.req);
      const address = world.addressOf(context);
      // A key in a header is checked before anything is read.
      const early = headerKey === undefined ? undefined : await identify(headerKey, address);
      const body = await readJsonBody(context.req);
      const identity = early ?? (await identify(keyOfBody(body), address));
      requireScope(identity, wire.scope);
      const call = {
        ...createCall(services, {
          signal: flight.signal,
          caller: identity.caller,
          ...(wire.timeoutMs === undefined ? {} : { timeoutMs: wire.timeoutMs(body) }),
        }),
        ...idempotencyOf(context),
      };
      noted.begin(call);
      const output = await perform(operation, wire.decode(body), call, services);
      noted.done(output as CallFacts);
      return context.json(wire.encode(output as never, body));
    } catch (thrown) {
      const error = HeadgateError.from(thrown);
      noted.failed(error);
      return errorResponse(error, noted.requestId);
    } finally {
      flight.end();
    }
  };
}

function idempotencyOf(context: Context): { idempotencyKey?: string } {
  const key = context.req.header('idempotency-key')?.trim();
  if (key === undefined || key === '') return {};
  if (key.length <= LIMITS.meterNameCharsMax && /^[\x21-\x7e]+$/.test(key)) return { idempotencyKey: key };
  throw new HeadgateError(
    'invalid_request',
    `Idempotency-Key: 1–${LIMITS.meterNameCharsMax} visible characters.`,
  );
}
