import type { Server, ServerResponse } from 'node:http';
import { serve } from '@hono/node-server';
import type { Config } from '../config/schema.ts';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { createHttpApp, keylessOf } from './app.ts';
import type { GatewayParts } from './door/gateway.ts';
import { isLoopback } from './door/host-rules.ts';

export interface RunningHttp {
  url: string;
  /** Lets running calls finish within the configured time, then aborts the rest. */
  close(): Promise<void>;
}

/** Starts listening, unless that would serve the network without authentication. */
export async function startHttp(parts: GatewayParts): Promise<RunningHttp> {
  await refuseOpenDoor(parts);
  const { host, port, drain_seconds: drainSeconds } = parts.services.config.server;
  const { app, world: gateway } = createHttpApp(parts);
  const server = await listen(app.fetch, parts.services.config.server);
  cutOffSlowReaders(server, parts.services);
  const address = server.address();
  const boundPort = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${addressOf(host)}:${boundPort}`,
    close: async () => {
      const { openRequests } = gateway;
      openRequests.drain();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const timer = setTimeout(() => openRequests.abortAll(), drainSeconds * 1_000);
      await openRequests.idle();
      clearTimeout(timer);
      // Clients that do not read the last responses are not waited for.
      const last = setTimeout(() => server.closeAllConnections(), LAST_BYTES_MS);
      server.closeIdleConnections();
      await closed;
      clearTimeout(last);
    },
  };
}

/** The host in a URL that can be opened: a wildcard address is shown as the loopback address. */
function addressOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

const LAST_BYTES_MS = 500;

/** Refuses to start on a public address without keys, an admin token or `keyless = true`. */
async function refuseOpenDoor({ services, store }: GatewayParts): Promise<void> {
  const { server } = services.config;
  if (isLoopback(server.host) || keylessOf(server) === 'always' || server.admin_token !== undefined) return;
  if (await store.keys.any()) return;
  throw new HeadgateError(
    'invalid_config',
    own`Refusing to listen on ${named(server.host)} without authentication: there are no API keys.`,
    {
      remediation:
        'Create a key with `headgate key create`, or set HEADGATE_SERVER__ADMIN_TOKEN and use the admin API, or set HEADGATE_SERVER__KEYLESS=true to serve everybody.',
    },
  );
}

/**
 * Disconnects clients that do not read their response, which would stay in memory. Node considers a socket
 * idle when nothing was read from it and nothing pending was written; while a call is running nothing is
 * pending, so the socket is left alone.
 */
function cutOffSlowReaders(server: Server, { config, log }: GatewayParts['services']): void {
  server.on('request', (_incoming, outgoing: ServerResponse) => {
    outgoing.setTimeout(config.server.client_timeout_ms, () => {
      const { socket } = outgoing;
      if (socket === null || socket.writableLength === 0) return;
      log.info('client_cut_off', { unread: socket.writableLength });
      socket.resetAndDestroy();
    });
  });
}

function listen(
  fetch: Parameters<typeof serve>[0]['fetch'],
  { host: hostname, port, client_timeout_ms: timeoutMs }: Config['server'],
): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = serve(
      {
        fetch,
        hostname,
        port,
        serverOptions: {
          maxHeaderSize: LIMITS.requestHeaderBytesMax,
          headersTimeout: timeoutMs,
          requestTimeout: timeoutMs,
          keepAliveTimeout: LIMITS.connectionIdleMs,
          connectionsCheckingInterval: Math.min(1_000, timeoutMs),
        },
      },
      () => resolve(server as Server),
    );
    (server as Server).maxConnections = LIMITS.connectionsMax;
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const reason =
        cause.code === 'EADDRINUSE'
          ? own`Port ${port} on ${named(hostname)} is already in use.`
          : own`Cannot listen on ${named(hostname)}:${port}.`;
      const remediation = 'Choose another with --port or HEADGATE_SERVER__PORT.';
      reject(new HeadgateError('invalid_config', reason, { remediation, cause }));
    });
  });
}
