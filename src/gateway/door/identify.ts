import type { Caller } from '../../core/call.ts';
import type { Clock } from '../../core/clock.ts';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { LIMITS } from '../../core/limits.ts';
import type { KeyScope } from '../../core/grant.ts';
import type { Refused, RequestWindow, Shared } from '../../core/shared.ts';
import { webToolsOf } from '../../store/agent-settings.ts';
import type { KeyHolder, Keys } from '../../store/keys.ts';
import { isInNetworks } from '../../store/networks.ts';
import { perMinute } from './rate-limit.ts';
import { isForPlace } from './resource.ts';

/** The caller and its permissions. */
export interface Identity {
  caller: Caller;
  /** The key in the request; absent for calls without one. */
  holder?: KeyHolder;
}

export interface Identify {
  /**
   * Identifies the caller by key and address, or throws `unauthenticated` or `rate_limited`. `place` is the
   * protected resource that is used: an access token is only valid for its own.
   */
  (key: string | undefined, address: string, place?: string): Promise<Identity>;
  /** Clears the cache, because keys were created or revoked here. */
  forget(): void;
}

export interface IdentifyOptions {
  keys: Keys;
  clock: Clock;
  shared: Pick<Shared, 'take'>;
  /** How many requests one key or address may make. */
  requests: RequestWindow;
  /** `whileNoKeys` serves everybody until the first key exists, which is right only on a loopback address. */
  keyless: 'always' | 'never' | 'whileNoKeys';
  /** How long a key is cached; 0 reads the store for every call. */
  knownMs?: number;
  /** The origin of the resources that access tokens are for; without it no access token is valid. */
  publicUrl?: string | undefined;
  /** Identifies the holder of a token that is not one of ours, if those of another server are accepted. */
  foreign?: ((token: string, place: string) => Promise<KeyHolder>) | undefined;
}

/**
 * Identifies callers by key and caches keys for one second: a key revoked by another process works that much
 * longer. Addresses with many wrong keys are delayed; recently valid keys are exempt, so that a guesser
 * cannot lock out others behind the same address.
 */
export function createIdentify(options: IdentifyOptions): Identify {
  const { keys, clock, keyless, shared, requests, knownMs = LIMITS.keyKnownMs } = options;
  const namesMax = LIMITS.clientsMax;
  // After a crash of the server nobody is refused for guesses of others that nobody knows of.
  const guesses = { ...perMinute(LIMITS.keyGuessesPerMinute), forgets: true as const };
  const recentlyValidKeys = createRecent(namesMax);
  let authCache = new Map<string, { holder: KeyHolder; until: number }>();
  let openUntil = 0;
  let hasKeys = false;

  const isOpen = async (): Promise<boolean> => {
    if (keyless === 'never' || hasKeys) return false;
    if (clock.monotonic() < openUntil) return true;
    hasKeys = await keys.any();
    openUntil = clock.monotonic() + knownMs;
    return !hasKeys;
  };
  /** What a foreign token allows depends on where it is used. */
  const cacheKeyOf = (key: string, place: string): string =>
    options.foreign === undefined || isOurs(key) ? key : `${place} ${key}`;
  const holderOf = async (key: string, place: string): Promise<KeyHolder> => {
    const cacheKey = cacheKeyOf(key, place);
    const found = authCache.get(cacheKey);
    if (found !== undefined && clock.monotonic() < found.until) return found.holder;
    const holder =
      options.foreign === undefined || isOurs(key)
        ? await keys.authenticate(key)
        : await options.foreign(key, place);
    if (authCache.size >= namesMax) authCache.clear();
    authCache.set(cacheKey, { holder, until: clock.monotonic() + knownMs });
    return holder;
  };
  const anonymous = async (address: string): Promise<Identity> => {
    pass(await shared.take(`address ${address}`, requests));
    return { caller: {} };
  };
  const named = async (key: string, address: string, place: string): Promise<Identity> => {
    if (!recentlyValidKeys.has(key)) pass(await shared.take(`guess ${address}`, guesses, true));
    try {
      const holder = await holderOf(key, place);
      if (holder.resource !== undefined && !isForPlace(holder.resource, place, options.publicUrl))
        throw new HeadgateError('unauthenticated', 'The access token is for another address.');
      recentlyValidKeys.add(key);
      if (!isInNetworks(address, holder.networks))
        throw new HeadgateError('forbidden', 'This API key may not be used from this address.', {
          remediation: 'Use it from one of its networks, or ask the operator to add yours.',
        });
      pass(await shared.take(`key ${holder.id}`, requests));
      return { caller: callerOf(holder), holder };
    } catch (thrown) {
      if (HeadgateError.from(thrown).code !== 'unauthenticated') throw thrown;
      authCache.delete(cacheKeyOf(key, place));
      recentlyValidKeys.delete(key);
      await shared.take(`guess ${address}`, guesses);
      throw thrown;
    }
  };
  const identify = async (key: string | undefined, address: string, place = ''): Promise<Identity> => {
    if (await isOpen()) return anonymous(address);
    if (key !== undefined) return named(key, address, place);
    if (keyless === 'always') return anonymous(address);
    throw new HeadgateError('unauthenticated', 'An API key is required.');
  };
  const forget = (): void => {
    authCache = new Map();
    openUntil = 0;
  };
  return Object.assign(identify, { forget });
}

/** Whether a secret is one of this gateway, by its form. */
const isOurs = (key: string): boolean => key.startsWith('hg_');

/**
 * Throws unless the caller has one of these scopes; callers without a key have all except admin scopes. Only
 * for routes without an operation, as `perform` checks operations itself.
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
  ...(holder.person === null ? {} : { person: holder.person }),
  grant: {
    scopes: holder.scopes,
    ...(holder.settings === undefined ? {} : { tools: webToolsOf(holder.settings) }),
  },
});

function pass(refused: Refused | undefined): void {
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
