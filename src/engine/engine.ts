import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { creditPrices } from '../config/credit-price.ts';
import { loadConfig, type Loaded } from '../config/load.ts';
import type { ProviderKeys } from '../config/provider-keys.ts';
import { secretsOf } from '../config/secrets.ts';
import { settingRules } from '../config/names.ts';
import type { Config } from '../config/schema.ts';
import { systemClock, type Clock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import type { HttpResponse } from '../core/http.ts';
import { LIMITS } from '../core/limits.ts';
import { currentScope, outsideScope } from '../core/scope.ts';
import { createLogger, hide, type Logger } from '../core/log.ts';
import { createMemoryShared, type Shared } from '../core/shared.ts';
import { createBreaker } from '../net/breaker.ts';
import { createCache } from '../net/cache.ts';
import { createPace } from '../net/pace.ts';
import { createRetryBudget } from '../net/retry-budget.ts';
import { createSingleFlight } from '../net/single-flight.ts';
import { createUpstream } from '../net/upstream.ts';
import { createPostgresShared } from '../store/postgres/shared.ts';
import { createStore, isPostgres, type Store } from '../store/store.ts';
import type { Tiers } from '../store/ledger/types.ts';
import { readyProviders } from '../routing/chain.ts';
import { createLibrary } from '../library/library.ts';
import { createCallLog } from '../meter/call-log.ts';
import type { ExtractPool } from '../extract/pool.ts';
import type { OpenChannel } from '../store/sqlite/thread.ts';
import { createAlerts, type Alerts } from '../meter/alerts.ts';
import { createMeter, type Meter } from '../meter/meter.ts';
import { createCrawlSessions } from '../operations/crawl/sessions.ts';
import { createKeyRing } from '../routing/key-ring.ts';
import { createHealthBook, exhaustedKeys, healthOf } from '../routing/provider-health.ts';
import { createLibraryJobs } from '../operations/library/jobs.ts';
import { createPageArchiver } from '../operations/extract/archive.ts';
import { readyModel } from '../research/model/ready-model.ts';
import type { Services } from '../operations/services.ts';
import { providerKeysOf, withKeys } from './keys.ts';
import { createReading } from './reading.ts';
import { openGate } from '../policy/gate.ts';
import { createRulesFor } from './rules.ts';
import { createResearch } from './research.ts';
import { createTracerFor, tracedServices } from './tracing.ts';
import { openRecorded, openWeb, type OpenedWeb } from './web.ts';
import { withWorkspaceWebs } from './workspace-webs.ts';

/** What a test can replace: clock, network, environment and paths. */
export interface EngineOptions {
  clock?: Clock;
  random?: () => number;
  log?: Logger;
  /** The work factor of the console's password hash. */
  passwordCost?: number;
  /** The PATH, to look for programs. */
  path?: string | undefined;
  /** The folder of the default store. */
  home?: string;
  /** A gateway locks the store for itself; other commands open it only when a personal limit is set. */
  isGateway?: boolean;
  /** The process ends with one command, so nothing waits while it reads a page. */
  isOneCommand?: boolean;
  /** The threads that read pages; without it the engine has its own. */
  pool?: ExtractPool;
  /** The thread that owns the SQLite file; without it the store starts its own. */
  connectStore?: OpenChannel;
  /** Opens the accounts beside a running gateway, for commands that manage them. */
  accounts?: boolean;
}

export interface Engine {
  services: Services;
  store: Store | undefined;
  meter: Meter | undefined;
  /** Delivers events to webhooks. */
  alerts: Alerts | undefined;
  providerKeys: ProviderKeys;
  close(): Promise<void>;
}

const MEGABYTE = 1_000_000;
/** Instead of a random number where a run is recorded or replayed. */
const STEADY = 0.5;

/** Builds everything once. This is the only place that knows the concrete implementations. */
export function createEngine(config: Config, world: EngineOptions = {}): Engine {
  const clock = world.clock ?? systemClock;
  const isLive = (): boolean => config.web.mode === 'live' && currentScope() === undefined;
  const random = world.random ?? (() => (isLive() ? Math.random() : STEADY));
  const secrets = secretsOf(config);
  const log = world.log ?? stderrLogger(config, clock, secrets);
  const metering = createMetering(config, world, clock, log);
  const opened = webOf(config, metering?.store, clock, secrets, () => reading.extract);
  const { web } = opened;
  const upstream = createUpstream({
    web,
    proxy: {
      http: config.network.http_proxy,
      https: config.network.https_proxy,
      noProxy: config.network.no_proxy,
    },
  });
  const reading = createReading(config, { ...world, clock: opened.clock, web });
  const { library, keeper } = createLibraries(config, world, clock, log);
  const tracer = createTracerFor(config, log);
  const shared = createShared(config, world, metering?.store, clock, log);
  const services: Services = {
    config,
    clock: opened.clock,
    ...(opened.enter === undefined ? {} : { enter: opened.enter }),
    ...(opened.isolated === undefined ? {} : { isolated: opened.isolated }),
    random,
    log,
    ...routingState(clock, random, shared),
    tracer,
    providers: readyProviders(config),
    upstream: {
      send: async (request, options) => withoutSecrets(await upstream.send(request, options), secrets),
    },
    fetch: reading.fetch,
    extract: reading.extract,
    renderer: reading.renderer,
    cache: config.cache.enabled ? createMemory(config, clock) : undefined,
    flights: createSingleFlight(),
    library,
    told: new Set(),
    libraryJobs: createLibraryJobs({ clock }),
    archive: config.library.keep ? keeper.archive : undefined,
    crawls: createCrawlSessions({ clock: opened.sessionClock, store: metering?.store.crawls }),
    model: readyModel(config),
    ...(metering === undefined ? {} : { leaks: metering.store, frontier: metering.store.frontier }),
    rulesFor: createRulesFor(config.policy, metering?.store.policies, clock),
    research: createResearch({
      store: metering?.store,
      openStore: () => (hasStore(config, world) ? openStore(config, world, clock, log) : undefined),
      home: world.home ?? homeOf({}),
      clock: opened.sessionClock,
      log,
    }),
    meter: metering?.meter,
  };
  return {
    services: tracedServices(services),
    store: metering?.store,
    meter: metering?.meter,
    alerts: metering === undefined ? undefined : alertsOf(services, metering.store),
    providerKeys: providerKeysOf(services, secrets),
    close: async () => {
      await services.research.close();
      await services.libraryJobs.close();
      await keeper.settled();
      await tracer?.close();
      // Pending provider requests are ended and booked before the network and the ledger are closed.
      await metering?.meter.close();
      await Promise.all([upstream.close(), reading.close(), library.close()]);
      await opened.close();
      await shared.close();
      await metering?.store.close();
    },
  };
}

/** The web as the configuration says, and that of workspaces that have one of their own. */
function webOf(
  config: Config,
  store: Store | undefined,
  clock: Clock,
  secrets: string[],
  extract: () => Services['extract'],
): OpenedWeb {
  const base = openWeb(config, clock, secrets, extract);
  if (store === undefined) return base;
  return withWorkspaceWebs(base, {
    folder: config.web.folder,
    accounts: store.accounts,
    clock,
    open: ({ paths, asOf }) => {
      const web = { ...config.web, mode: 'replay' as const, snapshot: paths, as_of: asOf, misses: undefined };
      return openRecorded({ ...config, web }, clock, secrets, extract, true);
    },
  });
}

/** What routing knows about providers and their keys. */
const routingState = (clock: Clock, random: () => number, shared: Shared) => ({
  shared,
  keyRing: createKeyRing({ clock, shared }),
  pace: createPace({ clock, shared }),
  breaker: createBreaker({ clock, random, shared }),
  health: createHealthBook({ clock }),
  retryBudget: createRetryBudget({ clock }),
});

/** Events of the store, sent through the guard. */
const alertsOf = (services: Services, { database }: Store): Alerts => {
  const { clock, log, random, fetch: send } = services;
  return createAlerts({
    database,
    clock,
    log,
    random,
    post: async (url, { headers, body }, signal) => {
      const rules = await services.rulesFor({});
      const gate = rules === undefined ? undefined : openGate(rules, () => {});
      const target = URL.parse(url);
      if (target !== null) gate?.check({ kind: 'webhook', url: target });
      const { webhookTimeoutMs: timeoutMs, webhookAnswerBytesMax: bytesMax } = LIMITS;
      const request = {
        signal,
        caller: `webhook ${url}`,
        gate: undefined,
        headers,
        body,
        timeoutMs,
        bytesMax,
      };
      // A call whose web is a snapshot may have woken the sender.
      return outsideScope(() => send(url, { ...request, types: 'any' }));
    },
    providers: () =>
      services.providers.map((ready) => ({
        id: ready.provider.id,
        ...healthOf(ready, services),
        exhausted: exhaustedKeys(ready, services),
      })),
  });
};

/** The local index, and the archiver that adds pages to it. */
function createLibraries(config: Config, world: EngineOptions, clock: Clock, log: Logger) {
  const library = createLibrary({
    folder: join(world.home ?? homeOf({}), 'library'),
    clock,
    log,
    database: isPostgres(config.store.url) ? config.store.url : undefined,
    keptBytesMax: config.library.keep_megabytes * MEGABYTE,
  });
  return { library, keeper: createPageArchiver({ library, clock, log, days: config.library.keep_days }) };
}

const createMemory = (config: Config, clock: Clock) =>
  createCache({
    clock,
    entriesMax: LIMITS.cacheEntriesMax,
    bytesMax: LIMITS.cacheBytesMax,
    ttlMs: config.cache.ttl_seconds * 1_000,
  });

/** Reads the configuration file: `HEADGATE_CONFIG`, or `headgate.toml` here or in the home folder. */
export function readConfig(
  env: Record<string, string | undefined>,
  folder: string,
  {
    file,
    settings = {},
    ...options
  }: { lenient?: boolean; file?: string; settings?: Record<string, unknown> } = {},
): Loaded {
  const chosen = file ?? env['HEADGATE_CONFIG'];
  const flags = settings;
  const home = homeOf(env);
  const name =
    chosen ?? [join(folder, 'headgate.toml'), join(home, 'headgate.toml')].find((path) => existsSync(path));
  if (name === undefined) return withKeys({ env, flags, ...options });
  const load = (text: string): Loaded => withKeys({ file: { name, text }, env, flags, ...options });
  try {
    return { ...load(readFileSync(name, 'utf8')), file: { name, load } };
  } catch (thrown) {
    const problem = thrown instanceof HeadgateError ? thrown : unreadable(name, thrown);
    if (options.lenient !== true) throw problem;
    // The file is unreadable; the environment still applies.
    return { problem, ...loadConfig({ env, flags, lenient: true }) };
  }
}

const unreadable = (name: string, cause: unknown): HeadgateError =>
  new HeadgateError('invalid_config', own`The configuration file ${named(name)} cannot be read.`, {
    remediation: 'Check its path (--config or HEADGATE_CONFIG) and its permissions.',
    cause,
  });

/** The store and the meter, if a limit is set or accounts exist. Nothing is opened before the first call. */
function createMetering(
  config: Config,
  world: EngineOptions,
  clock: Clock,
  log: Logger,
): { store: Store; meter: Meter } | undefined {
  const { calls_per_day: calls = null, credits_per_day: credits = null } = config.limits;
  const isGateway = world.isGateway === true;
  const isLimited = calls !== null || credits !== null || config.policy.fetch !== 'any';
  if (!isGateway && world.accounts !== true && !isLimited) return undefined;
  const store = openStore(config, world, clock, log);
  const meter = createMeter({
    database: store.database,
    clock,
    log,
    tiers: tiersOf(config),
    prices: creditPrices(config),
    tokenPrices: { input: config.model.input_price, output: config.model.output_price },
    personal: { callsPerDay: calls, creditsPerDay: credits },
    overageMax: config.limits.overage_max,
    calls: createCallLog({
      database: store.database,
      clock,
      log,
      bounds: {
        days: config.calls.days,
        rows: config.calls.rows,
        textBytes: config.calls.text_megabytes * MEGABYTE,
      },
      local: { queries: config.calls.keep_queries, answers: config.calls.keep_answers },
    }),
  });
  return { store, meter };
}

/** Gateways on PostgreSQL share their state; every other process has its own. */
function createShared(
  config: Config,
  world: EngineOptions,
  store: Store | undefined,
  clock: Clock,
  log: Logger,
): Shared {
  const { url } = config.store;
  if (store === undefined || world.isGateway !== true || !isPostgres(url) || !config.scale.shared)
    return createMemoryShared({ clock });
  return createPostgresShared({
    url,
    database: store.database,
    clock,
    log,
    onLoss: config.scale.on_loss,
  });
}

/** A SQLite file, or the address of a PostgreSQL database. */
const locationOf = (config: Config, world: EngineOptions): string =>
  config.store.url ?? join(world.home ?? homeOf({}), 'headgate.db');

const hasStore = (config: Config, world: EngineOptions): boolean =>
  isPostgres(config.store.url) || existsSync(locationOf(config, world));

const openStore = (config: Config, world: EngineOptions, clock: Clock, log: Logger): Store =>
  createStore({
    location: locationOf(config, world),
    clock,
    log,
    exclusive: world.isGateway === true,
    isHome: config.store.url === undefined,
    pepper: config.store.key_pepper ?? '',
    rules: settingRules(config),
    ...(world.passwordCost === undefined ? {} : { passwordCost: world.passwordCost }),
    ...(world.connectStore === undefined ? {} : { connect: world.connectStore }),
  });

const tiersOf = (config: Config): Tiers =>
  Object.fromEntries(
    Object.entries(config.tiers).map(([name, tier]) => [
      name,
      {
        callsFree: tier.calls_free,
        beyond: tier.beyond,
        creditsMax: tier.credits_max === 0 ? null : tier.credits_max,
      },
    ]),
  );

/** The data folder. */
export const homeOf = (env: Record<string, string | undefined>): string =>
  env['HEADGATE_HOME'] ?? join(homedir(), '.headgate');

/** Removes our keys from a provider's answer or error before a caller sees it. */
const withoutSecrets = (response: HttpResponse, secrets: string[]): HttpResponse =>
  secrets.some((secret) => response.body.includes(secret))
    ? { ...response, body: hide(response.body, secrets) }
    : response;

const stderrLogger = (config: Config, clock: Clock, secrets: readonly string[]): Logger =>
  createLogger({
    level: config.log.level,
    write: (line) => void process.stderr.write(line),
    now: () => clock.now(),
    secrets,
  });
