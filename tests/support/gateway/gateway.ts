import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../src/config/load.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { silentLogger, type Logger } from '../../../src/core/log.ts';
import { HeadgateError } from '../../../src/core/errors.ts';
import { createEngine, type Engine } from '../../../src/engine/engine.ts';
import type { GuardedFetch } from '../../../src/net/fetch.ts';
import { operations } from '../../../src/gateway/operations.ts';
import { simUpstreams } from '../../../src/sim/index.ts';
import { startSim, type Sim } from '../../../src/sim/server.ts';
import type { KeyScope } from '../../../src/core/grant.ts';
import type { Store } from '../../../src/store/store.ts';
import { createHttpApp, type HttpApp } from '../../../src/gateway/app.ts';
import type { GatewayParts } from '../../../src/gateway/door/gateway.ts';
import { placeDatabase } from '../migrated.ts';
import { readingThreads } from '../reading-threads.ts';
import { storeThread } from '../store-thread.ts';
import { startHttp, type RunningHttp } from '../../../src/gateway/server.ts';

export const ADMIN = 'admin-token-of-the-tests';

/** A gateway on the simulator, with its own database in a folder of its own. */
export interface TestGateway extends HttpApp {
  sim: Sim;
  /** The folder of its database. */
  home: string;
  engine: Engine;
  store: Store;
  parts: GatewayParts;
  /** Posts JSON without a socket. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Asks the admin API. */
  admin(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Listens on a port of its own. */
  listen(): Promise<RunningHttp>;
  /** A key of a new workspace. */
  newKey(options?: { tier?: string; scopes?: KeyScope[]; agent?: string; expires?: number }): Promise<{
    key: string;
    id: string;
    workspace: string;
    subscription: string;
  }>;
  /** Ends this gateway only, as a crash would: its folder and its upstreams stay for the next. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export async function createTestGateway(
  options: {
    config?: Record<string, unknown> | ((sim: string) => Record<string, unknown>);
    log?: Logger;
    clock?: Clock;
    /** `guarded` reads the simulator's small web through the real guard; by default no page needs a socket. */
    web?: 'guarded' | GuardedFetch;
    /** The folder and the upstreams of a gateway that has gone, which this one follows. */
    after?: Pick<TestGateway, 'home' | 'sim'>;
    /** The configuration file that the console changes. */
    settingsFile?: GatewayParts['settingsFile'];
  } = {},
): Promise<TestGateway> {
  const home = options.after?.home ?? mkdtempSync(join(tmpdir(), 'headgate-gateway-'));
  if (options.after === undefined) placeDatabase(join(home, 'headgate.db'));
  const sim = options.after?.sim ?? (await startSim({ upstreams: simUpstreams, port: 0 }));
  const { config, origins } = loadConfig({
    ...fileOf(options.settingsFile),
    flags: {
      'providers.duckduckgo.base_url': `${sim.url}/duckduckgo`,
      'providers.duckduckgo.pace_ms': 0,
      'providers.tavily.base_url': `${sim.url}/tavily`,
      'providers.jina.enabled': false,
      // Their keyless tiers would be asked on the real web.
      'providers.firecrawl.enabled': false,
      'providers.youcom.enabled': false,
      'search.retries': 0,
      'server.port': 0,
      ...(options.web === 'guarded' ? { 'guard.allow': ['127.0.0.1'], 'guard.ports': [sim.port] } : {}),
      ...(typeof options.config === 'function' ? options.config(sim.url) : options.config),
    },
  });
  const engine = createEngine(config, {
    home,
    isGateway: true,
    pool: readingThreads,
    ...storeThread,
    passwordCost: 1_024,
    log: options.log ?? silentLogger,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  });
  const { store } = engine;
  const services =
    options.web === 'guarded' ? engine.services : { ...engine.services, fetch: options.web ?? smallWeb };
  if (store === undefined) throw new Error('A gateway has a store.');
  const launch = { command: 'node', args: ['/opt/headgate/dist/main.cjs'] };
  const { providerKeys } = engine;
  const parts: GatewayParts = {
    services,
    store,
    operations,
    origins,
    providerKeys,
    settingsFile: options.settingsFile,
    launch,
    adminToken: ADMIN,
  };
  const http = createHttpApp(parts);
  const running: RunningHttp[] = [];
  return {
    ...http,
    sim,
    home,
    engine,
    store,
    parts,
    post: async (path, body, headers = {}) =>
      http.app.request(`http://127.0.0.1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    admin: async (method, path, body) => {
      const response = await http.app.request(`http://127.0.0.1/admin${path}`, {
        method,
        headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') === true;
      return {
        status: response.status,
        body: (isJson ? JSON.parse(text) : { text }) as Record<string, unknown>,
      };
    },
    listen: async () => {
      const started = await startHttp(parts);
      running.push(started);
      return started;
    },
    newKey: async ({ tier = 'free', ...rest } = {}) => {
      const workspace = await store.accounts.createWorkspace({ name: 'Test', tier });
      const { key, record } = await http.world.store.keys.create({
        workspace: workspace.id,
        label: 'test',
        ...rest,
      });
      return { key, id: record.id, workspace: workspace.id, subscription: workspace.subscription };
    },
    stop: async () => {
      await Promise.all(running.map((one) => one.close()));
      await engine.close();
    },
    close: async () => {
      await Promise.all(running.map((one) => one.close()));
      await engine.close();
      await sim.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

const fileOf = (file: GatewayParts['settingsFile']) =>
  file === undefined ? {} : { file: { name: file.name, text: readFileSync(file.name, 'utf8') } };

/** Every host has a start page and one more; there is no way from a test to the real web. */
const smallWeb: GuardedFetch = async (url) => {
  const { pathname, origin, hostname } = new URL(url);
  if (hostname.startsWith('gone.')) throw new HeadgateError('network_error', 'The host does not answer.');
  const isPage = pathname === '/' || pathname === '/more';
  const html = `<html><head><title>Page ${pathname}</title></head><body><main><h1>Page ${pathname}</h1>
    <p>The mill on the river has ground wheat since 1742, and this paragraph is long enough to be read as content.</p>
    <a href="${origin}/more">More about the mill</a></main></body></html>`;
  return {
    url,
    finalUrl: url,
    status: isPage ? 200 : 404,
    headers: { 'content-type': 'text/html' },
    contentType: 'text/html',
    bytes: new TextEncoder().encode(isPage ? html : 'Not found'),
    redirects: [],
  };
};
