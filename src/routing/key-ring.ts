import { createHash } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { HeadgateError } from '../core/errors.ts';
import { failureOfFault, faultOf } from '../core/fault.ts';
import { LIMITS } from '../core/limits.ts';
import { createMemoryShared, type Shared } from '../core/shared.ts';
import type { Turn } from '../net/retry-budget.ts';
import type { ReadyProvider } from './ready-provider.ts';

/** A candidate of routing: one provider with one of its keys. */
export interface Candidate {
  /** `tavily#1`; identifies the key without containing it. */
  id: string;
  /** Names the key in pace, breaker and cooldown, at every gateway alike: they may list their keys in another order. */
  lane?: string;
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

/** Tracks which keys are in cooldown, in monotonic time: setting the system clock neither lengthens nor ends one. */
export function createKeyRing(options: { clock: Clock; shared?: Pick<Shared, 'mark' | 'marked'> }): KeyRing {
  const { clock, shared = createMemoryShared({ clock }) } = options;
  const lanes = new Map<string, string>();
  const nameOf = (provider: string, key: string): string => {
    const name = `${provider} ${key}`;
    const lane =
      lanes.get(name) ?? `${provider}#${createHash('sha256').update(name).digest('hex').slice(0, 12)}`;
    lanes.set(name, lane);
    return lane;
  };

  const all = (ready: ReadyProvider): Candidate[] => {
    const keys: (string | undefined)[] = ready.keys.length === 0 ? [undefined] : ready.keys;
    return keys.map((key, index) => ({
      id: `${ready.provider.id}#${index}`,
      lane: nameOf(ready.provider.id, key ?? ''),
      ready,
      key,
      label: keys.length > 1 ? `key ${index + 1}` : undefined,
    }));
  };
  const restOf = (candidate: Candidate): Cooldown | undefined => {
    const mark = shared.marked(`cooldown ${laneOf(candidate)}`);
    if (mark === undefined) return undefined;
    const error = failureOfFault(mark.value);
    return { until: clock.now() + mark.endsAt - clock.monotonic(), reason: error.message, error };
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
      const restMs = error.isUnasked ? 0 : cooldownMs(error);
      if (restMs <= 0) return;
      const mark = { endsAt: clock.monotonic() + restMs, value: faultOf(error) };
      shared.mark(`cooldown ${laneOf(candidate)}`, mark);
    },
  };
}

/** What a candidate is called in pace, breaker and cooldown. */
export const laneOf = ({ lane, id }: Pick<Candidate, 'lane' | 'id'>): string => lane ?? id;

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
