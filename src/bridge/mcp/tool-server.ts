import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from '@modelcontextprotocol/server';
import { LIMITS } from '../../core/limits.ts';
import { clip } from '../../core/text.ts';
import { serverCapabilities, listedTool, serverInfo, type ServerIdentity } from './answers.ts';
import type { ToolCallOptions } from '../call.ts';
import { OFFER_METHODS, offerError, type OfferMethod, type Offers } from './offers.ts';
import { isLogLevel, LEVEL_CLAIM, type ClientLogLevel } from './log-level.ts';
import { runCall, tooManyCalls, type CallOrigin } from './run-call.ts';
import { answerInRounds, type ClientAsks, confirmationOf, offersRounds, samplingOf } from './sampling.ts';
import { sessionOf } from './http-session.ts';
import { createSuspendedCalls } from './suspended-calls.ts';
import { checkTools } from '../tool-names.ts';
import type { AgentTool } from '../tool.ts';

export interface ToolServerOptions extends ServerIdentity, ToolCallOptions {
  tools: readonly AgentTool[];
  /** What the server has besides tools; its capabilities have to say so. */
  offers?: Offers;
  /** Passed to every tool as `context.deps`. */
  deps?: unknown;
  /**
   * Counts the `mcp__server__` prefix of Claude hosts towards the length of names; on unless the tools are
   * our own.
   */
  prefixed?: boolean;
}

/**
 * Creates a server per connection (stdio) or request (HTTP). Servers have no state, so nothing leaks between
 * them.
 */
export type ToolServerFactory = (client?: ServedClient) => Server;

/** What is known about the client of a server; the SDK passes its own context. */
interface ServedClient {
  era?: unknown;
  /** Its log level, where it outlives the server. */
  log?: ClientLogLevel;
}

/**
 * Creates an MCP server for both protocol eras. Tools are checked and listed once. Pass the factory to
 * `serveStdio` or `createHttpHandler`, or call it for an instance to connect yourself. A tool cannot end the
 * server.
 */
export function createToolServer(options: ToolServerOptions): ToolServerFactory {
  checkTools(options.tools, options.prefixed === false ? undefined : options.name);
  const byName = new Map(options.tools.map((tool) => [tool.name, tool]));
  const listed = options.tools.map(listedTool);
  const running = new Set<AbortSignal>();
  const suspended = createSuspendedCalls();
  return ({ log = { level: undefined } } = {}) => {
    const server = new Server(serverInfo(options), {
      capabilities: serverCapabilities(options),
      ...(options.instructions !== undefined && { instructions: options.instructions }),
    });
    const isLogging = options.capabilities?.['logging'] !== undefined;
    // The SDK keeps the level in the server, and over HTTP every request has its own.
    if (isLogging)
      server.setRequestHandler('logging/setLevel', ({ params }) => {
        log.level = params.level;
        return {};
      });
    // The low-level server neither validates nor rewrites this, so clients get exactly the given schemas.
    server.setRequestHandler('tools/list', () => ({ tools: listed }) as never);
    server.setRequestHandler('tools/call', async (request, context) => {
      const { name, arguments: input = {} } = request.params;
      const tool = byName.get(name);
      if (tool === undefined) throw unknownTool(name, [...byName.keys()]);
      if (running.size >= LIMITS.toolCallsMax) return tooManyCalls() as never;
      const { signal } = context.mcpReq;
      const told = isLogging ? levelIn(context, log) : undefined;
      const end = () => running.delete(signal);
      running.add(signal);
      // A tool that ignores its cancellation may never end; it must not block others.
      signal.addEventListener('abort', end, { once: true });
      try {
        const run = ({ ask, confirm }: ClientAsks, stop: AbortSignal) =>
          runCall(
            tool,
            input,
            {
              ...originOf(context, server),
              log: told,
              ...(ask === undefined ? {} : { ask }),
              ...(confirm === undefined ? {} : { confirm }),
              signal: stop,
            },
            options,
          );
        return (await (offersRounds(context)
          ? answerInRounds(run, context, suspended)
          : run(
              { ask: samplingOf(server, context), confirm: confirmationOf(server, context) },
              signal,
            ))) as never;
      } finally {
        end();
      }
    });
    if (options.offers !== undefined) addOffers(server, options.offers);
    return server;
  };
}

function addOffers(server: Server, offers: Offers): void {
  for (const [method, answer] of Object.entries(OFFER_METHODS)) {
    server.setRequestHandler(
      method as OfferMethod,
      (async ({ params = {} }: { params?: Record<string, unknown> }, { mcpReq, http }: ServerContext) => {
        try {
          return await answer(offers, params, { auth: http?.authInfo, signal: mcpReq.signal });
        } catch (thrown) {
          mcpReq.signal.throwIfAborted();
          const { code, message } = offerError(thrown);
          throw new ProtocolError(code, message);
        }
      }) as never,
    );
  }
}

/** Clients of 2026 name the level in the request, those of 2025 have set it before. */
function levelIn({ mcpReq: { envelope } }: ServerContext, log: ClientLogLevel): ClientLogLevel {
  if (envelope === undefined) return log;
  const level = (envelope as Record<string, unknown>)[LEVEL_CLAIM];
  return { level: isLogLevel(level) ? level : undefined };
}

const originOf = ({ mcpReq, http }: ServerContext, server: Server): Omit<CallOrigin, 'signal'> => {
  const { req: request } = http ?? {};
  const idempotencyKey = request?.headers.get('idempotency-key')?.trim() ?? '';
  const protocolVersion =
    request?.headers.get('mcp-protocol-version') ?? server.getNegotiatedProtocolVersion();
  const sessionId = request && sessionOf(request)?.id;
  return {
    id: mcpReq.id,
    meta: mcpReq._meta,
    auth: http?.authInfo,
    ...(idempotencyKey !== '' && { idempotencyKey }),
    ...(protocolVersion !== undefined && { protocolVersion }),
    ...(sessionId !== undefined && { sessionId }),
    notify: (notification) => mcpReq.notify(notification),
  };
};

const unknownTool = (name: string, known: readonly string[]): ProtocolError =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool '${clip(name, 100)}'. This server has: ${clip(known.join(', '), 1_000) || 'no tools'}.`,
  );
