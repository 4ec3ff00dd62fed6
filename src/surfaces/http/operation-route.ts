import type { Context } from 'hono';
import { HeadgateError } from '../../core/errors.ts';
import type { Operation } from '../../operations/operation.ts';
import { perform, type OpenCall } from '../../operations/perform.ts';
import { plan } from '../../operations/plan.ts';
import { errorResponse } from './error-response.ts';
import { noteCall, type CallFacts } from './note-call.ts';
import { openCall } from './open-call.ts';
import type { Wire } from './tavily/wire.ts';
import type { HttpWorld } from './world.ts';

/** Serves one operation over HTTP. */
export function operationRoute(operation: Operation, wire: Wire, world: HttpWorld) {
  return async (context: Context): Promise<Response> => {
    const flight = world.flights.begin(context);
    const noted = noteCall(world, operation.contract.name);
    let call: OpenCall | undefined;
    try {
      const opened = await openCall(context, wire, world, flight);
      const { body } = opened;
      call = opened.call;
      noted.begin(call);
      const input = wire.decode(body);
      if (isDryRun(body))
        return context.json(await plan(operation as Operation<never>, input, call, world.services));
      const output = await perform(operation, input, call, world.services);
      noted.done(output as CallFacts);
      return context.json(wire.encode(output as never, body));
    } catch (thrown) {
      const error = HeadgateError.from(thrown);
      noted.failed(error);
      return errorResponse(error, noted.requestId);
    } finally {
      call?.end();
      flight.end();
    }
  };
}

const isDryRun = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && (body as { dry_run?: unknown }).dry_run === true;
