import { LIMITS } from '../core/limits.ts';

/**
 * State per key with bounded memory. When there are too many keys, the least recently used one is dropped,
 * unless `busy` says that it is in use.
 */
export function createKeyed<State>(
  create: () => State,
  busy: (state: State) => boolean = () => false,
): { get(key: string): State; peek(key: string): State | undefined; readonly size: number } {
  const states = new Map<string, State>();
  return {
    get size() {
      return states.size;
    },
    peek: (key) => states.get(key),
    get: (key) => {
      const state = states.get(key) ?? create();
      // Re-inserting keeps the map in order of use.
      states.delete(key);
      states.set(key, state);
      if (states.size > LIMITS.keysMax) {
        const oldest = [...states].find(([other, value]) => other !== key && !busy(value));
        if (oldest !== undefined) states.delete(oldest[0]);
      }
      return state;
    },
  };
}
