import type { Context, Hono } from 'hono';
import { createHttpHandler, type HttpHandler } from '../../bridge/http-handler.ts';
import { createToolServer } from '../../bridge/tool-server.ts';
import type { Caller } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { toolsets } from '../../tools/index.ts';
import type { Toolset } from '../../tools/tool.ts';
import { toAgentTools } from '../mcp/agent-tools.ts';
import { identityOf } from '../mcp/identity.ts';
import { keyOf } from './credentials.ts';
import { errorResponse } from './error-response.ts';
import { requireScope } from './identify.ts';
import type { HttpWorld } from './world.ts';

/** MCP over HTTP, for clients of both protocol eras: `/mcp?tools=<toolset>`. */
export function mountMcp(app: Hono, world: HttpWorld): void {
  const handlers = new Map(toolsets.map((toolset) => [toolset.id, lazily(() => handlerOf(toolset, world))]));
  const standard = toolsets.find((toolset) => toolset.id === 'default') ?? toolsets[0];
  app.all('/mcp', (context) =>
    answer(context, world, async () => {
      const id = context.req.query('tools') ?? standard?.id ?? '';
      const handler = handlers.get(id);
      if (handler !== undefined) return handler();
      throw new HeadgateError('not_found', `tools: there is no toolset "${id.slice(0, 50)}".`, {
        remediation: `Use one of ${[...handlers.keys()].join(', ')}.`,
      });
    }),
  );
}

/** Checks who asks, then hands the request to whoever serves it; the caller reaches the tools as `auth`. */
export async function answer(
  context: Context,
  world: HttpWorld,
  choose: (caller: Caller) => Promise<HttpHandler>,
  delegate: (caller: Caller) => Promise<Caller> = async (caller) => caller,
): Promise<Response> {
  const flight = world.flights.begin(context);
  try {
    if (Number(context.req.header('content-length') ?? 0) > LIMITS.requestBodyBytesMax) {
      throw new HeadgateError('payload_too_large', 'The message is too large.');
    }
    const identity = await world.identify(keyOf(context.req), world.addressOf(context));
    requireScope(identity, 'search');
    const caller = await delegate(identity.caller);
    const handler = await choose(caller);
    const response = await handler.fetch(context.req.raw, { auth: caller });
    response.headers.set('x-accel-buffering', 'no');
    return response;
  } catch (thrown) {
    return errorResponse(thrown);
  } finally {
    // A stream goes on after this function; its end is seen by the flight itself.
    if (!flight.endsItself) flight.end();
  }
}

/** Hosts and origins were checked for every route before. */
export const handlerOf = (toolset: Toolset, { services }: HttpWorld): HttpHandler =>
  createHttpHandler(
    createToolServer({
      ...identityOf(toolset),
      tools: toAgentTools(toolset, services),
      logger: services.log,
    }),
    { isChecked: true, logger: services.log },
  );

function lazily<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
