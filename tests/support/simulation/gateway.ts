import { creditPrices } from '../../../src/config/credit-price.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { HeadgateError } from '../../../src/core/errors.ts';
import { LIMITS } from '../../../src/core/limits.ts';
import { silentLogger } from '../../../src/core/log.ts';
import { createMeter, type Meter } from '../../../src/meter/meter.ts';
import { createBreaker } from '../../../src/net/breaker.ts';
import { createCache } from '../../../src/net/cache.ts';
import { createPace } from '../../../src/net/pace.ts';
import { createRetryBudget } from '../../../src/net/retry-budget.ts';
import { createSingleFlight } from '../../../src/net/single-flight.ts';
import { readyProviders } from '../../../src/routing/chain.ts';
import { createKeyRing } from '../../../src/routing/key-ring.ts';
import { createHealthBook } from '../../../src/routing/provider-health.ts';
import type { Upstream } from '../../../src/net/upstream.ts';
import type { Services } from '../../../src/operations/services.ts';
import type { Database } from '../../../src/store/database.ts';
import type { Tiers } from '../../../src/store/ledger/types.ts';
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts';
import type { Disk } from './disk.ts';
import { OVERAGE_MAX } from './history.ts';
import { simulatedThread, type StoreFaults } from './store-thread.ts';
import type { Life, Time } from './time.ts';

const { config: CONFIG } = loadConfig({
  env: {
    TAVILY_API_KEY: 'tvly-first-key,tvly-second-key',
    SEARXNG_URL: 'https://searxng.example',
    HEADGATE_CACHE__ENABLED: 'true',
    HEADGATE_CACHE__TTL_SECONDS: '60',
  },
});
const PROVIDERS = readyProviders(CONFIG);
export const PRICES = creditPrices(CONFIG);

/** Every key of a provider is tried once, and again as often as is set. */
export const triesMax = (provider: string): number =>
  (PROVIDERS.find((ready) => ready.provider.id === provider)?.keys.length || 1) * (1 + CONFIG.search.retries);

/** One process of a gateway, from its start to its end. */
export interface Gateway extends Life {
  /** Counts the processes of a history. */
  number: number;
  meter: Meter;
  database: Database;
  /** Everything that calls use, with their own road to the providers. */
  servicesFor(upstream: Pick<Upstream, 'send'>, heldBy: (id: string, provider: string) => void): Services;
  /** It was told to end, and asks nobody any more. */
  isStopping: boolean;
  stop(): Promise<void>;
}

export interface Surroundings {
  time: Time;
  disk: Disk;
  faults: StoreFaults;
  random(): number;
  tiers: Tiers;
  personal: { callsPerDay: number | null; creditsPerDay: number | null };
}

/** Starts a process with the product's own parts; only disk, network, clock and chance are simulated. */
export function startGateway(number: number, around: Surroundings): Gateway {
  const { time, disk, faults, random } = around;
  const life: Life = { isAlive: true };
  const clock = time.clockOf(life);
  const database = openSqlite({
    path: 'simulated',
    clock,
    exclusive: false,
    connect: simulatedThread({
      time,
      disk,
      life,
      writer: number,
      faults,
      workMs: () => 1 + Math.floor(random() * 3),
    }),
    timers: { after: clock.after, soon: (action) => void time.at(0, life, action) },
  });
  const meter = createMeter({
    database,
    clock: time.clockOf(life, true),
    log: silentLogger,
    tiers: around.tiers,
    prices: PRICES,
    personal: around.personal,
    overageMax: OVERAGE_MAX,
  });
  const ending = new AbortController();
  void meter.sweepUntil(ending.signal);
  const shared = {
    config: CONFIG,
    clock,
    random,
    log: silentLogger,
    tracer: undefined,
    providers: PROVIDERS,
    keyRing: createKeyRing({ clock }),
    pace: createPace({ clock }),
    breaker: createBreaker({ clock, random }),
    health: createHealthBook({ clock }),
    retryBudget: createRetryBudget({ clock }),
    cache: createCache({
      clock,
      entriesMax: LIMITS.cacheEntriesMax,
      bytesMax: LIMITS.cacheBytesMax,
      ttlMs: CONFIG.cache.ttl_seconds * 1_000,
    }),
    flights: createSingleFlight(),
    library: { of: () => ({ search: async () => ({ hits: [], guesses: [], warnings: [] }) }) },
    // No page can be reached: reading them costs nothing and is not simulated.
    fetch: () => Promise.reject(new HeadgateError('network_error', 'The site is unreachable.')),
    keep: undefined,
    model: undefined,
  };
  return Object.assign(life, {
    number,
    meter,
    database,
    isStopping: false,
    servicesFor(upstream: Pick<Upstream, 'send'>, heldBy: (id: string, provider: string) => void): Services {
      const watched: Services['meter'] = {
        ...meter,
        hold: async (request) => {
          const hold = await meter.hold(request);
          if (hold.metered) heldBy(hold.id, request.provider);
          return hold;
        },
      };
      return { ...shared, upstream, meter: watched, rulesFor: async () => undefined } as unknown as Services;
    },
    async stop(this: Gateway) {
      this.isStopping = true;
      ending.abort();
      await meter.close();
      await database.close();
    },
  });
}
