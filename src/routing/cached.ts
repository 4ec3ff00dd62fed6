import type { Ctx } from './services.ts';
import { createHash } from 'node:crypto';
import type { Call } from '../core/call.ts';

/**
 * Answers from the cache, joins an equal call in flight, or runs the call. The workspace is part of the key,
 * so tenants never share answers, and so are the rules of the caller; only what `isKeepable` accepts is cached. A call with an idempotency key
 * runs by itself, because it is charged in one commit with its stored answer.
 */
export async function withCache<Value>(
  parts: unknown[],
  isKeepable: (value: Value) => boolean,
  { call, services }: Ctx,
  ask: (call: Call) => Promise<Value>,
  { max_age: maxAge, no_store: noStore = false }: CacheControl = {},
): Promise<{ value: Value; cached: boolean }> {
  // Whoever wants nothing kept joins nobody whose answer is kept.
  const kept = cacheKey(parts, call);
  const key = noStore ? `${kept} no store` : kept;
  const known = services.cache?.get(kept, ageMsMaxOf(maxAge));
  if (known !== undefined) return { value: known as Value, cached: true };
  const keep = (value: Value): void => {
    if (services.cache !== undefined && !noStore && isKeepable(value))
      services.cache.set(key, value, JSON.stringify(value).length * 2);
  };
  const askAlone = async (signal: AbortSignal) => {
    const pending: Promise<unknown>[] = [];
    const waitFor = (one: Promise<unknown>): void => void pending.push(ignoreRejection(one));
    const unit = call.unit === undefined ? undefined : { ...call.unit, waitFor };
    const asked = await ask({ ...call, signal, unit });
    return { value: asked, written: ignoreRejection(Promise.all(pending).then(() => keep(asked))) };
  };
  const { value, written } =
    call.unit?.keepsAnswer === true
      ? await askAlone(call.signal)
      : await services.flights.run(key, askAlone, call.signal);
  // Whoever joined waits for what was spent, too, and nothing is kept that was not paid for.
  if (call.unit === undefined) await written;
  else call.unit.waitFor(written);
  return { value, cached: false };
}

/** Prevents an unhandled rejection: every caller may have left before the promise rejects. */
function ignoreRejection<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}

/** What a caller says about the cache, by the names of the contract. */
interface CacheControl {
  max_age?: number | undefined;
  no_store?: boolean | undefined;
}

/** No answer is so new that it would do for a caller who wants none from the cache. */
const ageMsMaxOf = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : seconds === 0 ? -1 : seconds * 1_000;

/** Whether the answer is cached. */
export const isCached = (parts: unknown[], { call, services }: Ctx, control: CacheControl = {}): boolean =>
  services.cache?.get(cacheKey(parts, call), ageMsMaxOf(control.max_age)) !== undefined;

function cacheKey(parts: unknown[], call: Call): string {
  const text = JSON.stringify([call.caller.workspace ?? '', call.gate?.id, ...parts]);
  // Short ones are their own name; long ones would fill the memory.
  return text.length <= KEY_CHARS_MAX ? text : createHash('sha256').update(text).digest('base64');
}

const KEY_CHARS_MAX = 500;
