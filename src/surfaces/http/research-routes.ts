import type { Context, Hono } from 'hono';
import type { ResearchOutput, ResearchReport } from '../../contract/research.ts';
import type { Call } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { authorise } from '../../operations/authorise.ts';
import { createCall, perform } from '../../operations/perform.ts';
import { research } from '../../operations/research/research.ts';
import { keyOf } from './credentials.ts';
import { errorResponse } from './error-response.ts';
import type { Flight } from './flights.ts';
import { noteCall } from './note-call.ts';
import { openCall } from './open-call.ts';
import type { Body } from './request-body.ts';
import { decodeResearch, pendingResearch, researchState } from './tavily/research.ts';
import { researchStream } from './tavily/research-stream.ts';
import type { HttpWorld } from './world.ts';

/** `POST /research` (accepted, or streamed) and `GET /research/{id}`. */
export function mountResearch(app: Hono, world: HttpWorld): void {
  app.post('/research', async (context) => {
    const flight = world.flights.begin(context);
    const noted = noteCall(world, 'research');
    const started = world.services.clock.now();
    let isStreaming = false;
    try {
      const timeoutMs = LIMITS.researchStreamMs;
      // The end of the call's time is not the end of the research, so that it may not fire the flight's signal.
      const { signal } = flight;
      const { body, call } = await openCall(context, { timeoutMs }, world, { signal });
      noted.begin(call);
      const output = await perform(research, decodeResearch(body), call, world.services);
      noted.done({});
      isStreaming = body['stream'] === true;
      if (isStreaming) return streamed(output, body, call, world, flight);
      const seconds = (world.services.clock.now() - started) / 1_000;
      return context.json(pendingResearch(output.session, body, seconds) as never);
    } catch (thrown) {
      const error = HeadgateError.from(thrown);
      noted.failed(error);
      return errorResponse(error, noted.requestId);
    } finally {
      // A stream's end is seen by the flight itself.
      if (!isStreaming || !flight.endsItself) flight.end();
    }
  });
  app.get('/research/:id', (context) => stateOf(context, world));
}

function streamed(
  { session }: ResearchOutput,
  body: Body,
  call: Call,
  world: HttpWorld,
  flight: Flight,
): Response {
  const { research: sessions } = world.services;
  const id = session.research_id;
  const stream = researchStream({
    id,
    model: typeof body['model'] === 'string' ? body['model'] : 'auto',
    created: Math.floor(world.services.clock.now() / 1_000),
    events: sessions.watch(id, call),
    report: () => sessions.report(id, call),
    abandon: async () => {
      await sessions.cancel(id, call);
    },
  });
  // Whoever hangs up without a word ends the research too.
  flight.signal.addEventListener('abort', () => void sessions.cancel(id, call).catch(() => undefined), {
    once: true,
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

async function stateOf(context: Context, world: HttpWorld): Promise<Response> {
  const { services, identify, addressOf } = world;
  const started = services.clock.now();
  try {
    const identity = await identify(keyOf(context.req), addressOf(context));
    const call = authorise(research, createCall(services, { caller: identity.caller }));
    const { research: sessions } = services;
    const id = context.req.param('id') ?? '';
    // The gateway that began it may have been stopped or replaced: whoever is asked goes on with it.
    const session = await sessions.revive(id, call, services);
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
