import { fold } from '../../rank/tokenise.ts';
import { grams } from '../../rank/grams.ts';

/** How many different features there are; others share one. */
export const BUCKETS = 65_536;

const CHARS_MAX = 400;
const WORD = /[\p{L}\p{N}]+(?:[+#]+)?/gu;

/**
 * The features of a query: hashed words and grams of four characters, each once, with the weight that all of them
 * have. Nothing else of the query is looked at, so a query costs a few microseconds.
 */
export function featuresOf(query: string): { buckets: Uint32Array; weight: number } {
  const text = fold(query.slice(0, CHARS_MAX));
  const words = text.match(WORD) ?? [];
  const found = new Set<number>();
  for (const word of words) found.add(hashOf(word));
  for (const gram of grams(text)) found.add(gram % BUCKETS);
  const buckets = Uint32Array.from(found);
  return { buckets, weight: buckets.length === 0 ? 0 : 1 / Math.sqrt(buckets.length) };
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) & (BUCKETS - 1);
}
