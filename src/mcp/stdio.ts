import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createToolServer } from '../bridge/mcp/tool-server.ts';
import type { AgentTool } from '../bridge/tool.ts';
import { systemClock } from '../core/clock.ts';
import type { HeadgateError } from '../core/errors.ts';
import { newRequestId } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import { bindTools } from '../toolsets/bind.ts';
import { createFailedEngine } from '../toolsets/engine.ts';
import type { Toolset } from '../toolsets/tool.ts';
import type { RealServer } from './front.ts';
import { identityOf } from './identity.ts';

/** The real server behind the front: the MCP SDK, over messages that the front reads and writes. */
export function createStdioServer(
  toolset: Toolset,
  tools: AgentTool[],
  write: (message: unknown) => void,
): RealServer {
  const factory = createToolServer({ ...identityOf(toolset), tools });
  const transport = createTransport(write);
  const handle = serveStdio(factory, {
    transport,
    onerror: (error) => void process.stderr.write(`headgate: ${error.message}\n`),
  });
  return {
    deliver: (message) => transport.onmessage?.(message as never),
    close: () => handle.close(),
  };
}

/** The tools when the engine cannot start: every answer reports the reason, in the format of its toolset. */
export const failedTools = (toolset: Toolset, error: HeadgateError): AgentTool[] =>
  bindTools(toolset.tools, createFailedEngine(error), ({ signal }) => ({
    requestId: newRequestId(),
    caller: {},
    signal: signal ?? new AbortController().signal,
    deadline: systemClock.now() + LIMITS.callTimeoutMs,
  }));

type Transport = NonNullable<NonNullable<Parameters<typeof serveStdio>[1]>['transport']>;

function createTransport(write: (message: unknown) => void): Transport {
  const transport: Transport = {
    start: async () => {},
    send: async (message) => write(message),
    close: async () => transport.onclose?.(),
  };
  return transport;
}
