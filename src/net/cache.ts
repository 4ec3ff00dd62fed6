import type { Clock } from '../core/clock.ts';

export interface Cache<Value> {
  /** With `ageMsMax`, only a value that is not older. */
  get(key: string, ageMsMax?: number): Value | undefined;
  set(key: string, value: Value, sizeBytes: number): void;
  delete(key: string): void;
  readonly size: number;
  readonly bytes: number;
}

/** An LRU cache, bounded by entries, bytes and age. */
export function createCache<Value>(options: {
  clock: Clock;
  entriesMax: number;
  bytesMax: number;
  ttlMs: number;
}): Cache<Value> {
  const { clock, entriesMax, bytesMax, ttlMs } = options;
  const entries = new Map<string, { value: Value; sizeBytes: number; expiresAt: number }>();
  let bytes = 0;
  const remove = (key: string) => {
    bytes -= entries.get(key)?.sizeBytes ?? 0;
    entries.delete(key);
  };
  return {
    get size() {
      return entries.size;
    },
    get bytes() {
      return bytes;
    },
    get: (key, ageMsMax = Infinity) => {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      if (entry.expiresAt <= clock.monotonic()) {
        bytes -= entry.sizeBytes;
        return undefined;
      }
      // Re-inserting keeps the map in order of use.
      entries.set(key, entry);
      const ageMs = ttlMs - (entry.expiresAt - clock.monotonic());
      return ageMs <= ageMsMax ? entry.value : undefined;
    },
    set: (key, value, sizeBytes) => {
      remove(key);
      if (sizeBytes > bytesMax || ttlMs <= 0) return;
      entries.set(key, { value, sizeBytes, expiresAt: clock.monotonic() + ttlMs });
      bytes += sizeBytes;
      for (const oldest of entries.keys()) {
        if (entries.size <= entriesMax && bytes <= bytesMax) break;
        remove(oldest);
      }
    },
    delete: remove,
  };
}
