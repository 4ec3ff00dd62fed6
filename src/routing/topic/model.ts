import trained from './weights.json' with { type: 'json' };
import { INTENTS, type Intent } from '../../core/query.ts';
import { fold } from '../../rank/tokenise.ts';
import { grams } from '../../rank/grams.ts';

/** What a query is probably about: every intent with its share; the shares sum to one. */
export function sharesOf(query: string): Map<Intent, number> {
  const { buckets, weight } = featuresOf(query);
  const weights = table();
  const sums = new Float64Array(INTENTS.length);
  for (const bucket of buckets) {
    const from = bucket * INTENTS.length;
    for (let label = 0; label < sums.length; label += 1)
      sums[label] = (sums[label] ?? 0) + (weights[from + label] ?? 0);
  }
  const powers = Array.from(sums, (sum, label) =>
    Math.exp(sum * weight * trained.scale + (trained.bias[label] ?? 0)),
  );
  const whole = powers.reduce((sum, power) => sum + power, 0);
  return new Map(INTENTS.map((intent, label) => [intent, (powers[label] ?? 0) / whole]));
}

let known: Int8Array | undefined;

/** The weights of all buckets, unpacked at the first query. */
function table(): Int8Array {
  if (known !== undefined) return known;
  known = new Int8Array(BUCKETS * INTENTS.length);
  for (const [label, packed] of trained.weights.entries()) {
    const bytes = Buffer.from(packed, 'base64');
    // Twelve bits each: the distance to the bucket before, and a weight; a weight of zero only moves on.
    for (let at = 0, bucket = 0; at * 1.5 + 1 < bytes.length; at += 1) {
      const pair = bytes.readUInt16BE(Math.floor(at * 1.5));
      const entry = at % 2 === 0 ? pair >>> 4 : pair & 0xfff;
      bucket += entry >>> 5;
      known[bucket * INTENTS.length + label] = (entry & 31) - 16;
    }
  }
  return known;
}

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
