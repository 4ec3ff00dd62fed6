import type { Forest } from '../../src/extract/choice/forest.ts';

/** Features as bins: row-major bytes, with the upper edge of every bin. */
export interface Binned {
  bins: Uint8Array;
  width: number;
  rows: number;
  edges: Float32Array[];
}

export interface BoostOptions {
  trees: number;
  leaves: number;
  rate: number;
  /** The share of features that each tree may use. */
  featureShare: number;
  /** The share of rows that each tree sees. */
  rowShare: number;
  /** The least sum of hessians in a leaf. */
  hessianMin: number;
  lambda: number;
  seed: number;
}

const BINS = 64;

/** Bins every feature by quantiles of its values. Threads share the bins. */
export function binFeatures(values: Float32Array, width: number): Binned {
  const rows = values.length / width;
  const edges = Array.from({ length: width }, (_, feature) => findEdges(values, width, rows, feature));
  const bins = new Uint8Array(new SharedArrayBuffer(values.length));
  for (let row = 0; row < rows; row++)
    for (let feature = 0; feature < width; feature++)
      bins[row * width + feature] = binOf(
        edges[feature] as Float32Array,
        values[row * width + feature] as number,
      );
  return { bins, width, rows, edges };
}

function findEdges(values: Float32Array, width: number, rows: number, feature: number): Float32Array {
  const step = Math.max(1, Math.floor(rows / 60_000));
  const sample: number[] = [];
  for (let row = 0; row < rows; row += step) sample.push(values[row * width + feature] as number);
  const sorted = Float32Array.from(sample).sort();
  const distinct = [...new Set(sorted)];
  if (distinct.length <= BINS)
    return Float32Array.from(
      distinct.slice(0, -1),
      (value, index) => (value + (distinct[index + 1] as number)) / 2,
    );
  const found = new Set<number>();
  for (let bin = 1; bin < BINS; bin++) found.add(sorted[Math.floor((bin * sorted.length) / BINS)] as number);
  return Float32Array.from([...found].sort((a, b) => a - b));
}

