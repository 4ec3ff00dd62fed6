/** A growing buffer for numbers that are mostly small. */
export interface ByteWriter {
  readonly length: number;
  byte(value: number): void;
  /** Seven bits per byte, the last one without the high bit. Non-negative, below 2^53. */
  varint(value: number): void;
  /** Reserves bytes that are filled later. */
  skip(count: number): void;
  /** A range that was already written or skipped; valid until the next write. */
  view(start: number, count: number): DataView;
  bytes(): Uint8Array;
}

export function createByteWriter(sizeFirst = 64): ByteWriter {
  let buffer = new Uint8Array(sizeFirst);
  let length = 0;
  const room = (more: number) => {
    if (length + more <= buffer.length) return;
    const larger = new Uint8Array(Math.max(buffer.length * 2, length + more));
    larger.set(buffer);
    buffer = larger;
  };
  return {
    get length() {
      return length;
    },
    byte: (value) => {
      room(1);
      buffer[length++] = value;
    },
    varint: (value) => {
      room(8);
      let rest = value;
      while (rest > 0x7f) {
        buffer[length++] = (rest & 0x7f) | 0x80;
        rest = rest < 0x80000000 ? rest >>> 7 : Math.floor(rest / 128);
      }
      buffer[length++] = rest;
    },
    skip: (count) => {
      room(count);
      length += count;
    },
    view: (start, count) => new DataView(buffer.buffer, start, count),
    bytes: () => buffer.subarray(0, length),
  };
}

/** A 53-bit hash of a text. For a million texts the chance of a collision is one in ten thousand. */
export function hash53(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (0x1fffff & low) + (high >>> 0);
}

/** The index of a value in a sorted array, or -1. */
export function find(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = sorted[middle] ?? 0;
    if (found === value) return middle;
    if (found < value) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
