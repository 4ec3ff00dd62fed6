import type { Config } from '../config/schema.ts';
import type { Clock } from '../core/clock.ts';
import type { HttpRequest, HttpResponse } from '../core/http.ts';
import type { Logger } from '../core/log.ts';
import type { Meter } from '../meter/meter.ts';
import type { Provider } from '../providers/provider.ts';
import type { KeyRing } from './key-ring.ts';

/** A provider that is set up: its settings are checked and its keys are known. */
export interface ReadyProvider {
  provider: Provider;
  settings: Record<string, unknown>;
  keys: string[];
  paceMs: number;
}

/** Sends one request to a provider's API; answers of any status come back as data. */
export interface Upstream {
  send(
    request: HttpRequest,
    options: { signal: AbortSignal; provider: string; timeoutMs?: number; bytesMax?: number },
  ): Promise<HttpResponse>;
}

export interface Pace {
  wait(key: string, intervalMs: number, signal: AbortSignal): Promise<void>;
}

export interface Breaker {
  run<Value>(key: string, attempt: () => Promise<Value>): Promise<Value>;
}

export interface Cache {
  get(key: string): unknown;
  set(key: string, value: unknown, sizeBytes: number): void;
}

export interface SingleFlight {
  run<Value>(key: string, work: (signal: AbortSignal) => Promise<Value>, signal: AbortSignal): Promise<Value>;
}

/** Everything an operation may use, built once by headgate.ts. */
export interface Services {
  config: Config;
  clock: Clock;
  random(): number;
  log: Logger;
  providers: ReadyProvider[];
  keyRing: KeyRing;
  upstream: Upstream;
  pace: Pace;
  breaker: Breaker;
  cache: Cache | undefined;
  flights: SingleFlight;
  /** Absent when nobody set a limit or a budget. */
  meter: Pick<Meter, 'hold' | 'settle' | 'release'> | undefined;
}
