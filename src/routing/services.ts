import type { Call } from '../core/call.ts';
import type { Config } from '../config/schema.ts';
import type { Clock } from '../core/clock.ts';
import type { HeadgateError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import type { Shared } from '../core/shared.ts';
import type { Tracer } from '../core/trace.ts';
import type { Libraries } from '../library/library.ts';
import type { Books } from '../meter/books.ts';
import type { ModelApi, ModelSettings } from '../models/model.ts';
import type { Breaker } from '../net/breaker.ts';
import type { Cache } from '../net/cache.ts';
import type { Pace } from '../net/pace.ts';
import type { RetryBudget } from '../net/retry-budget.ts';
import type { SingleFlight } from '../net/single-flight.ts';
import type { Upstream } from '../net/upstream.ts';
import type { KeyRing } from './key-ring.ts';
import type { HealthBook } from './provider-health.ts';
import type { ReadyProvider } from './ready-provider.ts';

/** A model that is set up. */
export interface ReadyModel {
  api: ModelApi;
  settings: ModelSettings;
}

/** What every part of a call may use. */
interface BaseServices {
  config: Config;
  clock: Clock;
  random(): number;
  log: Logger;
  /** What gateways on one PostgreSQL have in common: limits, turns, leases and marks. */
  shared: Shared;
  /** Absent unless traces are collected. */
  tracer: Tracer | undefined;
}

/** What it takes to ask a provider or a model, and to account for it. */
export interface RoutingServices extends BaseServices {
  providers: ReadyProvider[];
  keyRing: KeyRing;
  upstream: Pick<Upstream, 'send'>;
  pace: Pace;
  breaker: Pick<Breaker, 'run' | 'state'>;
  /** How the latest attempts at each provider went. */
  health: HealthBook;
  retryBudget: RetryBudget;
  cache: Pick<Cache<unknown>, 'get' | 'set'> | undefined;
  flights: SingleFlight;
  /** The local index; nothing is opened before the first call. */
  library: Libraries;
  /** What a replay searches that has no recorded answer; absent elsewhere. */
  frozen?: {
    /** Only what was recorded is answered. */
    isExact: boolean;
    library(signal: AbortSignal): Promise<Libraries>;
    /** A request that was not recorded got an answer. */
    answered(error: HeadgateError): void;
  };
  /** The language model, when one is configured. */
  model: ReadyModel | undefined;
  /** Absent when there is neither a limit nor a budget. */
  meter: Books | undefined;
}

/** A call and what it may use; passed as one down the whole road. */
export interface Ctx<Needs extends RoutingServices = RoutingServices> {
  call: Call;
  services: Needs;
}
