import { type Forest, layOut, predict, type Walk } from './forest.ts';
import { openTable, readWords, type TableReader } from '../../core/table-text.ts';
import { BUCKET_COUNT, type Lexicon, type NameWeights } from '../features/lexicon.ts';
import type { FeatureTable } from '../features/row.ts';
import { numberOf } from '../features/words.ts';

/** How many values each array of the packed table has, and what it is scaled by. */
interface StoredStage {
  width: number;
  bias: number;
  trees: number;
  pairs: number;
  nodes: number;
  leaves: number;
}

/** The file that `scripts/train-extract.ts` writes. */
export interface StoredModel {
  leafStep: number;
  stages: StoredStage[];
  lexicon: { text: StoredTerms; names: StoredTerms };
  packed: string;
}

interface StoredTerms {
  /** As `readWords` reads them. */
  words: string;
  /** Weights are signed bytes, in steps of this. */
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

/** Unpacks a stored model, in the order in which it was written. */
export function readModel({ packed, lexicon, stages, leafStep }: StoredModel): Model {
  const table = openTable(packed);
  return {
    lexicon: { text: readText(table, lexicon.text), names: readNames(table, lexicon.names) },
    stages: stages.map((stage) => ({ width: stage.width, walk: layOut(readForest(table, stage, leafStep)) })),
  };
}

function readText(table: TableReader, { words, step }: StoredTerms): Map<number, number> {
  const terms = readWords(words);
  const weights = new Int8Array(table.bytes(terms.length, 1).buffer);
  const found = new Map<number, number>();
  for (let index = 0; index < terms.length; index++)
    found.set(numberOf(terms[index] as string), (weights[index] as number) * step);
  return found;
}

function readNames(table: TableReader, { words, step }: StoredTerms): NameWeights {
  const numbers = new Map<string, number>();
  for (const word of readWords(words)) numbers.set(word, numbers.size);
  const steps = new Int8Array(table.bytes(numbers.size * BUCKET_COUNT, BUCKET_COUNT).buffer);
  const weights = new Float64Array(steps.length);
  for (let index = 0; index < steps.length; index++) weights[index] = (steps[index] as number) * step;
  return { numbers, weights };
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

function readForest(table: TableReader, stage: StoredStage, leafStep: number): Forest {
  const roots = new Int32Array(table.bytes(stage.trees * 4, 4).buffer);
  const pairFeatures = new Uint16Array(table.bytes(stage.pairs * 2, 2).buffer);
  const pairThresholds = new Float32Array(table.bytes(stage.pairs * 4, 4).buffer);
  const pairs = new Uint16Array(table.bytes(stage.nodes * 2, 2).buffer);
  const features = new Uint16Array(stage.nodes);
  const thresholds = new Float32Array(stage.nodes);
  let known = 0;
  // Loops, because the first page waits for this and `from` calls a function for every value.
  for (let node = 0; node < pairs.length; node++) {
    // Zero is a pair that no node before has; the others are counted from one.
    const pair = pairs[node] === 0 ? known++ : (pairs[node] as number) - 1;
    features[node] = pairFeatures[pair] as number;
    thresholds[node] = pairThresholds[pair] as number;
  }
  const left = absolute(table.bytes(stage.nodes, 1), roots);
  const right = absolute(table.bytes(stage.nodes, 1), roots);
  const steps = new Int16Array(table.bytes(stage.leaves * 2, 2).buffer);
  const leaves = new Float32Array(stage.leaves);
  for (let leaf = 0; leaf < steps.length; leaf++) leaves[leaf] = (steps[leaf] as number) * leafStep;
  return { bias: stage.bias, roots, features, thresholds, left, right, leaves };
}

/**
 * Children are stored relative to their tree, inner nodes to its root and leaves (high bit) to its first leaf, and each kind as the difference
 * to the one before it.
 */
function absolute(children: Uint8Array, roots: Int32Array): Int32Array {
  const out = new Int32Array(children.length);
  let [leaf, node, lastInner, lastLeaf] = [0, 0, 0, 0];
  for (const [tree, root] of roots.entries()) {
    if (root < 0) {
      leaf += 1;
      continue;
    }
    const following = roots.subarray(tree + 1).find((next) => next >= 0);
    const end = following ?? children.length;
    for (node = root; node < end; node++) {
      const child = children[node] as number;
      if (child < 128) {
        lastInner = (lastInner + child) & 127;
        out[node] = root + lastInner;
      } else {
        lastLeaf = (lastLeaf + child) & 127;
        out[node] = -1 - (leaf + lastLeaf);
      }
    }
    leaf += end - root + 1;
  }
  return out;
}
