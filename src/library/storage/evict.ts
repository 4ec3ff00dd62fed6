import type { Segment } from '../segment/segment.ts';

/** Evicts down to this share, so that not every addition causes an eviction. */
const FILL = 0.9;

/**
 * The expiring documents to evict, oldest first, so that the rest fits. Documents without expiry are never
 * evicted.
 */
export function evictionCandidates(segments: Segment[], bytesMax: number): Map<string, number[]> {
  const kept = segments.filter(({ expires }) => expires).flatMap(keptOf);
  const gone = new Map<string, number[]>();
  let bytes = kept.reduce((sum, one) => sum + one.bytes, 0);
  if (bytes <= bytesMax) return gone;
  for (const { segment, place, bytes: freed } of kept.sort((a, b) => a.minute - b.minute)) {
    if (bytes <= bytesMax * FILL) break;
    gone.set(segment, [...(gone.get(segment) ?? []), place]);
    bytes -= freed;
  }
  return gone;
}

function keptOf({ name, index, deleted, documents, bytesOf }: Segment) {
  const kept: { segment: string; place: number; minute: number; bytes: number }[] = [];
  for (let place = 0; place < documents; place += 1) {
    if (deleted[place] === 1 || index.expiresMinute[place] === 0) continue;
    kept.push({ segment: name, place, minute: index.addedMinute[place] ?? 0, bytes: bytesOf(place) });
  }
  return kept;
}
