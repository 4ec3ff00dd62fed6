import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Offers } from '../bridge/mcp/offers.ts';
import { createToolServer } from '../bridge/mcp/tool-server.ts';
import type { AgentTool } from '../bridge/tool.ts';
import type { Toolset } from '../toolsets/tool.ts';
import type { RealServer } from './front.ts';
import { identityOf } from './identity.ts';

/** The real server behind the front: the MCP SDK, over messages that the front reads and writes. */
export function createStdioServer(
  toolset: Toolset,
  tools: AgentTool[],
  write: (message: unknown) => void,
  offers?: Offers,
): RealServer {
  const factory = createToolServer({ ...identityOf(toolset), tools, ...(offers && { offers }) });
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

type Transport = NonNullable<NonNullable<Parameters<typeof serveStdio>[1]>['transport']>;

function createTransport(write: (message: unknown) => void): Transport {
  const transport: Transport = {
    start: async () => {},
    send: async (message) => write(message),
    close: async () => transport.onclose?.(),
  };
  return transport;
}
