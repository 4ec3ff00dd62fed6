import type { Clock } from '../core/clock.ts';
import type { FailureCode, HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { Outcome } from '../core/outcome.ts';
import { providers } from '../providers/index.ts';
import { laneOf, type KeyRing } from './key-ring.ts';
import type { ReadyProvider } from './ready-provider.ts';

/** `unknown` until the first attempt; `degraded` fails some of the time; `down` fails always. */
export const HEALTH_STATES = ['unknown', 'ok', 'degraded', 'down'] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

/** The health of a provider, by its recent attempts. */
export interface Health {
  state: HealthState;
  attempts: number;
  failures: number;
  /** The time of the last attempt, and of the last one that was good. */
  lastAt?: number;
  lastGoodAt?: number;
  /** Nineteen of twenty answers in the last hour took no longer. */
  p95Ms?: number;
  /** Why the last attempt failed, or why the provider cannot be used now. */
  reason?: string;
}

export interface HealthBook {
  answered(provider: string, outcome: Outcome, how?: { reason?: string | undefined; ms?: number }): void;
  failed(provider: string, error: HeadgateError): void;
  of(provider: string): Health;
  /** The median time of an answer in the last hour; undefined when there was none. A failure counts as the longest wait. */
  medianMs(provider: string): number | undefined;
}

interface Noted {
  at: number;
  /** In monotonic time. */
  madeAt: number;
  isGood: boolean;
  reason: string | undefined;
}

/** Tracks the latest attempts of every provider. */
export function createHealthBook({ clock }: { clock: Clock }): HealthBook {
  const noted = new Map<string, Noted[]>();
  const lastGood = new Map<string, number>();
  const times = new Map<string, { madeAt: number; ms: number }[]>();
  const timesOf = (provider: string) =>
    since(times.get(provider), clock.monotonic() - LIMITS.latencyWindowMs);
  const time = (provider: string, ms: number): void =>
    append(times, provider, { madeAt: clock.monotonic(), ms }, LIMITS.latencySamplesMax);
  const recent = (provider: string): Noted[] =>
    since(noted.get(provider), clock.monotonic() - LIMITS.healthWindowMs);
  const note = (provider: string, isGood: boolean, reason: string | undefined): void => {
    if (!noted.has(provider) && !providers.some(({ id }) => id === provider)) return;
    const at = clock.now();
    append(noted, provider, { at, madeAt: clock.monotonic(), isGood, reason }, LIMITS.healthAttemptsMax);
    if (isGood) lastGood.set(provider, at);
  };
  /** What is known beyond the state. */
  const moreOf = (provider: string): Pick<Health, 'lastGoodAt' | 'p95Ms'> => {
    const lastGoodAt = lastGood.get(provider);
    const answers = sortedMs(timesOf(provider)).filter((ms) => ms < LIMITS.providerTimeoutMs);
    const p95Ms = answers[Math.ceil(answers.length * 0.95) - 1];
    return {
      ...(lastGoodAt === undefined ? {} : { lastGoodAt }),
      ...(p95Ms === undefined ? {} : { p95Ms }),
    };
  };
  return {
    answered: (provider, outcome, { reason, ms } = {}) => {
      note(provider, outcome === 'ok' || outcome === 'empty', reason);
      if (ms !== undefined) time(provider, outcome === 'degraded' ? LIMITS.providerTimeoutMs : ms);
    },
    failed: (provider, error) => {
      if (!TELLING.has(error.code) || error.isUnasked) return;
      note(provider, false, error.message);
      time(provider, LIMITS.providerTimeoutMs);
    },
    medianMs: (provider) => {
      const sorted = sortedMs(timesOf(provider));
      return sorted[Math.floor((sorted.length - 1) / 2)];
    },
    of: (provider) => {
      const list = recent(provider);
      const last = list.at(-1);
      if (last === undefined) return { state: 'unknown', attempts: 0, failures: 0, ...moreOf(provider) };
      const bad = list.filter((one) => !one.isGood);
      const reason = bad.at(-1)?.reason;
      const state = stateOf(list.length, bad.length, last.isGood);
      return {
        state,
        attempts: list.length,
        failures: bad.length,
        lastAt: last.at,
        ...moreOf(provider),
        ...(state === 'ok' || reason === undefined ? {} : { reason }),
      };
    },
  };
}

const since = <One extends { madeAt: number }>(list: One[] = [], madeAfter: number): One[] =>
  list.filter((one) => one.madeAt > madeAfter);

/** Every answer is noted, so that the oldest is dropped in place. */
function append<One>(lists: Map<string, One[]>, name: string, one: One, max: number): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [one]);
  else if (list.push(one) > max) list.shift();
}

const sortedMs = (times: { ms: number }[]): number[] => times.map(({ ms }) => ms).sort((a, b) => a - b);

/** A single failure among many later successes does not count. */
const stateOf = (attempts: number, failures: number, isLastGood: boolean): HealthState =>
  failures === attempts ? 'down' : isLastGood && failures * 10 <= attempts ? 'ok' : 'degraded';

/**
 * Failures that say something about the provider. A refused budget, an invalid query or a cancelled call does
 * not.
 */
const TELLING: ReadonlySet<FailureCode> = new Set([
  'upstream_authentication',
  'upstream_quota',
  'upstream_rate_limit',
  'upstream_blocked',
  'upstream_bad_answer',
  'upstream_unavailable',
  'upstream_timeout',
  'network_error',
  'tls_error',
]);

interface Watched {
  health: HealthBook;
  keyRing: Pick<KeyRing, 'candidates' | 'nextCooldown'>;
  breaker: { state(key: string): { state: string; reason?: string } };
}

/** The health of a provider: its attempts, its cooldowns and its circuit breakers. */
export function healthOf(ready: ReadyProvider, services: Watched): Health {
  const { keyRing, breaker } = services;
  const seen = services.health.of(ready.provider.id);
  const usable = keyRing.candidates(ready);
  if (usable.length === 0)
    return { ...seen, state: 'down', ...reasonOf(keyRing.nextCooldown(ready)?.reason) };
  const broken = usable
    .map((candidate) => breaker.state(laneOf(candidate)))
    .filter(({ state }) => state !== 'closed');
  // A circuit that lets one try through has not had an answer yet.
  if (broken.length === usable.length) return { ...seen, state: 'down', ...reasonOf(broken[0]?.reason) };
  const isWhole = broken.length === 0 && usable.length === Math.max(1, ready.keys.length);
  return isWhole || seen.state !== 'ok' ? seen : { ...seen, state: 'degraded' };
}

/** The keys whose quota is used up, numbered from one. */
export const exhaustedKeys = (
  ready: ReadyProvider,
  { keyRing }: { keyRing: Pick<KeyRing, 'all' | 'cooldownOf'> },
): { key: number; until: number }[] =>
  keyRing.all(ready).flatMap((candidate, index) => {
    const cooldown = keyRing.cooldownOf(candidate);
    return cooldown?.error.code === 'upstream_quota' ? [{ key: index + 1, until: cooldown.until }] : [];
  });

const reasonOf = (reason: string | undefined) => (reason === undefined ? {} : { reason });
