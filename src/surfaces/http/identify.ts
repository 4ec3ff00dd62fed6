import type { Caller } from '../../core/call.ts';
import type { Clock } from '../../core/clock.ts';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { KeyHolder, Keys, KeyScope } from '../../store/keys.ts';
import { createRateLimit } from './rate-limit.ts';

/** Who calls and what they may do. */
export interface Identity {
  caller: Caller;
  /** The key they showed; absent for calls without one. */
  holder?: KeyHolder;
}

export interface Identify {
  /** Who shows this key from this address, or throws `unauthenticated` or `rate_limited`. */
  (key: string | undefined, address: string): Promise<Identity>;
}

export interface IdentifyOptions {
  keys: Keys;
  clock: Clock;
  requestsPerMinute: number;
  /** `whileNoKeys` serves everybody until the first key exists, which is right only for this machine alone. */
  keyless: 'always' | 'never' | 'whileNoKeys';
}

/**
 * Keys are read from the store at every call, so that a revoked one is refused at once. An address that shows many wrong
 * keys must wait; keys that were right lately are exempt, so that a guesser cannot lock out a neighbour behind the same address.
 */
export function createIdentify(options: IdentifyOptions): Identify {
  const { keys, clock, keyless } = options;
  const namesMax = LIMITS.clientsMax;
  const requests = createRateLimit({ clock, perMinute: options.requestsPerMinute, namesMax });
  const guesses = createRateLimit({ clock, perMinute: LIMITS.keyGuessesPerMinute, namesMax });
  const lately = createRecent(namesMax);
  let hasKeys = false;

  const isOpen = async (): Promise<boolean> => {
    if (keyless === 'never' || hasKeys) return false;
    hasKeys = await keys.any();
    return !hasKeys;
  };
  const anonymous = (address: string): Identity => {
    pass(requests.take(`address ${address}`));
    return { caller: {} };
  };
  const known = async (key: string, address: string): Promise<Identity> => {
    if (!lately.has(key)) pass(guesses.peek(address));
    try {
      const holder = await keys.authenticate(key);
      lately.add(key);
      pass(requests.take(`key ${holder.id}`));
      return { caller: callerOf(holder), holder };
    } catch (thrown) {
      if (HeadgateError.from(thrown).code !== 'unauthenticated') throw thrown;
      lately.delete(key);
      guesses.take(address);
      throw thrown;
    }
  };
  return async (key, address) => {
    if (await isOpen()) return anonymous(address);
    if (key !== undefined) return known(key, address);
    if (keyless === 'always') return anonymous(address);
    throw new HeadgateError('unauthenticated', 'An API key is needed.');
  };
}

/** Throws unless the caller may use this part; whoever needs no key may use all of them but the administration. */
export function requireScope({ holder }: Identity, scope: KeyScope): void {
  const allowed = holder === undefined ? !scope.startsWith('admin') : holder.scopes.includes(scope);
  if (allowed) return;
  throw new HeadgateError('forbidden', `This API key may not be used for ${scope}.`, {
    remediation: 'Use a key with that scope.',
  });
}

const callerOf = (holder: KeyHolder): Caller => ({
  workspace: holder.workspace,
  key: holder.id,
  ...(holder.agent === null ? {} : { agent: holder.agent }),
});

function pass(refused: { retryAfterMs: number } | undefined): void {
  if (refused === undefined) return;
  throw new HeadgateError('rate_limited', 'Too many requests.', {
    remediation: 'Wait and try again.',
    retryAfterMs: refused.retryAfterMs,
  });
}

/** A bounded set that forgets the oldest. */
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
