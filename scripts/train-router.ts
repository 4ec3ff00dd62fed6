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
import { BUCKETS, featuresOf } from '../src/routing/topic/model.ts';
import { INTENTS } from '../src/core/query.ts';
import { sureIntent, SHARE_MIN } from '../src/routing/topic/topic.ts';
import { scoresOf, train, type Linear } from './train/linear.ts';

/** So many weights fit into 32 KB. */
const WEIGHTS_KEPT = 15_700;
const STEPS = 15;
/** The best of 1e-4, 1e-3, 3e-3 and 1e-2 on sources that were held out. */
const DECAY = 1e-2;
/** A general query that is taken for something else is the worse mistake: so many are recognised, of sources that were held out. */
const GENERAL_RECALL = 0.96;
const FOLDS = 4;
/** One in so many queries is enough to find the bias. */
const SAMPLE = 3;

const [file = ''] = process.argv.slice(2);
const rows = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => line.split('\t'));
const bonus = generalBonus(rows.filter((_, index) => index % SAMPLE === 0));
const model = trained(rows);
const packed = pack(model);
const target = join(import.meta.dirname, '../src/routing/topic/weights.json');
writeFileSync(target, `${JSON.stringify(packed)}\n`);
console.log(`${rows.length} queries, ${readFileSync(target).length} bytes, bias towards general ${bonus}`);

function trained(some: string[][]): Linear {
  const counts = new Map<string, number>();
  for (const [, intent = ''] of some) counts.set(intent, (counts.get(intent) ?? 0) + 1);
  const examples = some.map(([, intent = '', , query = '']) => ({
    query,
    shares: INTENTS.map((one) => (one === intent ? 1 : 0)),
    mass: Math.sqrt(some.length / INTENTS.length / (counts.get(intent) ?? 1)),
  }));
  return train(examples, INTENTS.length, { keep: WEIGHTS_KEPT, decay: DECAY });
}

/** The least bias with which enough general queries of held-out sources are routed as general ones. */
function generalBonus(some: string[][]): number {
  const foldOf = ([, intent = '', source = '']: string[]): number => {
    let hash = 7;
    for (const char of `${intent}|${source}`) hash = Math.imul(hash ^ char.charCodeAt(0), 16_777_619) >>> 0;
    return (hash >>> 8) % FOLDS;
  };
  const needed = Array.from({ length: FOLDS }, (_, fold) => {
    const learnt = trained(some.filter((row) => foldOf(row) !== fold));
    const general = some.filter((row) => foldOf(row) === fold && row[1] === 'general');
    return general.map(([, , , query = '']) => bonusFor(query, learnt));
  }).flat();
  needed.sort((a, b) => a - b);
  return Math.max(0, rounded(needed[Math.floor(needed.length * GENERAL_RECALL)] ?? 0));
}

/** From which bias on a query is general: nothing else is more probable, or nothing has the share that is worth a request. */
function bonusFor(query: string, learnt: Linear): number {
  const sure = sureIntent(query);
  if (sure !== undefined) return sure.intent === 'general' ? -Infinity : Infinity;
  const [first = 0, ...others] = scoresOf(learnt, featuresOf(query));
  const best = Math.max(...others);
  const rest = others.reduce((sum, score) => sum + Math.exp(score), 0);
  const beyond = Math.exp(best) / SHARE_MIN - rest;
  return Math.min(best - first, beyond <= 0 ? -Infinity : Math.log(beyond) - first);
}

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
  const biases = [...bias].map((value, label) => value + (label === 0 ? bonus : 0));
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
