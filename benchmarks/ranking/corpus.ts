import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface RankingSet {
  name: string;
  passages: { id: string; title: string; text: string }[];
  queries: { id: string; text: string }[];
  /** query id → passage id → grade */
  grades: Map<string, Map<string, number>>;
}

/** All sets in a folder of folders with corpus.jsonl.gz, queries.jsonl and qrels.tsv (BEIR's layout). */
export const readSets = (folder: string): RankingSet[] =>
  readdirSync(folder)
    .sort()
    .map((name) => readSet(join(folder, name), name));

function readSet(folder: string, name: string): RankingSet {
  const passages = lines(gunzipSync(readFileSync(join(folder, 'corpus.jsonl.gz'))).toString()).map((line) => {
    const { _id, title, text } = JSON.parse(line) as { _id: string; title?: string; text: string };
    return { id: _id, title: (title ?? '').replaceAll('_', ' '), text };
  });
  const grades = new Map<string, Map<string, number>>();
  for (const line of lines(readFileSync(join(folder, 'qrels.tsv'), 'utf8'))) {
    const [query = '', passage = '', grade = '0'] = line.split('\t');
    const graded = grades.get(query) ?? new Map<string, number>();
    grades.set(query, graded.set(passage, Math.max(0, Number(grade))));
  }
  const queries = lines(readFileSync(join(folder, 'queries.jsonl'), 'utf8'))
    .map((line) => JSON.parse(line) as { _id: string; text: string })
    .map(({ _id, text }) => ({ id: _id, text }))
    .filter(({ id }) => [...(grades.get(id)?.values() ?? [])].some((grade) => grade > 0));
  return { name, passages, queries, grades };
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** nDCG at 10 with linear gains, as BEIR reports it. */
export function ndcg(ranked: string[], grades: Map<string, number>): number {
  const gain = (list: number[]) => list.reduce((sum, grade, at) => sum + grade / Math.log2(at + 2), 0);
  const ideal = [...grades.values()].sort((a, b) => b - a).slice(0, 10);
  return gain(ranked.slice(0, 10).map((id) => grades.get(id) ?? 0)) / gain(ideal);
}

/** At most `max` values, evenly spread and always the same. */
export function spread<Value>(values: Value[], max: number): Value[] {
  const step = Math.max(1, values.length / max);
  return Array.from(
    { length: Math.min(values.length, max) },
    (_, at) => values[Math.floor(at * step)] as Value,
  );
}

/** Indexes of the best scores above zero, best first. */
export const best = (scores: ArrayLike<number>, max: number): number[] =>
  Array.from({ length: scores.length }, (_, at) => at)
    .filter((at) => (scores[at] ?? 0) > 0)
    .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
    .slice(0, max);
