import type { Binned, Grown } from './gbdt.ts';
import type { LearnedLexicon } from './lexical.ts';
import { BUCKET_COUNT } from '../../src/extract/features/lexicon.ts';
import { createTableWriter, type TableWriter, wordsText } from './write-table.ts';

/** Leaf values are stored in steps of this size. */
const LEAF_STEP = 1 / 4_000;

/** The model as JSON with its arrays packed into a text; `src/extract/choice/model.ts` reads it. Unused features keep no thresholds. */
export function encodeModel(lexicon: LearnedLexicon, ...stages: [Grown, Binned][]): string {
  const table = createTableWriter();
  const model = {
    leafStep: LEAF_STEP,
    lexicon: { text: writeText(table, lexicon.text), names: writeNames(table, lexicon.names) },
    stages: stages.map(([grown, binned]) => writeStage(table, grown, binned)),
  };
  return `${JSON.stringify({ ...model, packed: table.text() })}\n`;
}

/** Weights as signed bytes, without those that are zero then. */
function inSteps(terms: Map<string, number>): { step: number; weights: Map<string, number> } {
  const most = [...terms.values()].reduce((max, weight) => Math.max(max, Math.abs(weight)), 1e-6);
  const step = most / 127;
  const steps = [...terms].map(([term, weight]): [string, number] => [term, Math.round(weight / step)]);
  return { step, weights: new Map(steps.filter(([, weight]) => weight !== 0)) };
}

function writeText(table: TableWriter, text: Map<string, number>): Record<string, unknown> {
  const { step, weights } = inSteps(text);
  const terms = [...weights.keys()].sort();
  table.bytes(
    Int8Array.from(terms, (term) => weights.get(term) as number),
    1,
  );
  return { words: wordsText(terms), step };
}

/** Names are `<bucket>:<word>`; each word is stored once, with a weight for each bucket. */
function writeNames(table: TableWriter, names: Map<string, number>): Record<string, unknown> {
  const { step, weights } = inSteps(names);
  const words = [...new Set([...weights.keys()].map((term) => term.slice(2)))].sort();
  const buckets = Array.from({ length: BUCKET_COUNT }, (_, bucket) => bucket);
  table.bytes(
    Int8Array.from(words.flatMap((word) => buckets.map((bucket) => weights.get(`${bucket}:${word}`) ?? 0))),
    BUCKET_COUNT,
  );
  return { words: wordsText(words), step };
}

function writeStage(
  table: TableWriter,
  { forest, splitBins }: Grown,
  binned: Binned,
): Record<string, unknown> {
  const used = new Map<string, number>();
  const thresholds: number[] = [];
  const features: number[] = [];
  // Each distinct pair of feature and threshold is stored once; a node names it by number, or with zero when it is the first.
  const pairs = [...splitBins.keys()].map((node) => {
    const [feature, bin] = [forest.features[node] as number, splitBins[node] as number];
    const key = `${feature} ${bin}`;
    const pair = used.get(key);
    if (pair !== undefined) return pair + 1;
    used.set(key, used.size);
    features.push(feature);
    thresholds.push((binned.edges[feature] as Float32Array)[bin] as number);
    return 0;
  });
  const { roots, leaves } = forest;
  table.bytes(Int32Array.from(roots), 4);
  table.bytes(Uint16Array.from(features), 2);
  table.bytes(Float32Array.from(thresholds), 4);
  table.bytes(Uint16Array.from(pairs), 2);
  table.bytes(relative(forest.left, roots, splitBins.length), 1);
  table.bytes(relative(forest.right, roots, splitBins.length), 1);
  table.bytes(
    Int16Array.from(leaves, (leaf) => Math.round(Math.max(-8, Math.min(8, leaf)) / LEAF_STEP)),
    2,
  );
  const counts = { trees: roots.length, pairs: features.length, nodes: pairs.length, leaves: leaves.length };
  return { width: binned.width, bias: forest.bias, ...counts };
}

/** Children as bytes: inner nodes relative to their tree's root, leaves by their number in the tree, marked by the high bit; each as the difference to the one before. */
function relative(children: Int32Array, roots: Int32Array, nodes: number): Uint8Array {
  const out = new Uint8Array(nodes);
  let [leaf, lastInner, lastLeaf] = [0, 0, 0];
  for (const [tree, root] of roots.entries()) {
    const end = nextRoot(roots, tree, nodes);
    if (root < 0) {
      leaf += 1;
      continue;
    }
    for (let node = root; node < end; node++) {
      const child = children[node] as number;
      if (child >= 0) {
        out[node] = (child - root - lastInner) & 127;
        lastInner = child - root;
      } else {
        const place = -1 - child - leaf;
        out[node] = 128 + ((place - lastLeaf) & 127);
        lastLeaf = place;
      }
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
