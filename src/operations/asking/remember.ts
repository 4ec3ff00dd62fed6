import { createHash } from 'node:crypto';
import type { Call } from '../../core/call.ts';
import type { Services } from '../services.ts';

/**
 * Answers from memory, joins a call that is already asking the same, or asks. The workspace is part of the key, so that
 * nobody sees what another tenant asked; only what `isKeepable` says is kept.
 */
export async function remember<Value>(
  parts: unknown[],
  isKeepable: (value: Value) => boolean,
  call: Call,
  services: Services,
  ask: (call: Call) => Promise<Value>,
): Promise<{ value: Value; cached: boolean }> {
  const key = memoryKey(parts, call);
  const known = services.cache?.get(key);
  if (known !== undefined) return { value: known as Value, cached: true };
  const keep = (value: Value): void => {
    if (services.cache !== undefined && isKeepable(value))
      services.cache.set(key, value, JSON.stringify(value).length * 2);
  };
  const { value, written } = await services.flights.run(
    key,
    async (signal) => {
      const pending: Promise<unknown>[] = [];
      const beforeDelivery = (one: Promise<unknown>): void => void pending.push(unheard(one));
      const asked = await ask({ ...call, signal, beforeDelivery });
      return { value: asked, written: unheard(Promise.all(pending).then(() => keep(asked))) };
    },
    call.signal,
  );
  // Whoever joined waits for what was spent, too, and nothing is kept that was not paid for.
  if (call.beforeDelivery === undefined) await written;
  else call.beforeDelivery(written);
  return { value, cached: false };
}

/** Everybody may have gone before it fails; a failure that nobody waits for must not end the process. */
function unheard<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}

/** Whether the answer is in memory. */
export const isRemembered = (parts: unknown[], call: Call, services: Services): boolean =>
  services.cache?.get(memoryKey(parts, call)) !== undefined;

function memoryKey(parts: unknown[], call: Call): string {
  const text = JSON.stringify([call.caller.workspace ?? '', ...parts]);
  // Short ones are their own name; long ones would fill the memory.
  return text.length <= KEY_CHARS_MAX ? text : createHash('sha256').update(text).digest('base64');
}

const KEY_CHARS_MAX = 500;
