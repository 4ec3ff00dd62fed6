import { HeadgateError } from '../core/errors.ts';
import { own } from '../core/own-text.ts';
import { onAbort } from '../core/on-abort.ts';
import { abortFailure } from './failure.ts';

export interface Slots {
  /** Waits for a slot of the key; call the result to free it. */
  take(key: string, signal: AbortSignal): Promise<() => void>;
}

interface Lane {
  active: number;
  queue: (() => void)[];
}

/** At most `max` at a time per key, first come, first served, with a bounded queue. */
export function createSlots({ max, queueMax }: { max: number; queueMax: number }): Slots {
  const lanes = new Map<string, Lane>();
  const release = (key: string, lane: Lane) => {
    const next = lane.queue.shift();
    if (next !== undefined) {
      next();
      return;
    }
    lane.active -= 1;
    if (lane.active === 0) lanes.delete(key);
  };
  const once = (action: () => void) => {
    let done = false;
    return () => {
      if (!done) action();
      done = true;
    };
  };
  return {
    take: async (key, signal) => {
      if (signal.aborted) throw abortFailure(signal);
      const lane = lanes.get(key) ?? { active: 0, queue: [] };
      lanes.set(key, lane);
      if (lane.active < max) lane.active += 1;
      else if (lane.queue.length < queueMax) await queued(lane, signal);
      else {
        throw new HeadgateError(
          'rate_limited',
          own`${queueMax} fetches already wait for ${max} slots. Try again later.`,
        );
      }
      return once(() => release(key, lane));
    },
  };
}

function queued(lane: Lane, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const go = () => {
      stopListening();
      resolve();
    };
    lane.queue.push(go);
    const stopListening = onAbort(signal, () => {
      lane.queue.splice(lane.queue.indexOf(go), 1);
      reject(abortFailure(signal));
    });
  });
}
