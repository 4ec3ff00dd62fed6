import type { Context } from 'hono';
import { HeadgateError } from '../../core/errors.ts';
import { noted as logged, type CallFacts } from '../../operations/noted.ts';
import type { Operation } from '../../operations/operation.ts';
import { identified, perform, type OpenCall } from '../../operations/perform.ts';
import { plan } from '../../operations/plan.ts';
import { errorResponse } from './error-response.ts';
import { noteCall } from './note-call.ts';
import { openCall } from './open-call.ts';
import { budgetHeaders } from './budget-headers.ts';
import type { Cost } from '../../operations/run-unit.ts';
import type { Wire } from './wire.ts';
import type { GatewayContext } from './context.ts';

/** Serves one operation over HTTP. */
export function operationRoute(operation: Operation, wire: Wire, gateway: GatewayContext) {
  return async (context: Context): Promise<Response> => {
    const request = gateway.openRequests.begin(context);
    const noted = noteCall(gateway, operation.contract.name);
    let call: OpenCall | undefined;
    try {
      const opened = await openCall(context, wire, gateway, request);
      const { body } = opened;
      call = opened.call;
      noted.begin(call);
      const ctx = { call, services: gateway.services };
      if (isDryRun(body))
        return context.json(await plan(operation as Operation<never>, wire.decode(body), ctx));
      // Also what cannot be decoded is a call.
      const named = { name: operation.contract.name, input: body };
      const output = await identified(named, ctx, (_named, own) =>
        logged(named, own, async (inner) => perform(operation, wire.decode(body), inner)),
      );
      noted.done(output as CallFacts);
      const headers = budgetHeaders((output as { cost?: Cost }).cost?.budget);
      const answer = wire.encode(output as never, body);
      if (!(answer instanceof Response)) return context.json(answer, 200, headers);
      for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
      return answer;
    } catch (thrown) {
      const error = HeadgateError.from(thrown);
      noted.failed(error);
      return (wire.fail ?? errorResponse)(error, noted.requestId());
    } finally {
      call?.end();
      request.end();
    }
  };
}

const isDryRun = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && (body as { dry_run?: unknown }).dry_run === true;
