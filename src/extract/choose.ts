/** Blocks below this chance are never kept, whatever the page looks like. */
const CHANCE_MIN = 0.1;
/** A page this clear is parted at one chance, a little above one half: there precision is what is left to win. */
const CLEAR_F1 = 0.85;
const CLEAR_CHANCE = 0.55;

/** One chance from those of the two stages: the mean of their log odds, in which the second, which knows more, counts twice. */
export function combine(first: number, second: number): number {
  const odds = (chance: number): number => Math.log((chance + 1e-6) / (1 - chance + 1e-6));
  return 1 / (1 + Math.exp(-(odds(first) + 2 * odds(second)) / 3));
}

/**
 * Keeps the blocks that make the expected F1 of the page largest. On pages full of doubt that is more than the likely ones, because
 * leaving out half of the text costs more than keeping some that is not.
 */
export function chooseBlocks(words: Float64Array, chances: Float32Array): Uint8Array {
  const order = Array.from(chances.keys()).sort(
    (a, b) => (chances[b] as number) - (chances[a] as number) || a - b,
  );
  const expected = order.reduce(
    (sum, index) => sum + (chances[index] as number) * (words[index] as number),
    0,
  );
  let [hit, size, best, count] = [0, 0, 0, 0];
  for (const [rank, index] of order.entries()) {
    if ((chances[index] as number) < CHANCE_MIN) break;
    hit += (chances[index] as number) * (words[index] as number);
    size += words[index] as number;
    const score = (2 * hit) / Math.max(1e-9, size + expected);
    if (score >= best) {
      best = score;
      count = rank + 1;
    }
  }
  if (best >= CLEAR_F1) return Uint8Array.from(chances, (chance) => Number(chance > CLEAR_CHANCE));
  const keep = new Uint8Array(chances.length);
  for (const index of order.slice(0, count)) keep[index] = 1;
  return keep;
}
