import { getRequestListener } from '@hono/node-server';
import { createServer, type Server } from 'node:http';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { LIMITS } from '../../core/limits.ts';
import { createHttpHandler, type HttpHandlerOptions } from './http-handler.ts';
import type { BridgeServer } from './mcp-server.ts';
import type { ToolServerFactory } from './tool-server.ts';

export interface ServeHttpOptions extends HttpHandlerOptions {
  /** The address to listen on; only this machine by default. */
  host?: string;
  /** 0 picks a free port. */
  port?: number;
  path?: string;
}

export interface ServingHttp {
  readonly url: string;
  close(): Promise<void>;
}

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** Serves tools over HTTP to clients of both protocol eras. */
export async function serveHttp(
  server: BridgeServer | ToolServerFactory,
  options: ServeHttpOptions = {},
): Promise<ServingHttp> {
  const { host = '127.0.0.1', port = 0, path = '/mcp' } = options;
  if (!LOOPBACK.has(host) && (!isGuarded(options) || options.allowedHosts === undefined)) {
    throw new HeadgateError(
      'invalid_config',
      own`Listening on ${named(host)} needs keys or a token, and the allowed host names.`,
      {
        remediation: 'Give both, or listen on 127.0.0.1.',
      },
    );
  }
  const handler = createHttpHandler(server, options);
  const listener = getRequestListener(
    async (request, env) => {
      if (new URL(request.url).pathname !== path)
        return new Response(`MCP is served at ${path}.`, { status: 404 });
      const address = ('incoming' in env ? env.incoming.socket.remoteAddress : undefined) ?? '';
      const response = await handler.fetch(request, { address });
      response.headers.set('x-accel-buffering', 'no');
      return response;
    },
    { overrideGlobalObjects: false },
  );
  const http = createServer((request, response) => void listener(request, response));
  http.maxConnections = LIMITS.httpConnectionsMax;
  await listen(http, port, host);
  const { port: bound } = http.address() as { port: number };
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}${path}`,
    async close() {
      await handler.close();
      http.closeAllConnections();
      await new Promise<void>((resolve) => http.close(() => resolve()));
    },
  };
}

const isGuarded = ({ token, authenticate }: ServeHttpOptions): boolean =>
  token !== undefined || authenticate !== undefined;

function listen(http: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (cause: NodeJS.ErrnoException) => {
      const reason =
        cause.code === 'EADDRINUSE' ? 'the port is taken. Choose another with --port.' : cause.message;
      reject(
        new HeadgateError('invalid_config', own`Cannot listen on ${named(host)}:${port}: ${named(reason)}`, {
          cause,
        }),
      );
    });
    http.listen(port, host, resolve);
  });
}
