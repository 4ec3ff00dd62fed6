import { serveStdio as serve, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Readable, Writable } from 'node:stream';
import { LIMITS } from '../../core/limits.ts';
import { silentLogger, type Logger } from '../../core/log.ts';
import { instanceOf, type BridgeServer } from './mcp-server.ts';
import type { ToolServerFactory } from './tool-server.ts';

export interface StdioOptions {
  input: Readable;
  output: Writable;
  logger?: Logger;
}

export interface ServingStdio {
  /** Resolves when the client has disconnected. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** The factory behind a server, however it was made. */
export const factoryOf = (server: BridgeServer | ToolServerFactory): ToolServerFactory =>
  typeof server === 'function' ? server : instanceOf(server).createServer;

/** Serves tools over a pair of streams to clients of both protocol eras, until the input ends. */
export function serveStdio(server: BridgeServer | ToolServerFactory, options: StdioOptions): ServingStdio {
  const logger = options.logger ?? silentLogger;
  const transport = new StdioServerTransport(options.input, options.output, {
    maxBufferSize: LIMITS.messageBytesMax,
  });
  const handle = serve(factoryOf(server), {
    transport,
    onerror: (error) => logger.warn('mcp_stdio_error', { error }),
  });
  const closed = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) options.input.once(event, resolve);
    options.output.once('error', resolve);
  });
  return { closed, close: () => handle.close() };
}
