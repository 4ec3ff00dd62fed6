/** Boosted trees as flat arrays. A child below zero is a leaf: `-1 - index` into `leaves`. */
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

/** The probability for one row. A value equal to a threshold goes left. */
export function predict(forest: Forest, values: Float32Array, offset: number): number {
  const { roots, features, thresholds, left, right, leaves } = forest;
  let sum = forest.bias;
  for (let tree = 0; tree < roots.length; tree++) {
    let node = roots[tree] as number;
    while (node >= 0) {
      const value = values[offset + (features[node] as number)] as number;
      node = (value <= (thresholds[node] as number) ? left[node] : right[node]) as number;
    }
    sum += leaves[-1 - node] as number;
  }
  return 1 / (1 + Math.exp(-sum));
}
