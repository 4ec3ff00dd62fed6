import { Hono, type Context } from 'hono';
import { HeadgateError } from '../../core/errors.ts';
import { traced } from '../../core/trace.ts';
import { createAdminGate, mountAdmin } from '../admin/mount.ts';
import type { Store } from '../../store/store.ts';
import { createConsoleAuth } from '../console/auth.ts';
import { counted, createHistory } from '../console/history.ts';
import { mountConsole } from '../console/mount.ts';
import { createFlights } from './flights.ts';
import type { GatewayParts } from './gateway.ts';
import { errorResponse } from './error-response.ts';
import { checkHost, isLoopback } from './host-rules.ts';
import { createIdentify } from './identify.ts';
import { mountHealth } from './health-routes.ts';
import { mountMcp } from './mcp-routes.ts';
import { createMetrics } from './metrics.ts';
import { openapiOf } from './openapi.ts';
import { operationRoute } from './operation-route.ts';
import { createRecent } from './recent.ts';
import { mountResearch } from './research-routes.ts';
import { wireOf } from './tavily/index.ts';
import { mountUsage } from './usage-routes.ts';
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
  app.onError((thrown) => failure(thrown, world));
  app.notFound((context) => context.json({ detail: 'Not Found' }, 404));
  app.use(observe(world));
  app.use(hostRules(world));
  const auth = createConsoleAuth(world);
  const gate = auth.gate(createAdminGate(world));
  mountHealth(app, world, gate);
  if (parts.operations.some((operation) => operation.contract.name === 'research')) mountResearch(app, world);
  for (const operation of parts.operations) {
    app.post(`/${operation.contract.name}`, operationRoute(operation, wireOf(operation), world));
  }
  mountUsage(app, world);
  mountMcp(app, world);
  mountAdmin(app, world, gate);
  app.get('/openapi.json', (context) => context.json(openapiOf(parts.operations)));
  mountConsole(app, world, auth);
  return { app, world };
}

function createWorld(parts: GatewayParts): HttpWorld {
  const { services, store } = parts;
  const { server } = services.config;
  const identify = createIdentify({
    keys: store.keys,
    clock: services.clock,
    requestsPerMinute: server.requests_per_minute,
    keyless: keylessOf(server),
  });
  const history = createHistory();
  return {
    ...parts,
    store: { ...store, ...watched(store, identify.forget) },
    metrics: createMetrics(),
    recent: counted(createRecent(), history),
    history,
    flights: createFlights(),
    identify,
    addressOf: (context) => addressOf(context, server.behind_proxy),
  };
}

/** The store's keys and agents; whatever changes one here is known here at once. */
const watched = ({ keys, agents }: Store, changed: () => void): Pick<Store, 'keys' | 'agents'> => ({
  keys: {
    ...keys,
    create: (input) => keys.create(input).finally(changed),
    revoke: (id) => keys.revoke(id).finally(changed),
  },
  agents: { ...agents, update: (id, change) => agents.update(id, change).finally(changed) },
});

function failure(thrown: unknown, { services }: HttpWorld): Response {
  const error = HeadgateError.from(thrown);
  if (error.type === 'internal') services.log.error('request_failed', { cause: error.cause });
  return errorResponse(error);
}

export function keylessOf(server: { host: string; keyless?: boolean | undefined }) {
  if (server.keyless !== undefined) return server.keyless ? ('always' as const) : ('never' as const);
  return isLoopback(server.host) ? ('whileNoKeys' as const) : ('never' as const);
}

/** Runs before routing and before anything of a body is read. */
const hostRules =
  ({ services }: HttpWorld) =>
  async (context: Context, next: () => Promise<void>): Promise<Response | void> => {
    const { server } = services.config;
    const host = context.req.header('host') ?? new URL(context.req.url).host;
    const origin = context.req.header('origin');
    checkHost(server, origin === undefined ? { host } : { host, origin });
    if (origin === undefined || !server.origins.includes(origin)) return next();
    if (context.req.method !== 'OPTIONS') await next();
    else context.res = new Response(null, { status: 204, headers: PREFLIGHT });
    context.header('access-control-allow-origin', origin);
    context.header('vary', 'Origin');
  };

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
  'access-control-allow-headers':
    'authorization, content-type, x-api-key, idempotency-key, mcp-protocol-version, mcp-method, mcp-name',
  'access-control-max-age': '600',
};

const observe =
  ({ metrics, services, flights }: HttpWorld) =>
  async (context: Context, next: () => Promise<void>): Promise<void> => {
    const started = performance.now();
    const { method, path } = context.req;
    const tracer = UNTRACED.has(path) ? undefined : services.tracer;
    const traceparent = context.req.header('traceparent');
    const answered = await traced(tracer, method, { kind: 'server', traceparent }, async (span) => {
      await next();
      const { status } = context.res;
      const route = status === 404 ? 'unknown' : context.req.routePath;
      span.rename(`${method} ${route}`);
      span.set({
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
      });
      return { status, route };
    });
    const { status, route } = answered;
    const elapsed = (performance.now() - started) / 1_000;
    metrics.count('headgate_http_requests_total', 'Requests by route and status.', { route, method, status });
    metrics.observe('headgate_http_request_seconds', 'Time to answer a request.', elapsed, { route });
    if (flights.isDraining) context.header('connection', 'close');
    services.log.info('http_request', { route, method, status, ms: Math.round(elapsed * 1_000) });
  };

/** Who watches the gateway asks these every few seconds. */
const UNTRACED = new Set(['/healthz', '/readyz', '/metrics']);

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
