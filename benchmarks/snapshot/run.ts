/**
 * A recorded web that is asked in other words: SciFact as pages of a snapshot, and its claims as questions that nobody recorded, beside the
 * local index over the same documents.
 *
 *   npx tsx benchmarks/snapshot/run.ts [folder of ranking sets]
 *
 * Prints JSON. Nothing is sent: there is no provider behind the snapshot.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestClock } from '../../tests/support/clock.ts';
import { createHeadgate } from '../../src/index.ts';
import { openMode } from '../../src/snapshot/mode.ts';
import { sharedPath } from '../../tests/support/shared.ts';
import { createOurs } from '../library/engines.ts';
import { ndcg, readSets, spread, type RankingSet } from '../ranking/corpus.ts';
import { report } from '../report.ts';

const folder = process.argv[2] ?? sharedPath('corpora/ranking');
if (folder === undefined)
  throw new Error('Name a folder of ranking sets: npx tsx benchmarks/snapshot/run.ts FOLDER');
const set = readSets(folder).find(({ name }) => name === 'scifact');
if (set === undefined) throw new Error('There is no scifact in that folder.');
const work = mkdtempSync(join(tmpdir(), 'headgate-benchmark-'));
const ASKING = [
  'is it true that',
  'what is known about whether',
  'evidence on',
  'do studies say',
  'tell me if',
];
const queries = spread(set.queries, 300).map(({ id, text }, at) => ({
  id,
  text: reworded(text, ASKING[at % ASKING.length] ?? ''),
}));

try {
  const library = ndcgOfLibrary(set);
  const begun = performance.now();
  const path = await record(set);
  const recordedMs = performance.now() - begun;
  const frozen = await ndcgOfSnapshot(path, set);
  report('snapshot', {
    pages: set.passages.length,
    queries: queries.length,
    ndcg_library: library,
    ndcg_snapshot: frozen.ndcg,
    ratio: frozen.ndcg / library,
    unanswered: frozen.missed,
    seconds_to_record: recordedMs / 1_000,
    seconds_to_index: frozen.indexMs / 1_000,
    search_ms_median: frozen.medianMs,
  });
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** The second half of a claim before the first, inside a question, without capitals and punctuation. */
function reworded(text: string, asking: string): string {
  const words = text
    .toLowerCase()
    .replaceAll(/[.,;:!?()]/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '');
  const half = Math.ceil(words.length / 2);
  return [asking, ...words.slice(half), 'and', ...words.slice(0, half)].join(' ');
}

function ndcgOfLibrary({ passages, grades }: RankingSet): number {
  const engine = createOurs(join(work, 'library'));
  engine.build(passages);
  return mean(
    queries.map(({ id, text }) => ndcg(engine.search(text), grades.get(id) ?? new Map<string, number>())),
  );
}

/** Every passage as a page. */
async function record({ passages }: RankingSet): Promise<string> {
  const path = join(work, 'scifact.wacz');
  const { web, close } = openMode({
    mode: 'record',
    snapshots: [path],
    misses: undefined,
    isPacked: true,
    providers: { tavily: 1, headgate: 0 },
    clock: createTestClock(),
    secrets: [],
  });
  for (const { id, title, text } of passages) {
    const html = `<html><head><title>${escaped(title)}</title></head><body><article><h1>${escaped(title)}</h1><p>${escaped(text)}</p></article></body></html>`;
    const request = {
      url: new URL(`https://papers.example/${id}`),
      method: 'GET' as const,
      headers: {},
      bytesMax: 10_000_000,
      tooLarge: () => new Error('too large'),
    };
    const answer = {
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
      bytes: Buffer.from(html),
    };
    await web.exchange(request, 'page', () => ({ done: Promise.resolve(answer), abort: () => {} })).done;
  }
  await close();
  return path;
}

async function ndcgOfSnapshot(path: string, { grades }: RankingSet) {
  const web = createHeadgate({
    home: work,
    config: {
      'web.mode': 'replay',
      'web.snapshot': path,
      'search.provider': 'tavily',
      'search.timeout_ms': 600_000,
    },
  });
  const begun = performance.now();
  await web.search({ query: 'cells' });
  const indexMs = performance.now() - begun;
  const times: number[] = [];
  let missed = 0;
  const scores: number[] = [];
  for (const { id, text } of queries) {
    const started = performance.now();
    const found = await web.search({ query: text, max_results: 10 }).catch(() => undefined);
    times.push(performance.now() - started);
    if (found === undefined) missed += 1;
    const ids = (found?.results ?? []).map(({ url }) => url.split('/').at(-1) ?? '');
    scores.push(ndcg(ids, grades.get(id) ?? new Map<string, number>()));
  }
  await web.close();
  return {
    ndcg: mean(scores),
    missed,
    indexMs,
    medianMs: times.toSorted((a, b) => a - b)[times.length >> 1],
  };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
