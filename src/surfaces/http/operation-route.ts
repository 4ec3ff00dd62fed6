import type { Context } from 'hono';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Attempt } from '../../core/outcome.ts';
import type { Operation } from '../../operations/operation.ts';
import { createCall, perform } from '../../operations/perform.ts';
import { keyOf, keyOfBody } from './credentials.ts';
import { errorResponse } from './error-response.ts';
import type { HttpWorld } from './world.ts';
import { requireScope } from './identify.ts';
import { readJsonBody } from './request-body.ts';
import type { Wire } from './tavily/wire.ts';

/** One operation over HTTP: who asks, what they ask, the answer. */
export function operationRoute(operation: Operation, wire: Wire, world: HttpWorld) {
  const { services, flights, identify, metrics } = world;
  return async (context: Context): Promise<Response> => {
    const flight = flights.begin(context);
    let requestId: string | undefined;
    try {
      const headerKey = keyOf(context.req);
      const address = world.addressOf(context);
      // A key in a header is checked before anything is read.
      const early = headerKey === undefined ? undefined : await identify(headerKey, address);
      const body = await readJsonBody(context.req);
      const identity = early ?? (await identify(keyOfBody(body), address));
      requireScope(identity, wire.scope);
      const call = {
        ...createCall(services, { signal: flight.signal, caller: identity.caller }),
        ...idempotencyOf(context),
      };
      requestId = call.requestId;
      const output = await perform(operation, wire.decode(body), call, services);
      note(world, operation, output as Told);
      return context.json(wire.encode(output as never, body));
    } catch (thrown) {
      const error = HeadgateError.from(thrown);
      metrics.count('headgate_failures_total', 'Calls that failed, by code.', {
        operation: operation.contract.name,
        code: error.code,
      });
      return errorResponse(error, requestId);
    } finally {
      flight.end();
    }
  };
}

interface Told {
  outcome?: string;
  attempts?: Attempt[];
  credits?: number;
  cached?: boolean;
}

function note({ metrics }: HttpWorld, operation: Operation, output: Told): void {
  const { name } = operation.contract;
  metrics.count('headgate_calls_total', 'Calls by operation and outcome.', {
    operation: name,
    outcome: output.outcome ?? 'ok',
    cached: String(output.cached === true),
  });
  for (const attempt of output.attempts ?? []) {
    const labels = { provider: attempt.provider, outcome: attempt.outcome };
    metrics.count('headgate_attempts_total', 'Tries at providers by outcome.', labels);
  }
  if ((output.credits ?? 0) > 0)
    metrics.count(
      'headgate_credits_total',
      'Credits that providers charged.',
      { operation: name },
      output.credits,
    );
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
