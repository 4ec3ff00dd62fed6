/**
 * Trains the router of `topic: auto` and writes src/routing/topic/weights.json.
 *
 *   npx tsx scripts/train-router.ts QUERIES.tsv
 *
 * QUERIES.tsv has one query a line: language, intent, source and query, separated by tabs. The queries are not part of this repository; the
 * weights are. Same input, same output. `npm run benchmark -- topics` measures them on queries of other sources.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUCKETS } from '../src/routing/topic/features.ts';
import { INTENTS } from '../src/core/intent.ts';
import { train, type Linear } from './train/linear.ts';

/** So many weights fit into 32 KB. */
const WEIGHTS_KEPT = 15_700;
const STEPS = 15;
/** A general query that is taken for something else is the worse mistake. */
const GENERAL_BONUS = 1.05;

const [file = ''] = process.argv.slice(2);
const rows = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => line.split('\t'));
const counts = new Map<string, number>();
for (const [, intent = ''] of rows) counts.set(intent, (counts.get(intent) ?? 0) + 1);
const examples = rows.map(([, intent = '', , query = '']) => ({
  query,
  shares: INTENTS.map((one) => (one === intent ? 1 : 0)),
  mass: Math.sqrt(rows.length / INTENTS.length / (counts.get(intent) ?? 1)),
}));
const model = train(examples, INTENTS.length, { keep: WEIGHTS_KEPT });
const packed = pack(model);
const target = join(import.meta.dirname, '../src/routing/topic/weights.json');
writeFileSync(target, `${JSON.stringify(packed)}\n`);
console.log(`${rows.length} queries, ${readFileSync(target).length} bytes`);

/** Weights in twelve bits: the distance to the bucket before, and the weight in steps of `scale`, plus 16. */
function pack({ classes, weights, bias }: Linear): { scale: number; bias: number[]; weights: string[] } {
  const scale = quantile(weights, 0.985) / STEPS;
  const lists = INTENTS.map((_, label) => {
    const entries: number[] = [];
    let before = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
      const steps = Math.round(Math.max(-STEPS, Math.min(STEPS, weights[bucket * classes + label]! / scale)));
      if (steps === 0) continue;
      for (; bucket - before > 127; before += 127) entries.push((127 << 5) | 16);
      entries.push(((bucket - before) << 5) | (steps + 16));
      before = bucket;
    }
    if (entries.length % 2 === 1) entries.push(16);
    const hex = entries.map((entry) => entry.toString(16).padStart(3, '0')).join('');
    return Buffer.from(hex, 'hex').toString('base64');
  });
  const biases = [...bias].map((value, label) => value + (label === 0 ? GENERAL_BONUS : 0));
  return { scale: rounded(scale), bias: biases.map(rounded), weights: lists };
}

function quantile(values: Float64Array, share: number): number {
  const sizes = values
    .filter((value) => value !== 0)
    .map(Math.abs)
    .sort();
  return sizes[Math.floor(sizes.length * share)] ?? 1;
}

function rounded(value: number): number {
  return Math.round(value * 1e5) / 1e5;
}
