import {
  createMcpHandler,
  isInitializeRequest,
  isJsonContentType,
  isLegacyRequest,
  readRequestBody,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import { shapeProblem } from '../../core/json-shape.ts';
import { LIMITS } from '../../core/limits.ts';
import { silentLogger, type Logger } from '../../core/log.ts';
import { createExchanges, type Exchanges } from './exchanges.ts';
import { createHttpGuard, type HttpGuardOptions, type RequestFacts } from './http-guard.ts';
import { openSession, sessionOf } from './http-session.ts';
import type { BridgeServer } from './mcp-server.ts';
import { factoryOf } from './serve-stdio.ts';
import type { ToolServerFactory } from './tool-server.ts';

export interface HttpHandlerOptions extends HttpGuardOptions {
  /**
   * The bus on which the host announces that its lists have changed; open `subscriptions/listen` streams
   * receive it.
   */
  bus?: ServerEventBus;
  /**
   * Shared by handlers that serve one address, so that a message to one of them reaches the calls of the
   * others.
   */
  exchanges?: Exchanges;
  logger?: Logger;
}

export interface HttpHandler {
  /** Answers one request. What the host knows about the caller reaches the tools as `context.auth`. */
  fetch(request: Request, facts?: RequestFacts): Promise<Response>;
  close(): Promise<void>;
}

/** Serves tools as a web-standard request handler for both protocol eras. */
export function createHttpHandler(
  server: BridgeServer | ToolServerFactory,
  options: HttpHandlerOptions = {},
): HttpHandler {
  const logger = options.logger ?? silentLogger;
  const guard = createHttpGuard(options);
  const createServer = factoryOf(server);
  const exchanges = options.exchanges ?? createExchanges();
  const handler = createMcpHandler(
    ({ era, requestInfo, authInfo }) => {
      const peer = requestInfo === undefined ? undefined : peerOf(requestInfo, authInfo);
      const made = createServer(peer === undefined ? {} : { log: exchanges.levelOf(peer) });
      if (era === 'legacy' && peer !== undefined) exchanges.open(made, peer);
      return made;
    },
    {
      maxRequestBodySize: LIMITS.messageBytesMax,
      ...(options.bus !== undefined && { bus: options.bus }),
      onerror: (error) => logger.warn('mcp_http_error', { error }),
    },
  );
  return {
    async fetch(request, facts = {}) {
      const decided = await guard(request, facts);
      if ('refused' in decided) return decided.refused;
      const { auth } = decided;
      const parsed = await readMessage(request);
      const problem = shapeProblem(parsed);
      if (problem !== undefined) return refusedMessage(`The message is ${problem}.`);
      const message = parsed !== undefined && (await isLegacyRequest(request, parsed)) ? parsed : undefined;
      const peer = peerOf(request, auth);
      if (peer !== undefined && exchanges.deliver(message, peer)) return new Response(null, { status: 202 });
      const response = await handler.fetch(request, auth === undefined ? {} : { authInfo: auth as never });
      if (isInitializeRequest(message) && response.ok)
        response.headers.set('mcp-session-id', openSession(message.params.capabilities).id);
      return response;
    },
    close: () => handler.close(),
  };
}

/** The posted message, read from a copy; undefined when it is not a message. */
export async function readMessage(request: Request): Promise<unknown> {
  if (request.method !== 'POST' || !isJsonContentType(request.headers.get('content-type'))) return undefined;
  try {
    const body = await readRequestBody(request.clone(), LIMITS.messageBytesMax);
    return body.tooLarge ? undefined : (JSON.parse(body.text) as unknown);
  } catch {
    // Errors are reported by whoever answers it.
    return undefined;
  }
}

const refusedMessage = (message: string): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_600, message } }, { status: 400 });

/** Identifies who may post about a running exchange: the same session, used by the same caller. */
function peerOf(request: Request, auth: unknown): string | undefined {
  const session = sessionOf(request);
  return session && `${session.id} ${JSON.stringify(auth ?? null)}`;
}
