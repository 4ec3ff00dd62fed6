import { LIMITS } from '../../core/limits.ts';
import type { Postings } from './postings.ts';

/** Keeps the postings that were asked for lately: people ask about the same things, and a read of the disk's cache costs more than most lists take to score. */
export function createPostingsCache(read: (at: number) => Postings): (at: number) => Postings {
  const known = new Map<number, Postings>();
  let bytes = 0;
  return (at) => {
    const found = known.get(at) ?? read(at);
    // The order of a map is that of insertion, so that the first is the one that was asked longest ago.
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
