import type { Context, Hono } from 'hono';
import { createExchanges, type Exchanges } from '../../bridge/mcp/exchanges.ts';
import { createHttpHandler, type HttpHandler, readMessage } from '../../bridge/mcp/http-handler.ts';
import { createToolServer } from '../../bridge/mcp/tool-server.ts';
import type { Caller } from '../../core/call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { TOOL_ERROR } from '../../core/trace.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Agent } from '../../store/agents.ts';
import { agent, AGENT_DEFAULTS, agentToolset } from '../../toolsets/compat/agent/agent.ts';
import { toolsets } from '../../toolsets/index.ts';
import type { Tool, Toolset } from '../../toolsets/tool.ts';
import { toAgentTools } from '../../mcp/agent-tools.ts';
import { createOffers } from '../../mcp/offers.ts';
import { identityOf } from '../../mcp/identity.ts';
import { keyOf } from '../door/credentials.ts';
import { resolveActing } from '../door/delegation.ts';
import { errorResponse } from '../door/error-response.ts';
import { requireScope, type Identity } from '../door/identify.ts';
import { placeOf, challenge } from '../door/resource.ts';
import { servedTools } from '../door/standing.ts';
import { idempotencyOf, policyOf } from '../door/open-call.ts';
import type { GatewayContext } from '../door/context.ts';
import type { CallHooks } from '../../bridge/call.ts';
import type { CallResult, ToolContext } from '../../bridge/tool.ts';
import type { CallFacts } from '../../operations/noted.ts';
import { noteCall } from '../door/note-call.ts';

/** The server and the caller of a request. */
interface Served {
  handler: HttpHandler;
  caller: Caller;
  tools: readonly Tool[];
}

/**
 * Mounts MCP over HTTP for clients of both protocol eras: `/mcp?tools=<toolset>`, and `/mcp/agents/<id>` with
 * an agent's tools.
 */
export function mountMcp(app: Hono, gateway: GatewayContext): void {
  const handlers = new Map<string, HttpHandler>();
  const exchanges = createExchanges();
  const handlerOf = (toolset: Toolset): HttpHandler => {
    const made = handlers.get(toolset.id) ?? createHandler(toolset, exchanges, gateway);
    handlers.set(toolset.id, made);
    return made;
  };
  // Settings and prices may change at any time and a server is cheap, so each request gets its own.
  const agentServed = async (served: Pick<Agent, 'id' | 'settings'>, caller: Caller): Promise<Served> => {
    const toolset = agentToolset(served.settings, await servedTools(served, caller.workspace, gateway));
    return { handler: createHandler(toolset, exchanges, gateway), caller, tools: toolset.tools };
  };
  app.all('/mcp', (context) =>
    serve(context, gateway, async (caller) => {
      const toolset = toolsetOf(context.req.query('tools') ?? 'default');
      return toolset === agent
        ? agentServed({ id: agent.id, settings: AGENT_DEFAULTS }, caller)
        : { handler: handlerOf(toolset), caller, tools: toolset.tools };
    }),
  );
  app.all('/mcp/agents/:id', (context) =>
    serve(context, gateway, async (caller) => {
      const acting = await resolveActing(context.req, context.req.param('id'), caller, gateway.store);
      return agentServed(acting.agent, acting.caller);
    }),
  );
}

function toolsetOf(id: string): Toolset {
  const toolset = toolsets.find((one) => one.id === id);
  if (toolset !== undefined) return toolset;
  throw new HeadgateError('not_found', own`tools: there is no toolset "${named(id.slice(0, 50))}".`, {
    remediation: own`Use one of ${named(toolsets.map((one) => one.id).join(', '))}.`,
  });
}

