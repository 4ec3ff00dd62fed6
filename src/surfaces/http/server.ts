import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { HeadgateError } from '../../core/errors.ts';
import { VERSION } from '../../core/version.ts';
import type { Services } from '../../operations/services.ts';

export interface RunningHttp {
  url: string;
  close(): Promise<void>;
}

/** The HTTP surface as a value: `app.request()` tests it without a socket. */
export function createHttpApp(services: Services): Hono {
  const app = new Hono();
  app.get('/healthz', (c) =>
    c.json({
      status: 'ok',
      version: VERSION,
      providers: services.providers.map((ready) => ready.provider.id),
    }),
  );
  return app;
}

/** Listens where the configuration says. */
export async function startHttp(services: Services): Promise<RunningHttp> {
  const { host, port } = services.config.server;
  const app = createHttpApp(services);
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, hostname: host, port }, (info) => {
      const shown = host.includes(':') ? `[${host}]` : host;
      resolve({
        url: `http://${shown}:${info.port}`,
        close: () => new Promise((closed) => server.close(() => closed())),
      });
    });
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const reason =
        cause.code === 'EADDRINUSE'
          ? `Port ${port} on ${host} is already in use.`
          : `Cannot listen on ${host}:${port}.`;
      reject(
        new HeadgateError('invalid_config', reason, {
          remediation: 'Choose another with HEADGATE_SERVER__PORT.',
          cause,
        }),
      );
    });
  });
}
