import type { Caller } from '../../core/call.ts';
import type { Clock } from '../../core/clock.ts';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { LIMITS } from '../../core/limits.ts';
import type { KeyScope } from '../../core/grant.ts';
import { webToolsOf } from '../../store/agent-settings.ts';
import type { KeyHolder, Keys } from '../../store/keys.ts';
import { createRateLimit } from './rate-limit.ts';

/** The caller and its permissions. */
export interface Identity {
  caller: Caller;
  /** The key in the request; absent for calls without one. */
  holder?: KeyHolder;
}

export interface Identify {
  /** Identifies the caller by key and address, or throws `unauthenticated` or `rate_limited`. */
  (key: string | undefined, address: string): Promise<Identity>;
  /** Clears the cache, because keys were created or revoked here. */
  forget(): void;
}

export interface IdentifyOptions {
  keys: Keys;
  clock: Clock;
  requestsPerMinute: number;
  /** `whileNoKeys` serves everybody until the first key exists, which is right only on a loopback address. */
  keyless: 'always' | 'never' | 'whileNoKeys';
  /** How long a key is cached; 0 reads the store for every call. */
  knownMs?: number;
}

/**
 * What is known about a key is kept for a second: revoked through this gateway it is refused by the next call, revoked by
 * another process a second later. An address that shows many wrong keys must wait; keys that were right lately are exempt,
 * so that a guesser cannot lock out a neighbour behind the same address.
 */
export function createIdentify(options: IdentifyOptions): Identify {
  const { keys, clock, keyless, knownMs = LIMITS.keyKnownMs } = options;
  const namesMax = LIMITS.clientsMax;
  const requests = createRateLimit({ clock, perMinute: options.requestsPerMinute, namesMax });
  const guesses = createRateLimit({ clock, perMinute: LIMITS.keyGuessesPerMinute, namesMax });
  const lately = createRecent(namesMax);
  let known = new Map<string, { holder: KeyHolder; until: number }>();
  let openUntil = 0;
  let hasKeys = false;

  const isOpen = async (): Promise<boolean> => {
    if (keyless === 'never' || hasKeys) return false;
    if (clock.monotonic() < openUntil) return true;
    hasKeys = await keys.any();
    openUntil = clock.monotonic() + knownMs;
    return !hasKeys;
  };
  const holderOf = async (key: string): Promise<KeyHolder> => {
    const found = known.get(key);
    if (found !== undefined && clock.monotonic() < found.until) return found.holder;
    const holder = await keys.authenticate(key);
    if (known.size >= namesMax) known.clear();
    known.set(key, { holder, until: clock.monotonic() + knownMs });
    return holder;
  };
  const anonymous = (address: string): Identity => {
    pass(requests.take(`address ${address}`));
    return { caller: {} };
  };
  const named = async (key: string, address: string): Promise<Identity> => {
    if (!lately.has(key)) pass(guesses.peek(address));
    try {
      const holder = await holderOf(key);
      lately.add(key);
      pass(requests.take(`key ${holder.id}`));
      return { caller: callerOf(holder), holder };
    } catch (thrown) {
      if (HeadgateError.from(thrown).code !== 'unauthenticated') throw thrown;
      known.delete(key);
      lately.delete(key);
      guesses.take(address);
      throw thrown;
    }
  };
  const identify = async (key: string | undefined, address: string): Promise<Identity> => {
    if (await isOpen()) return anonymous(address);
    if (key !== undefined) return named(key, address);
    if (keyless === 'always') return anonymous(address);
    throw new HeadgateError('unauthenticated', 'An API key is required.');
  };
  const forget = (): void => {
    known = new Map();
    openUntil = 0;
  };
  return Object.assign(identify, { forget });
}

/**
 * Throws unless the caller has one of these scopes; whoever needs no key has all but the administration's. It is for doors that
 * lead to no operation: what an operation needs is checked when it is performed.
 */
export function requireScope({ holder }: Identity, ...scopes: KeyScope[]): void {
  const held = (scope: KeyScope) =>
    holder === undefined ? !scope.startsWith('admin') : holder.scopes.includes(scope);
  if (scopes.some(held)) return;
  throw new HeadgateError('forbidden', own`This API key may not be used for ${named(scopes.join(', '))}.`, {
    remediation: 'Use a key with that scope.',
  });
}

const callerOf = (holder: KeyHolder): Caller => ({
  workspace: holder.workspace,
  key: holder.id,
  ...(holder.agent === null ? {} : { agent: holder.agent }),
  grant: {
    scopes: holder.scopes,
    ...(holder.settings === undefined ? {} : { tools: webToolsOf(holder.settings) }),
  },
});

function pass(refused: { retryAfterMs: number } | undefined): void {
  if (refused === undefined) return;
  throw new HeadgateError('rate_limited', 'Too many requests.', {
    remediation: 'Wait and try again.',
    retryAfterMs: refused.retryAfterMs,
  });
}

/** A bounded set that drops the oldest entry. */
function createRecent(max: number) {
  const seen = new Set<string>();
  return {
    has: (value: string) => seen.has(value),
    delete: (value: string) => void seen.delete(value),
    add: (value: string) => {
      seen.delete(value);
      seen.add(value);
      const [oldest] = seen;
      if (seen.size > max && oldest !== undefined) seen.delete(oldest);
    },
  };
}
