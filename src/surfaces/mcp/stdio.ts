import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createToolServer } from '../../bridge/mcp/tool-server.ts';
import type { Services } from '../../operations/services.ts';
import type { Toolset } from '../../tools/tool.ts';
import type { RealServer } from './front.ts';
import { identityOf } from './identity.ts';
import { toAgentTools } from './agent-tools.ts';

/** The real server behind the front: the MCP SDK over messages that somebody else reads and writes. */
export function createStdioServer(
  toolset: Toolset,
  services: Services,
  write: (message: unknown) => void,
): RealServer {
  const factory = createToolServer({ ...identityOf(toolset), tools: toAgentTools(toolset, services) });
  const transport = createTransport(write);
  const handle = serveStdio(factory, {
    transport,
    onerror: (error) => services.log.warn('mcp_error', { cause: error }),
  });
  return {
    deliver: (message) => transport.onmessage?.(message as never),
    close: () => handle.close(),
  };
}

type Transport = NonNullable<NonNullable<Parameters<typeof serveStdio>[1]>['transport']>;

function createTransport(write: (message: unknown) => void): Transport {
  const transport: Transport = {
    start: async () => {},
    send: async (message) => write(message),
    close: async () => transport.onclose?.(),
  };
  return transport;
}
