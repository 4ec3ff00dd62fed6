// How well the router of `topic: auto` tells what a query is about, and how well such a model ranks search engines.
// Usage: HEADGATE_ROUTER_DATA=FOLDER npm run benchmark -- topics
//
// FOLDER has `test.tsv` (language, intent, source and query, separated by tabs; none of the sources may be one that the weights were
// trained on), and may have `feb4rag/` with `requests.tsv`, `BEIR-QRELS-RS.txt` and `BEIR-QRELS-RM.txt` of FeB4RAG: 790 requests, 16 engines
// with graded gains, and the grades of their ten results each; five folds. Neither is part of this repository.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { randomFrom, scoresOf, shuffle, train } from '../../scripts/train/linear.ts';
import { INTENTS } from '../../src/core/query.ts';
import { featuresOf } from '../../src/routing/topic/model.ts';
import { routeTopic } from '../../src/routing/topic/topic.ts';
import { report } from '../report.ts';

/** Of FeB4RAG: folds, the cut of its measure, and how many engines are asked. */
const FOLDS = 5;
const TOP = 10;
const ASKED = 3;

/** What the grades of FeB4RAG are worth, as in its gains of engines. */
const WORTH = [0, 0.25, 0.5, 1];
/** The engines in the order in which BEIR-QRELS-RM.txt has their ten results; it does not name them. */
const BLOCKS =
  'arguana scidocs scifact dbpedia-entity signal1m trec-news fever climate-fever nfcorpus fiqa trec-covid nq hotpotqa robust04 msmarco webis-touche2020';

const folder = process.env['HEADGATE_ROUTER_DATA'] ?? '';
if (!existsSync(join(folder, 'test.tsv'))) {
  console.error('Set HEADGATE_ROUTER_DATA to a folder with test.tsv; see benchmarks/topics/run.ts.');
  process.exit(1);
}
const linesOf = (file: string): string[] =>
  readFileSync(join(folder, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '');

interface Row {
  language: string;
  intent: string;
  source: string;
  query: string;
  taken: string;
}
const rows: Row[] = linesOf('test.tsv').map((line) => {
  const [language = '', intent = '', source = '', query = ''] = line.split('\t');
  return { language, intent, source, query, taken: routeTopic(query).intent };
});

const round = (value: number): number => Math.round(value * 1_000) / 1_000;

/** The mean of the F1 scores of all intents that occur. */
function macroF1(some: Row[]): number {
  const scores = INTENTS.filter((intent) => some.some((row) => row.intent === intent)).map((intent) => {
    const right = some.filter((row) => row.intent === intent && row.taken === intent).length;
    const all = some.filter((row) => row.intent === intent || row.taken === intent).length;
    return (2 * right) / (all + right);
  });
  return round(scores.reduce((sum, score) => sum + score, 0) / scores.length);
}
const general = rows.filter(({ intent }) => intent === 'general');
const recallOf = (some: Row[]): number =>
  round(some.filter(({ taken }) => taken === 'general').length / some.length);
const groups = (name: 'language' | 'source'): Record<string, number> =>
  Object.fromEntries(
    [...new Set(rows.map((row) => row[name]))].map((value) => [
      value,
      macroF1(rows.filter((row) => row[name] === value)),
    ]),
  );

const before = process.cpuUsage();
const ROUNDS = 10;
for (let again = 0; again < ROUNDS; again += 1) for (const { query } of rows) routeTopic(query);
const { user, system } = process.cpuUsage(before);

report('topics', {
  queries: rows.length,
  macro_f1: macroF1(rows),
  general_recall: recallOf(general),
  // Sources of our own are named `own-…`: whoever wrote them also wrote lists that the weights were trained on.
  macro_f1_others: macroF1(rows.filter(({ source }) => !source.startsWith('own-'))),
  general_recall_others: recallOf(general.filter(({ source }) => !source.startsWith('own-'))),
  by_language: groups('language'),
  by_source: groups('source'),
  cpu_us_per_query: Math.round((user + system) / ROUNDS / rows.length),
  weights_bytes: statSync(join(import.meta.dirname, '../../src/routing/topic/weights.json')).size,
  ...(existsSync(join(folder, 'feb4rag')) && { feb4rag: feb4rag() }),
});

/** The same kind of model, with an output for each engine: how it ranks them, and what the three asked hold of the gain of all. */
function feb4rag(): Record<string, number> {
  const gains = new Map<string, Map<string, number>>();
  for (const line of linesOf('feb4rag/BEIR-QRELS-RS.txt')) {
    const [id = '', , engine = '', gain = '0'] = line.split(/\s+/);
    gains.set(id, (gains.get(id) ?? new Map<string, number>()).set(engine, Number(gain)));
  }
  const grades = gradesOf();
  const engines = [...new Set([...gains.values()].flatMap((one) => [...one.keys()]))].sort();
  const requests = linesOf('feb4rag/requests.tsv').map((line) => {
    const [id = '', query = ''] = line.split('\t');
    const given = engines.map((engine) => gains.get(id)?.get(engine) ?? 0);
    return { query, gains: given, grades: engines.map((engine) => grades.get(id)?.get(engine) ?? []) };
  });
  shuffle(requests, randomFrom(5));
  const sums = { ndcg: 0, share: 0, best: 0, three: 0, all: 0 };
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const learnt = requests.filter((_, index) => index % FOLDS !== fold);
    const examples = learnt.map(({ query, gains: given }) => ({ query, shares: sharesOf(given) }));
    const model = train(examples, engines.length, { rounds: 8, decay: 1e-3 });
    for (const one of requests.filter((_, index) => index % FOLDS === fold)) {
      const scores = scoresOf(model, featuresOf(one.query));
      const order = engines.map((_, place) => place).sort((a, b) => scores[b]! - scores[a]!);
      const ideal = engines.map((_, place) => place).sort((a, b) => one.gains[b]! - one.gains[a]!);
      sums.ndcg += dcg(order, one.gains) / (dcg(ideal, one.gains) || 1);
      sums.share += topOf(order, one.gains) / (topOf(ideal, one.gains) || 1);
      sums.best +=
        Math.max(...order.slice(0, ASKED).map((place) => one.gains[place]!)) / (Math.max(...one.gains) || 1);
      const weights = scores.map((score) => Math.exp(score - Math.max(...scores)));
      sums.three += fusedGain(order.slice(0, ASKED), weights, one.grades);
      sums.all += fusedGain(order, weights, one.grades);
    }
  }
  const mean = (sum: number): number => round(sum / requests.length);
  return {
    ndcg_at_10: mean(sums.ndcg),
    gain_of_best_three: mean(sums.share),
    best_engine_of_three: mean(sums.best),
    // What the searcher gets: the fused results of the three asked, of those of all sixteen.
    fused_gain_of_three: round(sums.three / sums.all),
  };
}

