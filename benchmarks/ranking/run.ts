/**
 * nDCG@10 of our passage ranking beside plain BM25, per development set, in two settings:
 *
 * - `pool`: the 50 passages that a search engine (plain BM25 over the whole corpus) returns for the query are ranked again. This is what
 *   the product does with the pages of a search, and where term weights from the candidates alone go wrong.
 * - `corpus`: all passages of the set are ranked.
 *
 *   npx tsx benchmarks/ranking/run.ts [folder] [--json]
 */
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { addAgreement } from '../../src/rank/agreement.ts';
import { addCounts, createQueryModel, termsOf, TITLE_TIMES } from '../../src/rank/bm25.ts';
import { tokenise } from '../../src/rank/tokenise.ts';
import { sharedPath } from '../../tests/support/shared.ts';
import { best, ndcg, readSets, spread, type RankingSet } from './corpus.ts';
import { createPlainBm25 } from './plain-bm25.ts';

const POOL = 50;
const QUERIES_MAX = 1_200;

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
    const scores = model.score(counts);
    addAgreement(scores, (place) => tokenise(texts[among[place] ?? 0] ?? ''));
    return best(scores, 10).map((at) => among[at] ?? 0);
  };
  const queries = spread(set.queries, QUERIES_MAX);
  const quality = (rank: (query: string) => number[]): number =>
    round(
      queries.reduce((sum, { id, text }) => {
        const ranked = rank(text).map((at) => set.passages[at]?.id ?? '');
        return sum + ndcg(ranked, set.grades.get(id) ?? new Map());
      }, 0) / queries.length,
    );

  const pools = new Map(queries.map(({ text }) => [text, best(plain(text), POOL)]));
  const poolOf = (query: string) => pools.get(query) ?? [];
  const poolPlain = quality((query) =>
    best(plain(query, poolOf(query)), 10).map((at) => poolOf(query)[at] ?? 0),
  );
  const poolOurs = quality((query) => ours(query, poolOf(query)));

  const everything = texts.map((_, at) => at);
  const corpusPlain = quality((query) => poolOf(query).slice(0, 10));
  const started = process.cpuUsage();
  const corpusOurs = quality((query) => ours(query, everything));
  const spent = process.cpuUsage(started);
  return {
    set: set.name,
    passages: texts.length,
    queries: queries.length,
    poolPlain,
    poolOurs,
    poolGain: round(poolOurs - poolPlain),
    corpusPlain,
    corpusOurs,
    corpusGain: round(corpusOurs - corpusPlain),
    cpuMsPerQuery: round((spent.user + spent.system) / 1_000 / queries.length),
  };
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
