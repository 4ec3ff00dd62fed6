import { Hono, type Context } from 'hono';
import { VERSION } from '../../core/version.ts';
import { HeadgateError } from '../../core/errors.ts';
import { createFlights } from './flights.ts';
import type { GatewayParts } from './gateway.ts';
import { errorResponse } from './error-response.ts';
import { checkHost, isLoopback } from './host-rules.ts';
import { createIdentify } from './identify.ts';
import { createMetrics } from './metrics.ts';
import { operationRoute } from './operation-route.ts';
import { wireOf } from './tavily/index.ts';
import type { HttpWorld } from './world.ts';

export interface HttpApp {
  /** `app.request()` tests it without a socket. */
  app: Hono;
  world: HttpWorld;
}

/** The HTTP surface as a value. */
export function createHttpApp(parts: GatewayParts): HttpApp {
  const world = createWorld(parts);
  // Clients join base URL and path carelessly: `//search` is `/search`.
  const app = new Hono({ getPath: (request) => pathOf(request.url) });
  app.use(hostRules(world));
  app.use(observe(world));
  app.get('/healthz', (context) => context.json(health(world)));
  for (const operation of parts.operations) {
    app.post(`/${operation.contract.name}`, operationRoute(operation, wireOf(operation), world));
  }
  app.notFound((context) => context.json({ detail: 'Not Found' }, 404));
  app.onError((thrown) => {
    const error = HeadgateError.from(thrown);
    if (error.type === 'internal') parts.services.log.error('request_failed', { cause: error.cause });
    return errorResponse(error);
  });
  return { app, world };
}

function createWorld(parts: GatewayParts): HttpWorld {
  const { services, store } = parts;
  const { server } = services.config;
  const metrics = createMetrics();
  const flights = createFlights();
  metrics.gauge('headgate_requests_running', 'Requests that are being answered.', () => flights.count);
  metrics.gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss());
  metrics.gauge('process_uptime_seconds', 'Age of the process.', () => process.uptime());
  return {
    ...parts,
    metrics,
    flights,
    identify: createIdentify({
      keys: store.keys,
      clock: services.clock,
      requestsPerMinute: server.requests_per_minute,
      keyless: keylessOf(server),
    }),
    addressOf: (context) => addressOf(context, server.behind_proxy),
  };
}

export function keylessOf(server: { host: string; keyless?: boolean | undefined }) {
  if (server.keyless !== undefined) return server.keyless ? ('always' as const) : ('never' as const);
  return isLoopback(server.host) ? ('whileNoKeys' as const) : ('never' as const);
}

const hostRules =
  ({ services }: HttpWorld) =>
  async (context: Context, next: () => Promise<void>): Promise<Response | void> => {
    const host = context.req.header('host') ?? new URL(context.req.url).host;
    const origin = context.req.header('origin');
    checkHost(services.config.server, origin === undefined ? { host } : { host, origin });
    await next();
  };

const observe =
  ({ metrics, services, flights }: HttpWorld) =>
  async (context: Context, next: () => Promise<void>): Promise<void> => {
    const started = performance.now();
    await next();
    const { status } = context.res;
    const route = context.req.routePath;
    const labels = { route: status === 404 ? 'unknown' : route, method: context.req.method, status };
    const elapsed = (performance.now() - started) / 1_000;
    metrics.count('headgate_http_requests_total', 'Requests by route and status.', labels);
    metrics.observe('headgate_http_request_seconds', 'Time to answer a request.', elapsed, {
      route: labels.route,
    });
    if (flights.isDraining) context.header('connection', 'close');
    services.log.info('http_request', { ...labels, ms: Math.round(elapsed * 1_000) });
  };

const health = ({ services }: HttpWorld) => ({
  status: 'ok',
  version: VERSION,
  providers: services.providers.map((ready) => ready.provider.id),
});

function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const end = url.indexOf('?', start);
  const path = url.slice(start, end === -1 ? undefined : end).replace(/\/{2,}/g, '/');
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function addressOf(context: Context, behindProxy: boolean): string {
  const env = (context.env ?? {}) as { incoming?: { socket?: { remoteAddress?: string } } };
  const forwarded = behindProxy ? context.req.header('x-forwarded-for') : undefined;
  // The last entry is the one that our own proxy wrote.
  return forwarded?.split(',').at(-1)?.trim() ?? env.incoming?.socket?.remoteAddress ?? 'local';
}
