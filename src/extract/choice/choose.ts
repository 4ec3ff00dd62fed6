/** Blocks below this probability are never kept. */
const CHANCE_MIN = 0.1;
/** If no block reaches this probability, the page is an empty shell and shows only its footer. */
const BEST_MIN = 0.2;

const odds = (chance: number): number => Math.log((chance + 1e-6) / (1 - chance + 1e-6));
const chanceOf = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds));

/**
 * Combines the probabilities of the two stages: the mean of their log odds, with double weight for the
 * second stage.
 */
export const settle = (paths: Int32Array, first: Float32Array, second: Float32Array): Float32Array =>
  agree(
    paths,
    first.map((chance, index) => chanceOf((odds(chance) + 2 * odds(second[index] as number)) / 3)),
  );

/**
 * Averages each block's log odds with those of all blocks of the same structure: rows, cards and posts are
 * content together or not at all. `paths` numbers the structures from zero.
 */
export function agree(paths: Int32Array, chances: Float32Array): Float32Array {
  const sums = new Float64Array(chances.length);
  const counts = new Float64Array(chances.length);
  for (const [index, path] of paths.entries()) {
    sums[path] = (sums[path] as number) + odds(chances[index] as number);
    counts[path] = (counts[path] as number) + 1;
  }
  return chances.map((chance, index) => {
    const path = paths[index] as number;
    return chanceOf((odds(chance) + (sums[path] as number) / (counts[path] as number)) / 2);
  });
}

/**
 * Chooses the blocks that maximise the expected F1 of the page. On doubtful pages this keeps blocks below
 * one half, because losing half of the text costs more than keeping some boilerplate.
 */
export function chooseBlocks(words: Float64Array, chances: Float32Array): Uint8Array {
  const order = Array.from(chances.keys()).sort(
    (a, b) => (chances[b] as number) - (chances[a] as number) || a - b,
  );
  const expected = order.reduce(
    (sum, index) => sum + (chances[index] as number) * (words[index] as number),
    0,
  );
  const keep = new Uint8Array(chances.length);
  if ((chances[order[0] ?? 0] ?? 0) < BEST_MIN) return keep;
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
  for (const index of order.slice(0, count)) keep[index] = 1;
  return keep;
}
