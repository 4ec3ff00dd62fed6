import type { Clock } from '../core/clock.ts';
import type { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { Turn } from '../net/retry-budget.ts';
import type { ReadyProvider } from './ready-provider.ts';

/** A candidate of routing: one provider with one of its keys. */
export interface Candidate {
  /** `tavily#1`; identifies the key in pace, breaker and cooldown without containing it. */
  id: string;
  ready: ReadyProvider;
  key: string | undefined;
  /** `key 2`, for people, when a provider has several. */
  label: string | undefined;
  /** The call that the candidate is used for. */
  turn?: Turn;
}

/** A cooldown: until when a key is not used, and why. */
export interface Cooldown {
  until: number;
  reason: string;
  error: HeadgateError;
}

export interface KeyRing {
  /** The provider with each of its keys, in order. */
  all(ready: ReadyProvider): Candidate[];
  /** The cooldown of a key, if it is in one. */
  cooldownOf(candidate: Candidate): Cooldown | undefined;
  /** The provider's keys that may be used now. */
  candidates(ready: ReadyProvider): Candidate[];
  /** Why no key may be used: the cooldown that ends first. */
  nextCooldown(ready: ReadyProvider): Cooldown | undefined;
  /** Puts a key into cooldown after a failure that a retry cannot fix. */
  report(candidate: Candidate, error: HeadgateError): void;
}

/** Tracks which keys are in cooldown. */
export function createKeyRing({ clock }: { clock: Clock }): KeyRing {
  /** In monotonic time: setting the system clock neither lengthens nor ends a cooldown. */
  const rests = new Map<string, Omit<Cooldown, 'until'> & { endsAt: number }>();

  const all = (ready: ReadyProvider): Candidate[] => {
    const keys: (string | undefined)[] = ready.keys.length === 0 ? [undefined] : ready.keys;
    return keys.map((key, index) => ({
      id: `${ready.provider.id}#${index}`,
      ready,
      key,
      label: keys.length > 1 ? `key ${index + 1}` : undefined,
    }));
  };
  const restOf = (candidate: Candidate): Cooldown | undefined => {
    const cooldown = rests.get(candidate.id);
    if (cooldown === undefined) return undefined;
    const { endsAt, reason, error } = cooldown;
    const leftMs = endsAt - clock.monotonic();
    return leftMs > 0 ? { until: clock.now() + leftMs, reason, error } : undefined;
  };

  return {
    all,
    cooldownOf: restOf,
    candidates: (ready) => all(ready).filter((candidate) => restOf(candidate) === undefined),
    nextCooldown: (ready) => {
      const waiting = all(ready).flatMap((candidate) => restOf(candidate) ?? []);
      return waiting.sort((a, b) => a.until - b.until)[0];
    },
    report: (candidate, error) => {
      const restMs = cooldownMs(error);
      if (restMs > 0)
        rests.set(candidate.id, { endsAt: clock.monotonic() + restMs, reason: error.message, error });
    },
  };
}

/** How long a key is in cooldown after a failure; 0 when the failure says nothing about the key. */
function cooldownMs(error: HeadgateError): number {
  switch (error.code) {
    case 'upstream_authentication':
      return LIMITS.keyRefusedMs;
    case 'upstream_quota':
      return error.retryAfterMs ?? LIMITS.keyExhaustedMs;
    case 'upstream_rate_limit':
      return error.retryAfterMs ?? LIMITS.keyCooldownMs;
    default:
      return 0;
  }
}
