import { type Forest, layOut, predict, type Walk } from './forest.ts';
import { type Lexicon, orderNames } from '../features/lexicon.ts';
import type { FeatureTable } from '../features/row.ts';
import { numberOf } from '../features/words.ts';

interface StoredStage {
  width: number;
  bias: number;
  roots: string;
  pairFeatures: string;
  pairThresholds: string;
  pairs: string;
  left: string;
  right: string;
  leaves: string;
}

/** The file that `scripts/train-extract.ts` writes. */
export interface StoredModel {
  leafStep: number;
  stages: StoredStage[];
  lexicon: { text: StoredTerms; names: StoredTerms };
}

interface StoredTerms {
  /** Separated by spaces. */
  terms: string;
  /** One signed byte each, in steps of `step`. */
  weights: string;
  step: number;
}

export interface Model {
  stages: Stage[];
  lexicon: Lexicon;
}

export interface Stage {
  width: number;
  walk: Walk;
}

/** Unpacks a stored model. */
export function readModel(stored: StoredModel): Model {
  return {
    stages: stored.stages.map((stage) => ({
      width: stage.width,
      walk: layOut(readForest(stage, stored.leafStep)),
    })),
    lexicon: {
      text: readTerms(stored.lexicon.text, numberOf),
      names: orderNames(readTerms(stored.lexicon.names, (term) => term)),
    },
  };
}

function readTerms<Key>(stored: StoredTerms, keyOf: (term: string) => Key): Map<Key, number> {
  const weights = new Int8Array(bytes(stored.weights));
  const terms = stored.terms === '' ? [] : stored.terms.split(' ');
  const found = new Map<Key, number>();
  for (let index = 0; index < terms.length; index++)
    found.set(keyOf(terms[index] as string), (weights[index] ?? 0) * stored.step);
  return found;
}

/** The probability of every row. */
export const predictAll = (stage: Stage, table: FeatureTable, count: number): Float32Array =>
  predict(
    stage.walk,
    table,
    Int32Array.from({ length: count }, (_, row) => row),
  );

/** Below this probability a block is boilerplate; the second stage is skipped. */
const HOPELESS = 0.004;

/**
 * The probability of every row by a later stage. Rows that the earlier stage ruled out keep their
 * probability.
 */
export function predictAgain(stage: Stage, table: FeatureTable, earlier: Float32Array): Float32Array {
  const open = new Int32Array(earlier.length);
  let count = 0;
  for (let row = 0; row < earlier.length; row++) {
    if ((earlier[row] as number) < HOPELESS) continue;
    open[count] = row;
    count += 1;
  }
  const rows = open.subarray(0, count);
  const chances = earlier.slice();
  for (const [index, chance] of predict(stage.walk, table, rows).entries())
    chances[rows[index] as number] = chance;
  return chances;
}

function readForest(stage: StoredStage, leafStep: number): Forest {
  const pairFeatures = new Uint16Array(bytes(stage.pairFeatures));
  const pairThresholds = new Float32Array(bytes(stage.pairThresholds));
  const pairs = new Uint16Array(bytes(stage.pairs));
  const roots = new Int32Array(bytes(stage.roots));
  const steps = new Int16Array(bytes(stage.leaves));
  const features = new Uint16Array(pairs.length);
  const thresholds = new Float32Array(pairs.length);
  const leaves = new Float32Array(steps.length);
  // Loops, because the first page waits for this and `from` calls a function for every value.
  for (let node = 0; node < pairs.length; node++) {
    features[node] = pairFeatures[pairs[node] as number] as number;
    thresholds[node] = pairThresholds[pairs[node] as number] as number;
  }
  for (let leaf = 0; leaf < steps.length; leaf++) leaves[leaf] = (steps[leaf] as number) * leafStep;
  return {
    bias: stage.bias,
    roots,
    features,
    thresholds,
    left: absolute(new Uint8Array(bytes(stage.left)), roots),
    right: absolute(new Uint8Array(bytes(stage.right)), roots),
    leaves,
  };
}

/** Children are stored relative to their tree: inner nodes to its root, leaves (high bit) to its first leaf. */
function absolute(children: Uint8Array, roots: Int32Array): Int32Array {
  const out = new Int32Array(children.length);
  let leaf = 0;
  let node = 0;
  for (const [tree, root] of roots.entries()) {
    if (root < 0) {
      leaf += 1;
      continue;
    }
    const following = roots.subarray(tree + 1).find((next) => next >= 0);
    const end = following ?? children.length;
    for (node = root; node < end; node++) {
      const child = children[node] as number;
      out[node] = child < 128 ? root + child : -1 - (leaf + child - 128);
    }
    leaf += end - root + 1;
  }
  return out;
}

function bytes(text: string): ArrayBuffer {
  const buffer = Buffer.from(text, 'base64');
  return buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength);
}
