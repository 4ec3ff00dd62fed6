/**
 * The local index beside SQLite's FTS5 and minisearch: quality on ranking sets, and speed on many documents.
 *
 *   npx tsx benchmarks/library/run.ts [folder] [--documents 10000,100000] [--engines headgate,fts5,minisearch] [--work FOLDER] [--quality] [--plot]
 *
 * Prints JSON. With `--work` what was built stays there and is used again, so that a million documents can be built beforehand. With `--plot` the growth is
 * drawn into growth.svg and the figures are kept in growth.json, both beside this file; figures of earlier runs are kept where this one has none.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sharedPath } from '../../tests/support/shared.ts';
import { ndcg, readSets, spread } from '../ranking/corpus.ts';
import { report } from '../report.ts';
import { createFts5, createMiniSearch, createOurs, type Engine } from './engines.ts';
import { drawGrowth, type Figures } from './growth.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    documents: { type: 'string', default: '10000,100000' },
    engines: { type: 'string', default: 'headgate,fts5,minisearch' },
    work: { type: 'string' },
    quality: { type: 'boolean', default: false },
    plot: { type: 'boolean', default: false },
  },
});
const folder = positionals[0] ?? sharedPath('corpora/ranking');
if (folder === undefined)
  throw new Error('Name a folder of ranking sets: npx tsx benchmarks/library/run.ts FOLDER');
const work = values.work ?? mkdtempSync(join(tmpdir(), 'headgate-benchmark-'));
if (values.work === undefined) process.once('exit', () => rmSync(work, { recursive: true, force: true }));
const ORDER = ['headgate', 'fts5', 'minisearch'];
const names = values.engines.split(',');

const quality = values.quality ? names.map((name) => ({ engine: name, ...measureQuality(name) })) : [];
const speed = names.flatMap((name) =>
  values.documents
    .split(',')
    .map(Number)
    .filter((count) => isBearable(name, count))
    .map((count) => {
      const figures = measure(name, count);
      if (values.plot) keep([figures]);
      return figures;
    }),
);
report('library', { quality, speed });

/** FTS5 would take seconds per query at a million documents; minisearch did not finish a hundred thousand within five minutes. */
function isBearable(name: string, count: number): boolean {
  return name === 'headgate' || count <= (name === 'fts5' ? 100_000 : 10_000);
}

function measure(name: string, count: number): Figures {
  const script = join(import.meta.dirname, 'measure.ts');
  const argv = ['--expose-gc', '--import', 'tsx', script];
  // minisearch has nothing on the disk: whoever asks it builds it.
  for (const what of name === 'minisearch' ? ['query'] : ['build', 'query']) {
    const out = execFileSync(process.execPath, [...argv, what, name, String(count), work, folder ?? ''], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (what === 'query') return JSON.parse(out) as Figures;
  }
  throw new Error('A measurement ends with queries.');
}

function keep(fresh: Figures[]): void {
  const path = join(import.meta.dirname, 'growth.json');
  const before = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Figures[]) : [];
  const all = new Map([...before, ...fresh].map((one) => [`${one.engine} ${one.documents}`, one]));
  const sorted = [...all.values()].sort(
    (a, b) => ORDER.indexOf(a.engine) - ORDER.indexOf(b.engine) || a.documents - b.documents,
  );
  writeFileSync(path, `${JSON.stringify(sorted, null, 2)}\n`);
  writeFileSync(join(import.meta.dirname, 'growth.svg'), drawGrowth(sorted));
}

function engineOf(name: string): Engine {
  if (name === 'headgate') return createOurs(join(work, 'quality'));
  return name === 'fts5' ? createFts5(work) : createMiniSearch();
}

function measureQuality(name: string): Record<string, number> {
  return Object.fromEntries(
    readSets(folder ?? '').map((set) => {
      const engine = engineOf(name);
      engine.build(set.passages);
      // Every query of the larger sets would take minutes in the slower engines.
      const queries = name === 'headgate' ? set.queries : spread(set.queries, 300);
      const sum = queries.reduce(
        (total, { id, text }) => total + ndcg(engine.search(text), set.grades.get(id) ?? new Map()),
        0,
      );
      return [set.name, Math.round((sum / queries.length) * 1e4) / 1e4];
    }),
  );
}