function gradesOf(): Map<string, Map<string, number[]>> {
  const lists = new Map<string, number[]>();
  for (const line of linesOf('feb4rag/BEIR-QRELS-RM.txt')) {
    const fields = line.split(/\s+/);
    const list = lists.get(fields[0]!) ?? [];
    lists.set(fields[0]!, list);
    list.push(WORTH[Number(fields.at(-1))] ?? 0);
  }
  const cut = (list: number[]): [string, number[]][] =>
    BLOCKS.split(' ').map((engine, block) => [engine, list.slice(block * TOP, (block + 1) * TOP)]);
  return new Map([...lists].map(([id, list]) => [id, new Map(cut(list))]));
}

/** The discounted gain of ten results, fused as a search does: by rank, weighted with the router's confidence. */
function fusedGain(order: number[], weights: number[], grades: number[][]): number {
  return order
    .flatMap((engine) =>
      grades[engine]!.map((gain, rank) => ({ gain, vote: weights[engine]! / (61 + rank) })),
    )
    .sort((a, b) => b.vote - a.vote)
    .slice(0, TOP)
    .reduce((sum, { gain }, rank) => sum + gain / Math.log2(rank + 2), 0);
}

/** What an engine is worth beside the others: the square sets the good ones apart. */
function sharesOf(gains: number[]): number[] {
  const powers = gains.map((gain) => gain ** 2);
  const whole = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => (whole === 0 ? 1 / powers.length : power / whole));
}

/** Gains count linearly, as in the measure of FedWeb. */
function dcg(order: number[], gains: number[]): number {
  return order.slice(0, TOP).reduce((sum, place, rank) => sum + gains[place]! / Math.log2(rank + 2), 0);
}

function topOf(order: number[], gains: number[]): number {
  return order.slice(0, ASKED).reduce((sum, place) => sum + gains[place]!, 0);
}
