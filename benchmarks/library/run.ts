/**
 * The local index beside SQLite's FTS5 and minisearch: quality on ranking sets, and speed on many documents.
 *
 *   npx tsx benchmarks/library/run.ts [folder] [--documents 100000] [--engines headgate,fts5,minisearch] [--speed-only] [--json]
 *
 * The many documents are put together from sentences of the sets' English passages, about 200 words each, the same every time; queries are those of
 * the sets. Times are CPU, because the machine may be shared. Memory of ours is that of another process that only searches; of the
 * others that of this one, which has built them.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sharedPath } from '../../tests/shared.ts';
import { ndcg, readSets, spread, type RankingSet } from '../ranking/corpus.ts';
import { type BenchmarkDocument, createFts5, createMiniSearch, createOurs, type Engine } from './engines.ts';

const ENGLISH = /scifact|cranfield|xquad_en/;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    documents: { type: 'string', default: '100000' },
    engines: { type: 'string', default: 'headgate,fts5,minisearch' },
    'speed-only': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const folder = positionals[0] ?? sharedPath('corpora/ranking');
if (folder === undefined)
  throw new Error('Name a folder of ranking sets: npx tsx benchmarks/library/run.ts FOLDER');
const sets = readSets(folder);
const work = mkdtempSync(join(tmpdir(), 'headgate-benchmark-'));

const engineOf = (name: string): Engine => {
  if (name === 'headgate') return createOurs(join(work, 'library'));
  return name === 'fts5' ? createFts5(work) : createMiniSearch();
};
const names = values.engines.split(',');
const quality = (values['speed-only'] ? [] : names).map((name) => ({
  engine: name,
  ...measureQuality(name),
}));
const speed = names.map((name) => measureSpeed(name, Number(values.documents)));
rmSync(work, { recursive: true, force: true });
const report = {
  benchmark: 'library',
  commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
  node: process.version,
  machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
  quality,
  speed,
};
if (values.json) console.log(JSON.stringify(report, null, 2));
else {
  console.table(quality);
  console.table(speed);
}

function measureQuality(name: string): Record<string, number> {
  return Object.fromEntries(
    sets.map((set) => {
      const engine = engineOf(name);
      engine.build(set.passages);
      // Every query of the larger sets would take minutes in the slower engines.
      const queries = name === 'headgate' ? set.queries : spread(set.queries, 300);
      const sum = queries.reduce(
        (total, { id, text }) => total + ndcg(engine.search(text), set.grades.get(id) ?? new Map()),
        0,
      );
      return [set.name, round(sum / queries.length, 4)];
    }),
  );
}

function measureSpeed(name: string, count: number) {
  const engine = engineOf(name);
  const building = process.cpuUsage();
  engine.build(manyDocuments(sets, count));
  const built = process.cpuUsage(building);
  const queries = sets
    .filter(({ name: set }) => ENGLISH.test(set))
    .flatMap((set) => spread(set.queries, 100));
  for (const { text } of queries.slice(0, 50)) engine.search(text);
  const times = queries.map(({ text }) => {
    const started = process.cpuUsage();
    engine.search(text);
    const spent = process.cpuUsage(started);
    return (spent.user + spent.system) / 1_000;
  });
  times.sort((a, b) => a - b);
  return {
    engine: engine.name,
    documents: count,
    documentsPerCpuSecond: Math.round(count / ((built.user + built.system) / 1e6)),
    cpuMsP50: round(times[Math.floor(times.length * 0.5)] ?? 0, 2),
    cpuMsP99: round(times[Math.floor(times.length * 0.99)] ?? 0, 2),
    megabytesOnDisk: Math.round(engine.bytes() / 1e6),
    megabytesInMemory: name === 'headgate' ? searchMemory(queries) : megabytes(),
  };
}

function megabytes(): number {
  return Math.round(process.memoryUsage.rss() / 1e6);
}

/** Resident megabytes of a process that opens the library and asks all queries. */
function searchMemory(queries: { text: string }[]): number {
  const script = join(import.meta.dirname, 'memory.ts');
  const input = JSON.stringify(queries.map(({ text }) => text));
  return Number(
    execFileSync(process.execPath, ['--import', 'tsx', script, join(work, 'library')], {
      input,
      encoding: 'utf8',
    }),
  );
}

/** Documents of seven or so sentences from anywhere; a number of its own makes each one unique. */
function* manyDocuments(from: RankingSet[], count: number): Generator<BenchmarkDocument> {
  const sentences = from
    .filter(({ name }) => ENGLISH.test(name))
    .flatMap(({ passages }) => passages.flatMap(({ text }) => text.split(/(?<=[.!?])\s+/)))
    .filter((sentence) => sentence.length > 20);
  let state = 12_345;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let at = 0; at < count; at += 1) {
    const picked = Array.from({ length: 5 + random(7) }, () => sentences[random(sentences.length)] ?? '');
    yield { id: `d${at}`, title: (picked[0] ?? '').slice(0, 80), text: `${picked.join(' ')} ref${at}` };
  }
}

function round(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}
