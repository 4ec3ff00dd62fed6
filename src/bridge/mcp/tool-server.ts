import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from '@modelcontextprotocol/server';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { clip } from '../../core/text.ts';
import { SERVER_CAPABILITIES, listedTool, serverInfo, type ServerIdentity } from './answers.ts';
import { callTool, type ToolCallOptions } from '../call.ts';
import { createProgress } from './progress.ts';
import { errorResult } from '../result.ts';
import { answerInRounds, offersRounds, samplingOf } from './sampling.ts';
import { createSuspendedCalls } from './suspended-calls.ts';
import { checkTools } from '../tool-names.ts';
import type { AgentTool, CallResult, ToolContext } from '../tool.ts';

export interface ToolServerOptions extends ServerIdentity, ToolCallOptions {
  tools: readonly AgentTool[];
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
export type ToolServerFactory = () => Server;

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
  return () => {
    const server = new Server(serverInfo(options), {
      capabilities: SERVER_CAPABILITIES,
      ...(options.instructions !== undefined && { instructions: options.instructions }),
    });
    // The low-level server neither validates nor rewrites this, so clients get exactly the given schemas.
    server.setRequestHandler('tools/list', () => ({ tools: listed }) as never);
    server.setRequestHandler('tools/call', async (request, context) => {
      const { name, arguments: input = {} } = request.params;
      const tool = byName.get(name);
      if (tool === undefined) throw unknownTool(name, [...byName.keys()]);
      if (running.size >= LIMITS.toolCallsMax) return tooManyCalls() as never;
      const { signal } = context.mcpReq;
      const end = () => running.delete(signal);
      running.add(signal);
      // A tool that ignores its cancellation may never end; it must not block others.
      signal.addEventListener('abort', end, { once: true });
      try {
        const run = (ask: ToolContext['requestSampling'], stop: AbortSignal) =>
          answer(tool, input, context, { ...options, ask, signal: stop });
        return (await (offersRounds(context)
          ? answerInRounds(run, context, suspended)
          : run(samplingOf(server, context), signal))) as never;
      } finally {
        end();
      }
    });
    return server;
  };
}

async function answer(
  tool: AgentTool,
  input: Record<string, unknown>,
  { mcpReq, http }: ServerContext,
  options: ToolServerOptions & { ask: ToolContext['requestSampling']; signal: AbortSignal },
): Promise<CallResult> {
  const token = mcpReq._meta?.progressToken;
  const progress = createProgress((report) => {
    if (token === undefined) return;
    // A caller that has left cannot be told; its call is aborted elsewhere.
    void mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken: token, ...report } })
      .catch(() => undefined);
  });
  const context: ToolContext = {
    signal: options.signal,
    callId: String(mcpReq.id),
    ...(options.deps !== undefined && { deps: options.deps }),
    ...(mcpReq._meta !== undefined && { meta: mcpReq._meta }),
    ...(http?.authInfo !== undefined && { auth: http.authInfo }),
    ...idempotencyOf(http?.req),
    progress: (done, total, message) => progress.report(done, total, message),
    ...(options.ask !== undefined && { requestSampling: options.ask }),
  };
  try {
    return await callTool(tool, input, context, options);
  } finally {
    progress.end();
  }
}

const idempotencyOf = (request: Request | undefined): { idempotencyKey?: string } => {
  const idempotencyKey = request?.headers.get('idempotency-key')?.trim() ?? '';
  return idempotencyKey === '' ? {} : { idempotencyKey };
};

const tooManyCalls = (): CallResult =>
  errorResult(
    new HeadgateError('rate_limited', `${LIMITS.toolCallsMax} calls are running.`, {
      remediation: 'Call again when some have ended.',
    }),
  );

const unknownTool = (name: string, known: readonly string[]): ProtocolError =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool '${clip(name, 100)}'. This server has: ${clip(known.join(', '), 1_000) || 'no tools'}.`,
  );
