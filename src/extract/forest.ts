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

/** The same trees laid out for walking: feature, threshold, left and right of a node stand side by side. */
export interface Walk {
  bias: number;
  roots: Int32Array;
  nodes: Int32Array;
  thresholds: Float32Array;
  leaves: Float32Array;
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
  return { bias: forest.bias, roots: forest.roots.map(place), nodes, thresholds, leaves: forest.leaves };
}

/** The probability for one row. A value equal to a threshold goes left. */
export function predict(walk: Walk, values: Float32Array, offset: number): number {
  const { roots, nodes, thresholds, leaves } = walk;
  let sum = walk.bias;
  for (let tree = 0; tree < roots.length; tree++) {
    let node = roots[tree] as number;
    while (node >= 0) {
      const value = values[offset + (nodes[node] as number)] as number;
      node = nodes[value <= (thresholds[node + 1] as number) ? node + 2 : node + 3] as number;
    }
    sum += leaves[-1 - node] as number;
  }
  return 1 / (1 + Math.exp(-sum));
}
