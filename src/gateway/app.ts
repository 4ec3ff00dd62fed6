import { Hono, type Context } from 'hono';
import type { Config } from '../config/schema.ts';
import { HeadgateError } from '../core/errors.ts';
import { traced } from '../core/trace.ts';
import { createAdminGate, mountAdmin } from './admin/mount.ts';
import type { Store } from '../store/store.ts';
import { createConsoleAuth } from './console/auth.ts';
import { createHistory } from './door/history.ts';
import { mountConsole } from './console/mount.ts';
import { createForeignTokens } from './oauth/foreign-tokens.ts';
import { createHandshakes } from './door/handshakes.ts';
import { challenges, mountSignIn } from './oauth/mount.ts';
import { watchHandshakes } from './oauth/watch-handshakes.ts';
import { createOpenRequests } from './door/open-requests.ts';
import type { GatewayParts } from './door/gateway.ts';
import { mountCrawls } from './crawl-routes.ts';
import { mountDocs } from './docs.ts';
import { errorResponse } from './door/error-response.ts';
import { forPeople } from './door/for-people.ts';
import { checkHost, isForThisMachine } from './door/host-rules.ts';
import { createIdentify } from './door/identify.ts';
import { requestWindowOf } from './door/rate-limit.ts';
import { mountHealth } from './health-routes.ts';
import { mountMcp } from './mcp/mcp-routes.ts';
import { createMetrics, type Metrics } from './door/metrics.ts';
import { openapiOf } from './openapi.ts';
import { operationRoute } from './door/operation-route.ts';
import { mountResearch } from './tavily/research-routes.ts';
import { wireOf } from './tavily/index.ts';
import { mountUsage } from './tavily/usage-routes.ts';
import { mountWires } from './wires/mount.ts';
import type { GatewayContext } from './door/context.ts';

export interface HttpApp {
  /** Tests call `app.request()` without a socket. */
  app: Hono;
  world: GatewayContext;
}

/** Builds the HTTP app. */
export function createHttpApp(parts: GatewayParts): HttpApp {
  const gateway = createWorld(parts);
  // Clients join base URL and path carelessly: `//search` is `/search`.
  const app = new Hono({ getPath: (request) => pathOf(request.url) });
  app.onError((thrown) => failure(thrown, gateway));
  app.notFound((context) => context.json({ detail: 'Not Found' }, 404));
  app.use(observe(gateway));
  app.use(forPeople);
  app.use(hostRules(gateway));
  app.use(challenges(gateway));
  if (parts.services.config.server.public_url !== undefined) app.use(watchHandshakes(gateway));
  const auth = createConsoleAuth(gateway);
  const gate = auth.gate(createAdminGate(gateway));
  mountHealth(app, gateway, gate);
  if (parts.operations.some((operation) => operation.contract.name === 'research'))
    mountResearch(app, gateway);
  mountCrawls(app, gateway);
  mountWires(app, gateway);
  for (const operation of parts.operations) {
    app.post(`/${operation.contract.name}`, operationRoute(operation, wireOf(operation), gateway));
  }
  mountUsage(app, gateway);
  mountMcp(app, gateway);
  mountAdmin(app, gateway, gate);
  // Made when it is first asked for: it takes longer than everything else that a gateway builds when it starts.
  let openapi: object | undefined;
  const document = () =>
    (openapi ??= openapiOf(parts.operations, { hasCrawls: parts.services.frontier !== undefined }));
  app.get('/openapi.json', (context) => context.json(document()));
  mountDocs(app, document, parts.services.config.server.public_url);
  mountSignIn(app, gateway, auth);
  mountConsole(app, gateway, auth);
  return { app, world: gateway };
}

