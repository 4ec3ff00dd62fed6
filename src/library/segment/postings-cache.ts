import { LIMITS } from '../../core/limits.ts';
import type { Postings } from './postings.ts';

/**
 * Caches recently used postings: queries repeat, and reading from the disk cache costs more than scoring most
 * lists.
 */
export function createPostingsCache(read: (at: number) => Postings): (at: number) => Postings {
  const known = new Map<number, Postings>();
  let bytes = 0;
  return (at) => {
    const found = known.get(at) ?? read(at);
    // A map keeps insertion order, so the first entry is the least recently used.
    if (known.delete(at)) bytes -= found.bytes.length;
    known.set(at, found);
    bytes += found.bytes.length;
    for (const [oldest, { bytes: body }] of known) {
      if (bytes <= LIMITS.libraryPostingsBytesMax) break;
      known.delete(oldest);
      bytes -= body.length;
    }
    return found;
  };
}