/** Identifies the caller, then hands the request over; tools see the caller as the bridge's `auth`. */
async function serve(
  context: Context,
  gateway: GatewayContext,
  choose: (caller: Caller) => Promise<Served>,
): Promise<Response> {
  const request = gateway.openRequests.begin(context);
  try {
    if (Number(context.req.header('content-length') ?? 0) > LIMITS.requestBodyBytesMax) {
      throw new HeadgateError('payload_too_large', 'The message is too large.');
    }
    const place = placeOf(context.req.path);
    const identity = await gateway.identify(keyOf(context.req), gateway.addressOf(context), place);
    requireScope(identity, ...gateway.operations.map((operation) => operation.scope));
    const { handler, caller, tools } = await choose(identity.caller);
    const { public_url: publicUrl } = gateway.services.config.server;
    const refusal = await stepUp(context, { publicUrl, place, identity, tools });
    if (refusal !== undefined) return refusal;
    // An invalid key is refused here; the tools read it from the request.
    idempotencyOf(context);
    const { policy } = policyOf(context);
    const auth: Caller = policy === undefined ? caller : { ...caller, policy: [policy] };
    const response = await handler.fetch(context.req.raw, { auth });
    response.headers.set('x-accel-buffering', 'no');
    return response;
  } catch (thrown) {
    return errorResponse(thrown);
  } finally {
    // A stream outlives this function; the open request sees its end.
    if (!request.endsItself) request.end();
  }
}

/** Host and Origin were already checked for every route. */
const createHandler = (toolset: Toolset, exchanges: Exchanges, gateway: GatewayContext): HttpHandler => {
  const { services } = gateway;
  return createHttpHandler(
    createToolServer({
      ...identityOf(toolset),
      ...noteTools(gateway),
      tools: toAgentTools(toolset, services, 'mcp'),
      offers: createOffers({ toolset, services, calls: gateway.store.calls, surface: 'mcp' }),
      logger: services.log,
      prefixed: false,
    }),
    { isChecked: true, exchanges, logger: services.log },
  );
};

/** What our tools report about a call besides their text. */
type ResultMeta = Omit<CallFacts, 'credits'>;

/** Counts MCP tool calls like HTTP calls, by tool and agent. */
function noteTools(gateway: GatewayContext): Required<CallHooks> {
  const { metrics } = gateway;
  const begun = new WeakMap<ToolContext, { noted: ReturnType<typeof noteCall>; started: number }>();
  return {
    beforeCall: ({ tool, context }) =>
      void begun.set(context, { noted: noteCall(gateway, tool.name, 'mcp'), started: performance.now() }),
    afterCall: ({ tool, context }, result) => {
      const { noted, started } = begun.get(context) ?? {};
      if (noted === undefined || started === undefined) return;
      const meta = metaOf(result);
      // OpenTelemetry's `mcp.server.operation.duration`, as its Prometheus exporter would name it.
      metrics.observe(
        'mcp_server_operation_duration_seconds',
        'Time to answer a request of an MCP client.',
        (performance.now() - started) / 1_000,
        {
          mcp_method_name: 'tools/call',
          gen_ai_tool_name: tool.name,
          error_type: result === undefined ? 'cancelled' : result.isError === true ? TOOL_ERROR : '',
        },
      );
      const code = result === undefined ? 'cancelled' : meta.code;
      if (code === undefined) return noted.done({ ...meta, credits: meta.cost?.credits ?? 0 });
      noted.failed(new HeadgateError(code, 'A tool failed.', { data: { attempts: meta.attempts } }));
    },
  };
}

const metaOf = (result: CallResult | undefined): ResultMeta =>
  (result?._meta?.['headgate/result'] as ResultMeta | undefined) ?? {};

/**
 * Refuses the call of a tool that an access token does not cover, with the scopes that it would need: a
 * client then asks the person for more. Keys get an ordinary tool error.
 */
async function stepUp(
  context: Context,
  options: { publicUrl: string | undefined; place: string; identity: Identity; tools: readonly Tool[] },
): Promise<Response | undefined> {
  const { publicUrl, place, identity, tools } = options;
  const { holder } = identity;
  if (publicUrl === undefined || holder?.resource === undefined) return undefined;
  const uncovered = tools.filter(({ scope }) => scope !== undefined && !holder.scopes.includes(scope));
  if (uncovered.length === 0) return undefined;
  const name = toolIn(await readMessage(context.req.raw));
  const scope = uncovered.find((tool) => tool.name === name)?.scope;
  if (scope === undefined) return undefined;
  const response = errorResponse(
    new HeadgateError('forbidden', `This access token may not be used for ${scope}.`, {
      remediation: 'Sign in again and allow it.',
    }),
  );
  const scopes = [...holder.scopes, scope];
  response.headers.set(
    'www-authenticate',
    challenge({ publicUrl, place, error: 'insufficient_scope', scopes }),
  );
  return response;
}

function toolIn(message: unknown): unknown {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } };
  return method === 'tools/call' ? params?.name : undefined;
}
