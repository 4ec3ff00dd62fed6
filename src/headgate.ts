import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, type Loaded } from './config/load.ts';
import type { Config } from './config/schema.ts';
import { systemClock, type Clock } from './core/clock.ts';
import { HeadgateError } from './core/errors.ts';
import { LIMITS } from './core/limits.ts';
import { createLogger, type Logger } from './core/log.ts';
import { createBreaker } from './net/breaker.ts';
import { createCache } from './net/cache.ts';
import { createPace } from './net/pace.ts';
import { createSingleFlight } from './net/single-flight.ts';
import { createUpstream } from './net/upstream.ts';
import { readyProviders } from './operations/chain.ts';
import { createKeyRing } from './operations/key-ring.ts';
import type { Services } from './operations/services.ts';

/** The parts of the world that a test replaces. */
export interface World {
  clock?: Clock;
  random?: () => number;
  log?: Logger;
}

export interface Engine {
  services: Services;
  close(): Promise<void>;
}

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
  const services: Services = {
    config,
    clock,
    random,
    log,
    providers: readyProviders(config),
    keyRing: createKeyRing({ clock }),
    upstream,
    pace: createPace({ clock }),
    breaker: createBreaker({ clock, random }),
    cache: config.cache.enabled
      ? createCache({
          clock,
          entriesMax: LIMITS.cacheEntriesMax,
          bytesMax: LIMITS.cacheBytesMax,
          ttlMs: config.cache.ttl_seconds * 1_000,
        })
      : undefined,
    flights: createSingleFlight(),
  };
  return { services, close: () => upstream.close() };
}

/** Reads the configuration file that counts: `HEADGATE_CONFIG`, else `headgate.toml` here, else in the home folder. */
export function readConfig(
  env: Record<string, string | undefined>,
  folder: string,
  flags: Record<string, unknown> = {},
): Loaded {
  const named = env['HEADGATE_CONFIG'];
  const home = env['HEADGATE_HOME'] ?? join(homedir(), '.headgate');
  const name =
    named ?? [join(folder, 'headgate.toml'), join(home, 'headgate.toml')].find((path) => existsSync(path));
  if (name === undefined) return loadConfig({ env, flags });
  try {
    return loadConfig({ file: { name, text: readFileSync(name, 'utf8') }, env, flags });
  } catch (thrown) {
    if (thrown instanceof HeadgateError) throw thrown;
    throw new HeadgateError('invalid_config', `The configuration file ${name} cannot be read.`, {
      remediation: 'Check the path in HEADGATE_CONFIG and its permissions.',
      cause: thrown,
    });
  }
}

const stderrLogger = (config: Config, clock: Clock): Logger =>
  createLogger({
    level: config.log.level,
    write: (line) => void process.stderr.write(line),
    now: () => clock.now(),
  });
