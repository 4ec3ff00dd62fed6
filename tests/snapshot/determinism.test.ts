import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { bundled } from '../support/bundled.ts';
import { searchers, simSettings } from '../support/every-provider.ts';
import { sized } from '../support/sized.ts';
import type { SnapshotJob, SnapshotRun } from '../support/snapshot-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'determinism-'));
const at = (name: string): string => join(folder, name);
let sim: Sim;
let program: Awaited<ReturnType<typeof bundled>>;
beforeAll(async () => {
  [sim, program] = await Promise.all([
    startSim({ upstreams: simUpstreams }),
    bundled(join(import.meta.dirname, '../support/snapshot-run.ts')),
  ]);
}, 120_000);
afterAll(async () => {
  await sim.close();
  program.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function play(
  name: string,
  job: Omit<SnapshotJob, 'home' | 'calls'> & { calls?: SnapshotJob['calls'] },
) {
  const calls = job.calls ?? mixedCalls();
  writeFileSync(at(`${name}.json`), JSON.stringify({ home: at(name), ...job, calls } satisfies SnapshotJob));
  await promisify(execFile)(process.execPath, [program.file, at(`${name}.json`), at(`${name}.out`)], {
    timeout: 1_500_000,
  });
  return JSON.parse(readFileSync(at(`${name}.out`), 'utf8')) as SnapshotRun;
}

const settings = (
  mode: string,
  file: string,
  more: Record<string, unknown> = {},
): Record<string, unknown> => ({
  'web.mode': mode,
  'web.snapshot': at(file),
  'web.seed': 'determinism',
  'guard.allow': ['127.0.0.1'],
  'guard.ports': [sim.port],
  'search.retry_base_ms': 1,
  ...Object.assign({}, ...searchers.map((provider) => simSettings(provider, sim.url))),
  ...more,
});

/** Everything but the keys. */
const keyless = (given: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !name.endsWith('api_key')));

const CALLS = sized('calls that are recorded and replayed', { small: 12, large: 200, full: 200 });

/** Calls of every operation and to every provider; some fail. */
function mixedCalls(): SnapshotJob['calls'] {
  const page = (name: string): string => `${sim.url}/web/${name}`;
  const ids = searchers.map(({ id }) => id);
  const readers = searchers.filter(({ extract }) => extract !== undefined).map(({ id }) => id);
  const kinds: ((nth: number) => SnapshotJob['calls'][number])[] = [
    (nth) => ['search', { query: `tidal mills ${nth % 7}`, provider: ids[nth % ids.length] }],
    (nth) => ['search', { query: 'tidal mills', provider: ids[(nth + 5) % ids.length], time_range: 'week' }],
    (nth) => ['search', { query: `mills ${nth}`, provider: ['tavily', 'brave'], strategy: 'merge' }],
    () => ['search', { query: 'mills at night', provider: ['brave', 'tavily'], include_answer: true }],
    (nth) => [
      'extract',
      { urls: [page('river'), page('nowhere'), page(nth % 2 === 0 ? 'mill' : 'history')] },
    ],
    (nth) => ['extract', { urls: [page('mill')], provider: readers[nth % readers.length] }],
    (nth) => ['crawl', { url: page(''), limit: 2 + (nth % 4), max_depth: 2 }],
    (nth) => ['map', { url: page(''), limit: 3 + (nth % 4) }],
    (nth) => ['answer', { query: `Who runs mill number ${nth % 3}?` }],
    () => ['tool web_search', { query: 'tidal mills' }],
    () => ['search', { query: '' }],
    (nth) =>
      nth % 24 === 11
        ? ['research', { query: `the mill ${nth}`, max_iterations: 1 }]
        : ['tool fetch_url', { url: page('river') }],
  ];
  return Array.from({ length: CALLS }, (_, nth) => (kinds[nth % kinds.length] ?? kinds[0])?.(nth) as never);
}

test('a replay without a network and without keys gives the bytes of the recording, in any order', async () => {
  const recorded = await play('record', {
    config: settings('record', 'run.wacz'),
    rounds: [1],
    isOffline: false,
  });
  const rounds = [
    1,
    ...Array.from(
      { length: sized('replays', { small: 1, large: 20, full: 20 }) },
      (_, nth) => 1 + ((nth * 7 + 3) % 16),
    ),
  ];
  const replayed = await play('replay', {
    config: keyless(settings('replay', 'run.wacz')),
    rounds,
    isOffline: true,
  });
  expect(replayed.sockets).toBe(0);
  expect(replayed.answers).toEqual(recorded.answers);
  expect(new Set(replayed.sums).size).toBe(1);
  const failed = recorded.answers.filter((answer) => /"code":"(?!invalid_request)/.test(answer.slice(0, 60)));
  expect(failed).toEqual([]);
}, 1_800_000);

test('a race has the same winner in every replay', async () => {
  const calls: SnapshotJob['calls'] = Array.from(
    { length: sized('races that are recorded', { small: 4, large: 8, full: 8 }) },
    (_, nth) => [
      'search',
      { query: `mills ${nth % 6}`, provider: ['tavily', 'brave', 'exa'], strategy: 'fastest' },
    ],
  );
  const recorded = await play('race', {
    config: settings('record', 'race.wacz'),
    calls,
    rounds: [1],
    isOffline: false,
  });
  expect(recorded.answers.filter((answer) => !answer.includes('"outcome":"ok"'))).toEqual([]);
  const config = keyless(settings('replay', 'race.wacz'));
  const rounds = [8, 3, 1].slice(0, sized('replays of a race', { small: 1, large: 3, full: 3 }));
  const replayed = await play('races', { config, calls, rounds, isOffline: true });
  expect(replayed.answers).toEqual(recorded.answers);
  expect([new Set(replayed.sums).size, replayed.sockets]).toEqual([1, 0]);
}, 300_000);

test('the same run with the same seed gives the same file', async () => {
  const calls = mixedCalls().slice(
    0,
    sized('calls that are recorded twice', { small: 2, large: 200, full: 200 }),
  );
  const sums: string[] = [];
  for (const name of ['first', 'second']) {
    const config = settings('record', `${name}.wacz`);
    await play(name, { config, calls, rounds: [1], time: Date.UTC(2026, 0, 1), isOffline: false });
    sums.push(
      createHash('sha256')
        .update(readFileSync(at(`${name}.wacz`)))
        .digest('hex'),
    );
  }
  expect(sums[0]).toBe(sums[1]);
}, 1_800_000);
