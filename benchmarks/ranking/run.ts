/**
 * nDCG@10 of our passage ranking beside plain BM25, per development set, in two settings:
 *
 * - `pool`: the 50 passages that a search engine (plain BM25 over the whole corpus) returns for the query are ranked again. This is what
 *   the product does with the pages of a search, and where term weights from the candidates alone go wrong.
 * - `corpus`: all passages of the set are ranked for each query (a spread of the queries, so that a run takes minutes).
 *
 *   npx tsx benchmarks/ranking/run.ts [folder] [--json]
 */
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { addCounts, createQueryModel, termsOf, TITLE_TIMES } from '../../src/rank/bm25.ts';
import { sharedPath } from '../../tests/shared.ts';
import { best, ndcg, readSets, spread, type RankingSet } from './corpus.ts';
import { createPlainBm25 } from './plain-bm25.ts';

const POOL = 50;
const POOL_QUERIES_MAX = 1_200;
const CORPUS_SCORINGS_MAX = 300_000;

const folder =
  process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? sharedPath('corpora/ranking');
if (folder === undefined)
  throw new Error('Name a folder of ranking sets: npx tsx benchmarks/ranking/run.ts FOLDER');

const rows = readSets(folder).map(measure);
const mean = (pick: (row: (typeof rows)[number]) => number) =>
  round(rows.reduce((sum, row) => sum + pick(row), 0) / rows.length);
const report = {
  benchmark: 'ranking',
  commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
  node: process.version,
  machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
  sets: rows,
  mean: {
    poolPlain: mean((row) => row.poolPlain),
    poolOurs: mean((row) => row.poolOurs),
    corpusPlain: mean((row) => row.corpusPlain),
    corpusOurs: mean((row) => row.corpusOurs),
  },
};
if (process.argv.includes('--json')) console.log(JSON.stringify(report, null, 2));
else {
  console.table(Object.fromEntries(rows.map(({ set, ...row }) => [set, row])));
  console.table(report.mean);
}

function measure(set: RankingSet) {
  const texts = set.passages.map(({ title, text }) => (title === '' ? text : `${title}\n${text}`));
  const plain = createPlainBm25(texts);
  const terms = set.passages.map(({ title, text }) => ({ title: termsOf(title), text: termsOf(text) }));
  const ours = (query: string, among: number[]): number[] => {
    const model = createQueryModel(query);
    const counts = among.map((at) => {
      const { title, text } = terms[at] as (typeof terms)[number];
      return addCounts([model.count(title, TITLE_TIMES), model.count(text)]);
    });
    return best(model.score(counts), 10).map((at) => among[at] ?? 0);
  };
  const quality = (queries: RankingSet['queries'], rank: (query: string) => number[]): number =>
    round(
      queries.reduce((sum, { id, text }) => {
        const ranked = rank(text).map((at) => set.passages[at]?.id ?? '');
        return sum + ndcg(ranked, set.grades.get(id) ?? new Map());
      }, 0) / queries.length,
    );

  const poolQueries = spread(set.queries, POOL_QUERIES_MAX);
  const poolOf = (query: string) => best(plain(query), POOL);
  const poolPlain = quality(poolQueries, (query) => {
    const pool = poolOf(query);
    return best(createPlainBm25(pool.map((at) => texts[at] ?? ''))(query), 10).map((at) => pool[at] ?? 0);
  });
  const poolOurs = quality(poolQueries, (query) => ours(query, poolOf(query)));

  const everything = texts.map((_, at) => at);
  const corpusQueries = spread(set.queries, Math.ceil(CORPUS_SCORINGS_MAX / texts.length));
  const corpusPlain = quality(corpusQueries, (query) => best(plain(query), 10));
  const started = process.cpuUsage();
  const corpusOurs = quality(corpusQueries, (query) => ours(query, everything));
  const spent = process.cpuUsage(started);
  return {
    set: set.name,
    passages: texts.length,
    queries: poolQueries.length,
    poolPlain,
    poolOurs,
    poolGain: round(poolOurs - poolPlain),
    corpusQueries: corpusQueries.length,
    corpusPlain,
    corpusOurs,
    corpusGain: round(corpusOurs - corpusPlain),
    cpuMsPerQuery: round((spent.user + spent.system) / 1_000 / corpusQueries.length),
  };
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