/** The first bin whose upper edge is not below the value. */
function binOf(edges: Float32Array, value: number): number {
  let low = 0;
  let high = edges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value <= (edges[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}

interface Leaf {
  start: number;
  end: number;
  histogram: Float64Array;
  gradient: number;
  hessian: number;
  split: Split | undefined;
  /** Where in the tree this leaf hangs. */
  parent: number;
  isLeft: boolean;
}

interface Split {
  gain: number;
  feature: number;
  bin: number;
}

/** A generator of numbers in [0, 1) that is the same on every machine. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Grown trees with bin numbers beside their thresholds, so that they can be stored small. */
export interface Grown {
  forest: Forest;
  splitBins: number[];
}

/** Boosts trees on soft labels by cross-entropy, leaf by leaf, on the rows given. Deterministic. */
export function boost(
  data: Binned,
  rows: Int32Array,
  labels: Float32Array,
  weights: Float32Array,
  options: BoostOptions,
): Grown {
  const random = createRandom(options.seed);
  const bias = priorOdds(rows, labels, weights);
  const scores = new Float64Array(data.rows).fill(bias);
  const gradients = new Float32Array(data.rows * 2);
  const out = {
    roots: [] as number[],
    features: [] as number[],
    bins: [] as number[],
    thresholds: [] as number[],
    left: [] as number[],
    right: [] as number[],
    leaves: [] as number[],
  };
  for (let tree = 0; tree < options.trees; tree++) {
    for (const row of rows) {
      const chance = 1 / (1 + Math.exp(-(scores[row] as number)));
      const weight = weights[row] as number;
      gradients[2 * row] = weight * (chance - (labels[row] as number));
      gradients[2 * row + 1] = weight * Math.max(1e-6, chance * (1 - chance));
    }
    const features = pick(data.width, options.featureShare, random);
    const sample = options.rowShare < 1 ? rows.filter(() => random() < options.rowShare) : rows.slice();
    growTree(data, sample, gradients, features, options, out);
    const root = out.roots[tree] as number;
    for (const row of rows) scores[row] = (scores[row] as number) + leafOf(data, row, root, out);
  }
  return {
    forest: {
      bias,
      roots: Int32Array.from(out.roots),
      features: Uint16Array.from(out.features),
      thresholds: Float32Array.from(out.thresholds),
      left: Int32Array.from(out.left),
      right: Int32Array.from(out.right),
      leaves: Float32Array.from(out.leaves),
    },
    splitBins: out.bins,
  };
}

type Output = {
  roots: number[];
  features: number[];
  bins: number[];
  thresholds: number[];
  left: number[];
  right: number[];
  leaves: number[];
};

function priorOdds(rows: Int32Array, labels: Float32Array, weights: Float32Array): number {
  let [yes, all] = [0, 0];
  for (const row of rows) {
    yes += (labels[row] as number) * (weights[row] as number);
    all += weights[row] as number;
  }
  const share = Math.min(0.99, Math.max(0.01, yes / all));
  return Math.log(share / (1 - share));
}

function pick(width: number, share: number, random: () => number): Int32Array {
  const all = Array.from({ length: width }, (_, feature) => feature);
  for (let index = all.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [all[index], all[other]] = [all[other] as number, all[index] as number];
  }
  return Int32Array.from(all.slice(0, Math.max(1, Math.round(width * share))).sort((a, b) => a - b));
}

function leafOf(data: Binned, row: number, root: number, out: Output): number {
  let node = root;
  while (node >= 0) {
    const bin = data.bins[row * data.width + (out.features[node] as number)] as number;
    node = (bin <= (out.bins[node] as number) ? out.left[node] : out.right[node]) as number;
  }
  return out.leaves[-1 - node] as number;
}

function growTree(
  data: Binned,
  rows: Int32Array,
  gradients: Float32Array,
  features: Int32Array,
  options: BoostOptions,
  out: Output,
): void {
  const spare = new Int32Array(rows.length);
  const first = createLeaf(data, rows, gradients, features, {
    start: 0,
    end: rows.length,
    parent: -1,
    isLeft: false,
  });
  first.split = bestSplit(first, features, data, options);
  const open: Leaf[] = [first];
  out.roots.push(out.features.length);
  while (open.length < options.leaves) {
    const leaf = open.reduce((best, other) =>
      (other.split?.gain ?? 0) > (best.split?.gain ?? 0) ? other : best,
    );
    const split = leaf.split;
    if (split === undefined) break;
    open.splice(open.indexOf(leaf), 1);
    const node = out.features.length;
    attach(leaf, node, out);
    out.features.push(split.feature);
    out.bins.push(split.bin);
    out.thresholds.push((data.edges[split.feature] as Float32Array)[split.bin] as number);
    out.left.push(0);
    out.right.push(0);
    const middle = partition(data, rows, spare, leaf, split);
    const parts = [
      { start: leaf.start, end: middle, parent: node, isLeft: true },
      { start: middle, end: leaf.end, parent: node, isLeft: false },
    ];
    const isLeftSmaller = middle - leaf.start <= leaf.end - middle;
    const small = createLeaf(
      data,
      rows,
      gradients,
      features,
      parts[isLeftSmaller ? 0 : 1] as (typeof parts)[number],
    );
    const large = subtract(leaf, small, parts[isLeftSmaller ? 1 : 0] as (typeof parts)[number]);
    for (const child of [small, large]) {
      child.split = bestSplit(child, features, data, options);
      open.push(child);
    }
  }
  if (out.features.length === out.roots.at(-1)) out.roots[out.roots.length - 1] = -1 - out.leaves.length;
  for (const leaf of open) {
    const value = (-leaf.gradient / (leaf.hessian + options.lambda)) * options.rate;
    attach(leaf, -1 - out.leaves.length, out);
    out.leaves.push(value);
  }
}

function attach(leaf: Leaf, node: number, out: Output): void {
  if (leaf.parent < 0) return;
  if (leaf.isLeft) out.left[leaf.parent] = node;
  else out.right[leaf.parent] = node;
}

type Part = Pick<Leaf, 'start' | 'end' | 'parent' | 'isLeft'>;

function createLeaf(
  data: Binned,
  rows: Int32Array,
  gradients: Float32Array,
  features: Int32Array,
  part: Part,
): Leaf {
  const { bins, width } = data;
  const histogram = new Float64Array(features.length * BINS * 2);
  let [gradient, hessian] = [0, 0];
  for (let index = part.start; index < part.end; index++) {
    const row = rows[index] as number;
    const g = gradients[2 * row] as number;
    const h = gradients[2 * row + 1] as number;
    gradient += g;
    hessian += h;
    const base = row * width;
    for (let place = 0; place < features.length; place++) {
      const at = (place * BINS + (bins[base + (features[place] as number)] as number)) * 2;
      histogram[at] = (histogram[at] as number) + g;
      histogram[at + 1] = (histogram[at + 1] as number) + h;
    }
  }
  return { ...part, histogram, gradient, hessian, split: undefined };
}

function subtract(parent: Leaf, child: Leaf, part: Part): Leaf {
  const histogram = parent.histogram;
  for (let index = 0; index < histogram.length; index++)
    histogram[index] = (histogram[index] as number) - (child.histogram[index] as number);
  return {
    ...part,
    histogram,
    gradient: parent.gradient - child.gradient,
    hessian: parent.hessian - child.hessian,
    split: undefined,
  };
}

function bestSplit(leaf: Leaf, features: Int32Array, data: Binned, options: BoostOptions): Split | undefined {
  const { histogram, gradient, hessian } = leaf;
  const whole = gradient ** 2 / (hessian + options.lambda);
  let best: Split | undefined;
  let most = 1e-6;
  for (let place = 0; place < features.length; place++) {
    const feature = features[place] as number;
    const edges = (data.edges[feature] as Float32Array).length;
    let [g, h] = [0, 0];
    for (let bin = 0; bin < edges; bin++) {
      const at = (place * BINS + bin) * 2;
      g += histogram[at] as number;
      h += histogram[at + 1] as number;
      if (h < options.hessianMin) continue;
      if (hessian - h < options.hessianMin) break;
      const gain =
        g ** 2 / (h + options.lambda) + (gradient - g) ** 2 / (hessian - h + options.lambda) - whole;
      if (gain > most) {
        most = gain;
        best = { gain, feature, bin };
      }
    }
  }
  return best;
}

/** Moves the rows that go left to the front, in order, and returns where the others begin. */
function partition(data: Binned, rows: Int32Array, spare: Int32Array, leaf: Leaf, split: Split): number {
  let left = leaf.start;
  let right = 0;
  for (let index = leaf.start; index < leaf.end; index++) {
    const row = rows[index] as number;
    if ((data.bins[row * data.width + split.feature] as number) <= split.bin) rows[left++] = row;
    else spare[right++] = row;
  }
  rows.set(spare.subarray(0, right), left);
  return left;
}
