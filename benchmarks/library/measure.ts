/**
 * One engine over one number of documents, in a process of its own: builds what is not yet built, or asks all queries of it, and prints the
 * figures as JSON. `run.ts` starts it.
 *
 *   npx tsx benchmarks/library/measure.ts build|query ENGINE DOCUMENTS WORK_FOLDER SETS_FOLDER
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSets, spread } from '../ranking/corpus.ts';
import { manyDocuments, manyQueries } from './documents.ts';
import { createFts5, createMiniSearch, createOurs, type Engine } from './engines.ts';

const [what = '', name = '', documents = '', work = '', sets = ''] = process.argv.slice(2);
const count = Number(documents);
const folder = join(work, `${name}-${count}`);
const built = join(folder, 'built.json');
mkdirSync(folder, { recursive: true });

/** minisearch has nothing on the disk, so it is built by whoever asks it. */
const isBuilt = existsSync(built) && name !== 'minisearch';
const full = engineOf(isBuilt);
if (!isBuilt) writeFileSync(built, JSON.stringify(build(full)));
if (what === 'query')
  console.log(JSON.stringify({ ...(JSON.parse(readFileSync(built, 'utf8')) as object), ...ask(full) }));

function engineOf(keep: boolean): Engine {
  if (name === 'headgate') return createOurs(join(folder, 'library'), keep);
  return name === 'fts5' ? createFts5(folder, keep) : createMiniSearch();
}

function build(empty: Engine): object {
  const started = process.cpuUsage();
  empty.build(manyDocuments(readSets(sets), count));
  const { user, system } = process.cpuUsage(started);
  return {
    engine: name,
    documents: count,
    documentsPerCpuSecond: Math.round(count / ((user + system) / 1e6)),
    megabytesOnDisk: Math.round(empty.bytes() / 1e6),
  };
}

function ask(whole: Engine): object {
  // The slower engines would take many minutes for all of them.
  const queries = spread(manyQueries(readSets(sets)), name === 'headgate' ? 300 : 60);
  // What reading the sets left behind is not the engine's.
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const first = askAll(whole, queries);
  const again = askAll(whole, queries);
  return {
    queries: queries.length,
    cpuMsP50: share(again.cpu, 0.5),
    cpuMsP99: share(again.cpu, 0.99),
    msP50: share(again.wall, 0.5),
    msP99: share(again.wall, 0.99),
    /** Nothing compiled and nothing in memory yet. */
    coldCpuMsP50: share(first.cpu, 0.5),
    coldCpuMsP99: share(first.cpu, 0.99),
    megabytesResident: Math.round(process.memoryUsage.rss() / 1e6),
    megabytesBefore: Math.round(before / 1e6),
  };
}

function askAll(engine: Engine, queries: string[]): { wall: number[]; cpu: number[] } {
  const wall: number[] = [];
  const cpu: number[] = [];
  for (const text of queries) {
    const before = process.cpuUsage();
    const started = performance.now();
    engine.search(text);
    wall.push(performance.now() - started);
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1_000);
  }
  return { wall, cpu };
}

function share(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round((sorted[Math.floor(sorted.length * part)] ?? 0) * 100) / 100;
}