function createWorld(parts: GatewayParts): GatewayContext {
  const { services, store } = parts;
  const { server } = services.config;
  const identify = createIdentify({
    keys: store.keys,
    clock: services.clock,
    shared: services.shared,
    requests: requestWindowOf(server),
    keyless: keylessOf(server),
    publicUrl: server.public_url,
    foreign: createForeignTokens(parts),
  });
  const metrics = createMetrics();
  services.decided = countDecisions(metrics);
  return {
    ...parts,
    store: { ...store, ...watched(store, identify.forget) },
    metrics,
    history: createHistory(store.calls, services.clock),
    handshakes: createHandshakes(services.clock),
    openRequests: createOpenRequests(),
    identify,
    addressOf: (context) => addressOf(context, server.behind_proxy),
  };
}

/** By level and rule; the domains of a rule and what was asked are no labels. */
const countDecisions =
  (metrics: Metrics): NonNullable<GatewayParts['services']['decided']> =>
  ({ level = 'operator', rule = '', isReported }) => {
    const labels = { level, rule, decision: isReported === true ? 'reported' : 'denied' };
    metrics.count('headgate_policy_decisions_total', 'Calls that met a rule of the policy.', labels);
  };

/** Wraps stores so that a change of keys, agents, people or their life cycle clears this gateway's auth cache. */
const watched = (
  { keys, agents, life, people }: Store,
  changed: () => void,
): Pick<Store, 'keys' | 'agents' | 'life' | 'people'> => ({
  keys: {
    ...keys,
    create: (input) => keys.create(input).finally(changed),
    rotate: (id, graceMs) => keys.rotate(id, graceMs).finally(changed),
    revoke: (id) => keys.revoke(id).finally(changed),
  },
  agents: { ...agents, update: (id, change) => agents.update(id, change).finally(changed) },
  life: {
    ...life,
    rename: (...given) => life.rename(...given).finally(changed),
    archive: (...given) => life.archive(...given).finally(changed),
    remove: (...given) => life.remove(...given).finally(changed),
  },
  people: {
    ...people,
    setRole: (...change) => people.setRole(...change).finally(changed),
    remove: (name) => people.remove(name).finally(changed),
  },
});

function failure(thrown: unknown, { services }: GatewayContext): Response {
  const error = HeadgateError.from(thrown);
  if (error.type === 'internal') services.log.error('request_failed', { cause: error.cause });
  return errorResponse(error);
}

export function keylessOf(server: Config['server']) {
  if (server.keyless !== undefined) return server.keyless ? ('always' as const) : ('never' as const);
  return isForThisMachine(server) ? ('whileNoKeys' as const) : ('never' as const);
}

/** Runs before routing and before a body is read. */
const hostRules = ({ services }: GatewayContext) => {
  const { server } = services.config;
  const publicHost = server.public_url === undefined ? [] : [new URL(server.public_url).hostname];
  const rules = { ...server, hosts: [...server.hosts, ...publicHost] };
  return async (context: Context, next: () => Promise<void>): Promise<Response | void> => {
    // Load balancers ask by address, under any name; the answer says nothing that needs protection.
    if (context.req.path === '/healthz') return next();
    const host = context.req.header('host') ?? new URL(context.req.url).host;
    const origin = context.req.header('origin');
    checkHost(rules, origin === undefined ? { host } : { host, origin });
    if (origin === undefined || !server.origins.includes(origin)) return next();
    if (context.req.method !== 'OPTIONS') await next();
    else context.res = new Response(null, { status: 204, headers: PREFLIGHT });
    context.header('access-control-allow-origin', origin);
    context.header('vary', 'Origin');
  };
};

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
  'access-control-allow-headers':
    'authorization, content-type, x-api-key, idempotency-key, mcp-protocol-version, mcp-method, mcp-name',
  'access-control-max-age': '600',
};

const observe =
  ({ metrics, services, openRequests }: GatewayContext) =>
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
    if (openRequests.isDraining) context.header('connection', 'close');
    services.log.info('http_request', { route, method, status, ms: Math.round(elapsed * 1_000) });
  };

/** Monitoring requests these every few seconds. */
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
  // The last entry is the one that the operator's proxy added.
  return forwarded?.split(',').at(-1)?.trim() ?? env.incoming?.socket?.remoteAddress ?? 'local';
}
