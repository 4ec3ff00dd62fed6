/** Blocks below this chance are never kept, whatever the page looks like. */
const CHANCE_MIN = 0.1;

/**
 * Keeps the blocks that make the expected F1 of the page largest: where the model is sure this parts the page at one half, on pages
 * full of doubt it keeps more, because leaving out half of the likely text costs more than some that is not.
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
  const keep = new Uint8Array(chances.length);
  for (const index of order.slice(0, count)) keep[index] = 1;
  return keep;
}
