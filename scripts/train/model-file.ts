import type { Binned, Grown } from './gbdt.ts';
import type { LearnedLexicon } from './lexical.ts';

/** Leaf values are stored in steps of this size. */
const LEAF_STEP = 1 / 4_000;

/** The model as JSON with base64 arrays; `src/extract/choice/model.ts` reads it. Unused features keep no thresholds. */
export function encodeModel(lexicon: LearnedLexicon, ...stages: [Grown, Binned][]): string {
  const model = {
    leafStep: LEAF_STEP,
    lexicon: { text: encodeTerms(lexicon.text), names: encodeTerms(lexicon.names) },
    stages: stages.map(([grown, binned]) => encodeStage(grown, binned)),
  };
  return `${JSON.stringify(model)}\n`;
}

function encodeTerms(terms: Map<string, number>): Record<string, unknown> {
  const most = [...terms.values()].reduce((max, weight) => Math.max(max, Math.abs(weight)), 1e-6);
  const step = most / 127;
  const kept = [...terms].filter(([, weight]) => Math.round(weight / step) !== 0);
  return {
    terms: kept.map(([term]) => term).join(' '),
    weights: encode(Int8Array.from(kept, ([, weight]) => Math.round(weight / step))),
    step,
  };
}

function encodeStage({ forest, splitBins }: Grown, binned: Binned): Record<string, unknown> {
  const used = new Map<string, number>();
  const thresholds: number[] = [];
  const features: number[] = [];
  // Each distinct pair of feature and threshold is stored once; a node names it by number.
  const pairs = [...splitBins.keys()].map((node) => {
    const [feature, bin] = [forest.features[node] as number, splitBins[node] as number];
    const key = `${feature} ${bin}`;
    let pair = used.get(key);
    if (pair === undefined) {
      pair = used.size;
      used.set(key, pair);
      features.push(feature);
      thresholds.push((binned.edges[feature] as Float32Array)[bin] as number);
    }
    return pair;
  });
  const base = [...forest.roots];
  return {
    width: binned.width,
    bias: forest.bias,
    roots: encode(Int32Array.from(base)),
    pairFeatures: encode(Uint16Array.from(features)),
    pairThresholds: encode(Float32Array.from(thresholds)),
    pairs: encode(Uint16Array.from(pairs)),
    left: encode(relative(forest.left, forest.roots, splitBins.length)),
    right: encode(relative(forest.right, forest.roots, splitBins.length)),
    leaves: encode(
      Int16Array.from(forest.leaves, (leaf) => Math.round(Math.max(-8, Math.min(8, leaf)) / LEAF_STEP)),
    ),
  };
}

/** Children as bytes: inner nodes relative to their tree's root, leaves by their number in the tree, marked by the high bit. */
function relative(children: Int32Array, roots: Int32Array, nodes: number): Uint8Array {
  const out = new Uint8Array(nodes);
  let leaf = 0;
  for (const [tree, root] of roots.entries()) {
    const end = nextRoot(roots, tree, nodes);
    if (root < 0) {
      leaf += 1;
      continue;
    }
    for (let node = root; node < end; node++) {
      const child = children[node] as number;
      out[node] = child >= 0 ? child - root : 128 + (-1 - child - leaf);
    }
    leaf += end - root + 1;
  }
  return out;
}

function nextRoot(roots: Int32Array, tree: number, nodes: number): number {
  for (let index = tree + 1; index < roots.length; index++)
    if ((roots[index] as number) >= 0) return roots[index] as number;
  return nodes;
}

function encode(array: ArrayBufferView): string {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('base64');
}
