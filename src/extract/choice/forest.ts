import type { FeatureTable } from '../features/row.ts';

/** Boosted trees as flat arrays, as they are trained and stored. A child below zero is a leaf: `-1 - index` into `leaves`. */
export interface Forest {
  /** The log odds before any tree. */
  bias: number;
  roots: Int32Array;
  features: Uint16Array;
  thresholds: Float32Array;
  left: Int32Array;
  right: Int32Array;
  leaves: Float32Array;
}

/** The same trees in the layout for prediction: feature, threshold, left and right of a node side by side. */
export interface Walk {
  bias: number;
  roots: Int32Array;
  nodes: Int32Array;
  thresholds: Float32Array;
  leaves: Float32Array;
  /** Reused for every page: making one takes longer than a short page needs. */
  batch: Batch;
}

const NODE_SIZE = 4;

export function layOut(forest: Forest): Walk {
  const nodes = new Int32Array(forest.features.length * NODE_SIZE);
  const thresholds = new Float32Array(nodes.buffer);
  const place = (node: number): number => (node < 0 ? node : node * NODE_SIZE);
  for (let node = 0; node < forest.features.length; node++) {
    const at = node * NODE_SIZE;
    nodes[at] = forest.features[node] as number;
    thresholds[at + 1] = forest.thresholds[node] as number;
    nodes[at + 2] = place(forest.left[node] as number);
    nodes[at + 3] = place(forest.right[node] as number);
  }
  // One more than the highest feature that a node tests.
  const width = forest.features.reduce((most, feature) => Math.max(most, feature + 1), 0);
  return {
    bias: forest.bias,
    roots: forest.roots.map(place),
    nodes,
    thresholds,
    leaves: forest.leaves,
    batch: createBatch(width),
  };
}

/** Rows per batch: their columns and one tree fit into the L1 cache. */
const BATCH = 128;
/** Not a power of two, so that columns do not share cache lines. */
const STRIDE = BATCH + 16;

/** The probabilities of some rows. A value equal to a threshold goes left. */
export function predict(walk: Walk, table: FeatureTable, rows: Int32Array): Float32Array {
  const chances = new Float32Array(rows.length);
  const { batch } = walk;
  for (let from = 0; from < rows.length; from += BATCH) {
    const size = Math.min(BATCH, rows.length - from);
    readColumns(batch, table, rows.subarray(from, from + size));
    batch.sums.fill(walk.bias);
    for (const root of walk.roots) addTree(batch, walk, root, size);
    for (let row = 0; row < size; row++)
      chances[from + row] = 1 / (1 + Math.exp(-(batch.sums[row] as number)));
  }
  return chances;
}

interface Batch {
  /** The values by feature, and the least and most of each. */
  columns: Float32Array;
  least: Float32Array;
  most: Float32Array;
  sums: Float64Array;
  /** The nodes of one tree that split these rows, and their positions in the forest. */
  nodes: Int32Array;
  thresholds: Float32Array;
  sources: number[];
}

function createBatch(width: number): Batch {
  const nodes = new Int32Array(NODE_SIZE * 256);
  return {
    columns: new Float32Array(width * STRIDE),
    least: new Float32Array(width),
    most: new Float32Array(width),
    sums: new Float64Array(BATCH),
    nodes,
    thresholds: new Float32Array(nodes.buffer),
    sources: [],
  };
}

/** Transposes a batch, so that a tree finds its few features close together. */
function readColumns(batch: Batch, { values, width }: FeatureTable, rows: Int32Array): void {
  const { columns } = batch;
  const starts = rows.map((row) => row * width);
  for (let feature = 0; feature < batch.least.length; feature++) {
    const column = feature * STRIDE;
    let least = Infinity;
    let most = -Infinity;
    for (let row = 0; row < starts.length; row++) {
      const value = values[(starts[row] as number) + feature] as number;
      columns[column + row] = value;
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    batch.least[feature] = least;
    batch.most[feature] = most;
  }
}

/** Adds the output of one tree to each row. Nodes that send the whole batch the same way are skipped. */
function addTree(batch: Batch, walk: Walk, root: number, size: number): void {
  const { columns, sums, nodes, thresholds } = batch;
  const { leaves } = walk;
  const start = keepParting(batch, walk, root);
  if (start < 0) {
    const leaf = leaves[-1 - start] as number;
    for (let row = 0; row < size; row++) sums[row] = (sums[row] as number) + leaf;
    return;
  }
  for (let row = 0; row < size; row++) {
    let node = 0;
    do {
      const value = columns[(nodes[node] as number) + row] as number;
      node = nodes[value <= (thresholds[node + 1] as number) ? node + 2 : node + 3] as number;
    } while (node >= 0);
    sums[row] = (sums[row] as number) + (leaves[-1 - node] as number);
  }
}

/**
 * Copies the nodes of a tree that split the batch; returns 0, or the leaf if all rows end in the same one.
 */
function keepParting(batch: Batch, walk: Walk, root: number): number {
  const { nodes, thresholds, sources } = batch;
  const first = skipUnparting(batch, walk, root);
  if (first < 0) return first;
  sources[0] = first;
  let count = 1;
  for (let at = 0; at < count; at++) {
    const source = sources[at] as number;
    const node = at * NODE_SIZE;
    nodes[node] = (walk.nodes[source] as number) * STRIDE;
    thresholds[node + 1] = walk.thresholds[source + 1] as number;
    for (let side = 2; side < NODE_SIZE; side++) {
      const child = skipUnparting(batch, walk, walk.nodes[source + side] as number);
      nodes[node + side] = child < 0 ? child : count * NODE_SIZE;
      if (child >= 0) sources[count++] = child;
    }
  }
  return 0;
}

function skipUnparting({ least, most }: Batch, { nodes, thresholds }: Walk, start: number): number {
  let node = start;
  while (node >= 0) {
    const feature = nodes[node] as number;
    const threshold = thresholds[node + 1] as number;
    if ((most[feature] as number) <= threshold) node = nodes[node + 2] as number;
    else if ((least[feature] as number) > threshold) node = nodes[node + 3] as number;
    else break;
  }
  return node;
}
