/**
 * One engine over one number of documents, in a process of its own: builds what is not yet built, or asks all queries of it, and prints the
 * figures as JSON. `run.ts` starts it.
 *
 *   npx tsx benchmarks/library/measure.ts build|query ENGINE DOCUMENTS WORK_FOLDER SETS_FOLDER
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSets } from '../ranking/corpus.ts';
import { manyDocuments, manyQueries } from './documents.ts';
import { createFts5, createMiniSearch, createOurs, type Engine } from './engines.ts';

const [what = '', name = '', documents = '', work = '', sets = ''] = process.argv.slice(2);
const count = Number(documents);
const folder = join(work, `${name}-${count}`);
const built = join(folder, 'built.json');
mkdirSync(folder, { recursive: true });

/** minisearch has nothing on the disk, so it is built by whoever asks it. */
const isBuilt = existsSync(built) && name !== 'minisearch';
const engine = engineOf(isBuilt);
if (!isBuilt) writeFileSync(built, JSON.stringify(build(engine)));
if (what === 'query')
  console.log(JSON.stringify({ ...(JSON.parse(readFileSync(built, 'utf8')) as object), ...ask(engine) }));

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

function ask(full: Engine): object {
  const queries = manyQueries(readSets(sets));
  // What reading the sets left behind is not the engine's.
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  for (const text of queries) full.search(text);
  const times: number[] = [];
  const cpu = process.cpuUsage();
  for (const text of queries) {
    const started = performance.now();
    full.search(text);
    times.push(performance.now() - started);
  }
  const { user, system } = process.cpuUsage(cpu);
  times.sort((a, b) => a - b);
  return {
    queries: queries.length,
    msP50: round(times[Math.floor(times.length * 0.5)] ?? 0),
    msP99: round(times[Math.floor(times.length * 0.99)] ?? 0),
    cpuMsMean: round((user + system) / 1_000 / queries.length),
    megabytesResident: Math.round(process.memoryUsage.rss() / 1e6),
    megabytesBefore: Math.round(before / 1e6),
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
