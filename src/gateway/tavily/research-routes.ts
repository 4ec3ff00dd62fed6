import type { Context, Hono } from 'hono';
import type { ResearchReport } from '../../contract/research.ts';
import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { authorise } from '../../operations/authorise.ts';
import { underRules } from '../../operations/gated.ts';
import { createCall, perform } from '../../operations/perform.ts';
import { research } from '../../research/research.ts';
import { keyOf } from '../door/credentials.ts';
import { errorResponse } from '../door/error-response.ts';
import { noteCall } from '../door/note-call.ts';
import { openCall, policyOf } from '../door/open-call.ts';
import { decodeResearch, pendingResearch, researchState } from './research.ts';
import { researchStream } from './research-stream.ts';
import type { GatewayContext } from '../door/context.ts';

/** `POST /research` and `GET /research/{id}`, each answered at once or streamed. */
export function mountResearch(app: Hono, gateway: GatewayContext): void {
  app.post('/research', async (context) => {
    const request = gateway.openRequests.begin(context);
    const noted = noteCall(gateway, 'research');
    const started = gateway.services.clock.now();
    let isStreaming = false;
    try {
      const timeoutMs = LIMITS.researchStreamMs;
      // The call's deadline must not abort the request's signal, because the research goes on.
      const { signal } = request;
      const { body, call } = await openCall(context, { timeoutMs }, gateway, { signal });
      noted.begin(call);
      const output = await perform(research, decodeResearch(body), { call, services: gateway.services });
      noted.done({});
      isStreaming = body['stream'] === true;
      if (isStreaming) {
        const leave = async (): Promise<void> => {
          // A gateway that stops leaves the research to others; a client that disconnects cancels it.
          if (!gateway.openRequests.isDraining)
            await gateway.services.research.cancel(output.session.research_id, call);
        };
        request.signal.addEventListener('abort', () => void leave().catch(() => undefined), { once: true });
        return streamed(output.session.research_id, body['model'], call, gateway, leave);
      }
      const seconds = (gateway.services.clock.now() - started) / 1_000;
      return context.json(pendingResearch(output.session, body, seconds) as never);
    } catch (thrown) {
      const error = HeadgateError.from(thrown);
      noted.failed(error);
      return errorResponse(error, noted.requestId());
    } finally {
      // The open request sees the end of a stream.
      if (!isStreaming || !request.endsItself) request.end();
    }
  });
  app.get('/research/:id', (context) => stateOf(context, gateway));
}

function streamed(
  id: string,
  model: unknown,
  call: Call,
  { services }: GatewayContext,
  abandon: () => Promise<void>,
): Response {
  const { research: sessions, clock } = services;
  const stream = researchStream({
    id,
    model: typeof model === 'string' ? model : 'auto',
    created: Math.floor(clock.now() / 1_000),
    events: sessions.watch(id, call),
    report: () => sessions.report(id, call),
    abandon,
  });
  return new Response(stream, {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      'x-request-id': id,
    },
  });
}

async function stateOf(context: Context, gateway: GatewayContext): Promise<Response> {
  const { services, identify, addressOf } = gateway;
  const started = services.clock.now();
  try {
    const identity = await identify(keyOf(context.req), addressOf(context));
    const isStreaming = context.req.query('stream') === 'true';
    const opened = createCall(services, {
      caller: identity.caller,
      ...policyOf(context),
      ...(isStreaming ? { timeoutMs: LIMITS.researchStreamMs, signal: context.req.raw.signal } : {}),
    });
    const call = await underRules({ call: authorise(research, opened), services });
    const { research: sessions } = services;
    const id = context.req.param('id') ?? '';
    // The gateway that started it may be gone; any gateway can resume it.
    const session = await sessions.revive(id, { call, services });
    if (isStreaming) return streamed(id, undefined, call, gateway, async () => undefined);
    const report: ResearchReport | undefined =
      session.status === 'completed' ? await sessions.report(id, call) : undefined;
    const { status, body } = researchState(session, report, {
      seconds: (services.clock.now() - started) / 1_000,
      withUsage: context.req.query('include_usage') === 'true',
    });
    return context.json(body as never, status);
  } catch (thrown) {
    const error = HeadgateError.from(thrown);
    const isUnknown = error.code === 'not_found' || error.code === 'invalid_request';
    return errorResponse(isUnknown ? new HeadgateError('not_found', 'Research task not found') : error);
  }
}
