import type { Clock } from '../core/clock.ts';

/** A change at one gateway applies at the others after this time. */
const KNOWN_MS = 1_000;
const KNOWN_MAX = 1_000;

/** Remembers what was read from the store for a second. What could not be read is asked for again with the next call. */
export function createKnown<Value>(clock: Clock) {
  const known = new Map<string, { until: number; value: Promise<Value> }>();
  return (name: string, load: () => Promise<Value>): Promise<Value> => {
    const now = clock.monotonic();
    const before = known.get(name);
    if (before !== undefined && before.until > now) return before.value;
    if (known.size >= KNOWN_MAX) known.clear();
    const value = load();
    known.set(name, { until: now + KNOWN_MS, value });
    value.catch(() => known.delete(name));
    return value;
  };
}
