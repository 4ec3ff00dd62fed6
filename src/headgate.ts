import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { creditPrices } from './config/credit-price.ts';
import { loadConfig, type Loaded } from './config/load.ts';
import { secretsOf } from './config/secrets.ts';
import { settingRules } from './config/names.ts';
import type { Config } from './config/schema.ts';
import { systemClock, type Clock } from './core/clock.ts';
import { HeadgateError } from './core/errors.ts';
import { named, own } from './core/own-text.ts';
import type { HttpResponse } from './core/http.ts';
import { LIMITS } from './core/limits.ts';
import { createLogger, hide, type Logger } from './core/log.ts';
import { createBreaker } from './net/breaker.ts';
import { createCache } from './net/cache.ts';
import { createPace } from './net/pace.ts';
import { createRetryBudget } from './net/retry-budget.ts';
import { createSingleFlight } from './net/single-flight.ts';
import { createUpstream } from './net/upstream.ts';
import { createStore, isPostgres, type Store } from './store/store.ts';
import type { Tiers } from './store/ledger/types.ts';
import { readyProviders } from './operations/asking/chain.ts';
import { createLibrary } from './library/library.ts';
import { createMeter, type Meter } from './meter/meter.ts';
import { createCrawlSessions } from './operations/crawl/sessions.ts';
import { createKeyRing } from './operations/asking/key-ring.ts';
import { createHealthBook } from './operations/asking/provider-health.ts';
import { createLibraryJobs } from './operations/library/jobs.ts';
import { createKeeper } from './operations/library/keep.ts';
import { readyModel } from './operations/research/model/ready-model.ts';
import { createDatabaseKeep } from './operations/research/session/database.ts';
import { createFileKeep } from './operations/research/session/files.ts';
import type { SessionKeep } from './operations/research/session/keep.ts';
import { createResearchSessions } from './operations/research/session/sessions.ts';
import type { Services } from './operations/services.ts';
import { createReading } from './reading.ts';
import { createTracerFor, tracedServices } from './tracing.ts';

/** The parts of the world that a test replaces. */
export interface World {
  clock?: Clock;
  random?: () => number;
  log?: Logger;
  /** How hard it is to check a password of the console. */
  passwordCost?: number;
  /** Where programs are looked for: the PATH. */
  path?: string | undefined;
  /** Where the store is by default. */
  home?: string;
  /** A gateway keeps accounts and has the store for itself; everything else opens it only when a personal limit is set. */
  isGateway?: boolean;
  /** Opens the accounts beside a gateway, for commands that manage them. */
  accounts?: boolean;
}

export interface Engine {
  services: Services;
  store: Store | undefined;
  meter: Meter | undefined;
  close(): Promise<void>;
}

const MEGABYTE = 1_000_000;

/** Builds everything once. This is the only place that knows the concrete parts. */
export function createEngine(config: Config, world: World = {}): Engine {
  const clock = world.clock ?? systemClock;
  const random = world.random ?? Math.random;
  const log = world.log ?? stderrLogger(config, clock);
  const upstream = createUpstream({
    proxy: {
      http: config.network.http_proxy,
      https: config.network.https_proxy,
      noProxy: config.network.no_proxy,
    },
  });
  const reading = createReading(config, { clock, path: world.path });
  const { library, keeper } = createLibraries(config, world, clock, log);
  const metering = createMetering(config, world, clock, log);
  const secrets = secretsOf(config);
  const tracer = createTracerFor(config, log);
  const services: Services = {
    config,
    clock,
    random,
    log,
    tracer,
    providers: readyProviders(config),
    keyRing: createKeyRing({ clock }),
    upstream: {
      send: async (request, options) => withoutSecrets(await upstream.send(request, options), secrets),
    },
    fetch: reading.fetch,
    extract: reading.extract,
    renderer: reading.renderer,
    pace: createPace({ clock }),
    breaker: createBreaker({ clock, random }),
    health: createHealthBook({ clock }),
    retryBudget: createRetryBudget({ clock }),
    cache: config.cache.enabled ? createMemory(config, clock) : undefined,
    flights: createSingleFlight(),
    library,
    libraryJobs: createLibraryJobs({ clock }),
    keep: config.library.keep ? keeper.keep : undefined,
    crawls: createCrawlSessions({ clock, store: metering?.store.crawls }),
    model: readyModel(config),
    research: createResearchSessions({ keep: createKeep(metering?.store, world, clock, log), clock }),
    meter: metering?.meter,
  };
  return {
    services: tracedServices(services),
    store: metering?.store,
    meter: metering?.meter,
    close: async () => {
      await services.research.close();
      await services.libraryJobs.close();
      await keeper.settled();
      await tracer?.close();
      // What is still heard at a provider is ended and booked before the road to it and the books are closed.
      await metering?.meter.close();
      await Promise.all([upstream.close(), reading.close(), library.close()]);
      await metering?.store.close();
    },
  };
}

