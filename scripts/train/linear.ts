import { BUCKETS, featuresOf } from '../../src/routing/topic/model.ts';

/** A query and how much it belongs to each class; the shares sum to one. */
export interface Example {
  query: string;
  shares: number[];
  /** How much it counts; 1 when absent. */
  mass?: number;
}

/** One row of weights per bucket, one bias per class. */
export interface Linear {
  classes: number;
  weights: Float64Array;
  bias: Float64Array;
}

interface Options {
  rounds?: number;
  /** Pulls weights towards zero. */
  decay?: number;
  /** Keeps only so many weights, those that matter most, and trains them again. */
  keep?: number;
}

const RATE = 0.5;

/**
 * Multinomial logistic regression over hashed features, by AdaGrad. The same examples give the same weights.
 */
export function train(examples: Example[], classes: number, options: Options = {}): Linear {
  const { rounds = 6, decay = 1e-3, keep } = options;
  const prepared = examples.map(({ query, shares, mass = 1 }) => ({ ...featuresOf(query), shares, mass }));
  const model = { classes, weights: new Float64Array(BUCKETS * classes), bias: new Float64Array(classes) };
  descend(model, prepared, { rounds, decay });
  if (keep === undefined) return model;
  const counts = new Float64Array(BUCKETS);
  for (const { buckets } of prepared) for (const bucket of buckets) counts[bucket]! += 1;
  const worth = model.weights.map((weight, at) => weight * weight * counts[Math.floor(at / classes)]!);
  const least = Float64Array.from(worth).sort().at(-keep) ?? 0;
  const mask = Uint8Array.from(worth, (value) => (value > 0 && value >= least ? 1 : 0));
  for (const at of mask.keys()) if (mask[at] === 0) model.weights[at] = 0;
  descend(model, prepared, { rounds: Math.ceil(rounds / 2), decay, mask });
  return model;
}

interface Prepared {
  buckets: Uint32Array;
  weight: number;
  shares: number[];
  mass: number;
}

function descend(
  model: Linear,
  examples: Prepared[],
  { rounds, decay, mask }: { rounds: number; decay: number; mask?: Uint8Array },
): void {
  const { classes, weights, bias } = model;
  const squares = new Float64Array(weights.length).fill(1e-2);
  const biasSquares = new Float64Array(classes).fill(1);
  const order = examples.map((_, index) => index);
  const random = randomFrom(7);
  for (let round = 0; round < rounds; round += 1) {
    shuffle(order, random);
    for (const index of order) {
      const one = examples[index]!;
      const shares = softmax(scoresOf(model, one));
      const slopes = shares.map((share, label) => (share - one.shares[label]!) * one.mass);
      for (const [label, slope] of slopes.entries()) {
        biasSquares[label]! += slope * slope;
        bias[label]! -= (RATE * slope) / Math.sqrt(biasSquares[label]!);
      }
      for (const at of rowsOf(one.buckets, classes, mask)) {
        const step = slopes[at % classes]! * one.weight + decay * weights[at]!;
        squares[at]! += step * step;
        weights[at]! -= (RATE * step) / Math.sqrt(squares[at]!);
      }
    }
  }
}

/** Where the weights of some buckets are, without those that a mask leaves out. */
function rowsOf(buckets: Uint32Array, classes: number, mask: Uint8Array | undefined): number[] {
  const rows: number[] = [];
  for (const bucket of buckets)
    for (let at = bucket * classes; at < (bucket + 1) * classes; at += 1) if (mask?.[at] !== 0) rows.push(at);
  return rows;
}

/** The scores of all classes for a query's features. */
export function scoresOf(
  { classes, weights, bias }: Linear,
  { buckets, weight }: { buckets: Uint32Array; weight: number },
): number[] {
  const sums = Array.from({ length: classes }, () => 0);
  for (const bucket of buckets)
    for (let label = 0; label < classes; label += 1) sums[label]! += weights[bucket * classes + label]!;
  return sums.map((sum, label) => sum * weight + bias[label]!);
}

function softmax(values: number[]): number[] {
  const top = Math.max(...values);
  const powers = values.map((value) => Math.exp(value - top));
  const whole = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / whole);
}

/** Numbers in [0, 1) from a seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

/** Shuffles in place. */
export function shuffle(list: unknown[], random: () => number): void {
  for (let index = list.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [list[index], list[other]] = [list[other], list[index]];
  }
}