/** Research sessions are kept in the store when there is one, else in the data folder. */
const createKeep = (store: Store | undefined, world: World, clock: Clock, log: Logger): SessionKeep =>
  store === undefined
    ? createFileKeep({ folder: join(world.home ?? homeOf({}), 'research'), clock, log })
    : createDatabaseKeep({ store: store.research, clock, log });

/** The local index, and who puts into it what is read. */
function createLibraries(config: Config, world: World, clock: Clock, log: Logger) {
  const library = createLibrary({
    folder: join(world.home ?? homeOf({}), 'library'),
    clock,
    log,
    database: isPostgres(config.store.url) ? config.store.url : undefined,
    keptBytesMax: config.library.keep_megabytes * MEGABYTE,
  });
  return { library, keeper: createKeeper({ library, clock, log, days: config.library.keep_days }) };
}

const createMemory = (config: Config, clock: Clock) =>
  createCache({
    clock,
    entriesMax: LIMITS.cacheEntriesMax,
    bytesMax: LIMITS.cacheBytesMax,
    ttlMs: config.cache.ttl_seconds * 1_000,
  });

/** Reads the configuration file that counts: `HEADGATE_CONFIG`, else `headgate.toml` here, else in the home folder. */
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
  if (name === undefined) return loadConfig({ env, flags, ...options });
  try {
    return loadConfig({ file: { name, text: readFileSync(name, 'utf8') }, env, flags, ...options });
  } catch (thrown) {
    const problem = thrown instanceof HeadgateError ? thrown : unreadable(name, thrown);
    if (options.lenient !== true) throw problem;
    // The file says nothing that can be read; the environment still does.
    return { problem, ...loadConfig({ env, flags, lenient: true }) };
  }
}

const unreadable = (name: string, cause: unknown): HeadgateError =>
  new HeadgateError('invalid_config', own`The configuration file ${named(name)} cannot be read.`, {
    remediation: 'Check its path (--config or HEADGATE_CONFIG) and its permissions.',
    cause,
  });

/** The store and the meter, when somebody set a limit or keeps accounts. Nothing is opened before the first call. */
function createMetering(
  config: Config,
  world: World,
  clock: Clock,
  log: Logger,
): { store: Store; meter: Meter } | undefined {
  const { calls_per_day: calls = null, credits_per_day: credits = null } = config.limits;
  const isGateway = world.isGateway === true;
  if (!isGateway && world.accounts !== true && calls === null && credits === null) return undefined;
  const location = config.store.url ?? join(world.home ?? homeOf({}), 'headgate.db');
  const pepper = config.store.key_pepper ?? '';
  const rules = settingRules(config.tiers);
  const store = createStore({
    location,
    clock,
    log,
    exclusive: isGateway,
    isHome: config.store.url === undefined,
    pepper,
    rules,
    ...passwordCostOf(world),
  });
  const meter = createMeter({
    database: store.database,
    clock,
    log,
    tiers: tiersOf(config),
    prices: creditPrices(config),
    personal: { callsPerDay: calls, creditsPerDay: credits },
    overageMax: config.limits.overage_max,
  });
  return { store, meter };
}

const passwordCostOf = ({ passwordCost }: World) => (passwordCost === undefined ? {} : { passwordCost });

const tiersOf = (config: Config): Tiers =>
  Object.fromEntries(
    Object.entries(config.tiers).map(([name, tier]) => [
      name,
      { callsFree: tier.calls_free, beyond: tier.beyond, creditsMax: null },
    ]),
  );

/** The folder for everything that is kept. */
export const homeOf = (env: Record<string, string | undefined>): string =>
  env['HEADGATE_HOME'] ?? join(homedir(), '.headgate');

/** A provider that repeats our key in its answer or its error must not show it to a caller. */
const withoutSecrets = (response: HttpResponse, secrets: string[]): HttpResponse =>
  secrets.some((secret) => response.body.includes(secret))
    ? { ...response, body: hide(response.body, secrets) }
    : response;

const stderrLogger = (config: Config, clock: Clock): Logger =>
  createLogger({
    level: config.log.level,
    write: (line) => void process.stderr.write(line),
    now: () => clock.now(),
    secrets: secretsOf(config),
  });
