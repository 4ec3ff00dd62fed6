import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { systemClock } from '../../src/core/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import { extract } from '../../src/operations/extract/extract.ts';
import { addToLibrary, type AddRequest } from '../../src/operations/library/add.ts';
import { createCall, perform } from '../../src/operations/perform.ts';
import { search } from '../../src/operations/search/search.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { readingThreads } from '../support/reading-threads.ts';

/** Pages of the simulator's small web on their way into libraries, through the real guard. */
let sim: Sim;
let engine: Engine;
const home = mkdtempSync(join(tmpdir(), 'headgate-library-web-'));
let later = 0;
/** The real clock, which the guard needs for its deadlines, and some days later when a test says so. */
const clock = { ...systemClock, now: () => systemClock.now() + later };

beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
});
let number = 0;
const open = (flags: Record<string, unknown> = {}): Engine =>
  createEngine(
    loadConfig({
      flags: { 'guard.ports': [sim.port], 'guard.allow': ['127.0.0.1'], 'search.retries': 0, ...flags },
    }).config,
    { log: silentLogger, home: join(home, String((number += 1))), clock, pool: readingThreads },
  );
beforeEach(() => {
  engine = open();
  return () => engine.close();
});
afterAll(async () => {
  await sim.close();
  rmSync(home, { recursive: true, force: true });
});

const add = (request: AddRequest, signal?: AbortSignal) => {
  const told: number[] = [];
  const control = { signal, progress: ({ done }: { done: number }) => void told.push(done) };
  return addToLibrary(request, control, engine.services).then((report) => ({ ...report, told }));
};
const titles = async (text: string, workspace?: string): Promise<string[]> => {
  const { hits } = await engine.services.library.of(workspace).search({ text, resultsMax: 10 });
  return hits.map(({ title }) => title);
};

describe('adding from the web', () => {
  test('a page is read and found', async () => {
    expect(await add({ source: `${sim.url}/web/river/gate` })).toMatchObject({ added: 1, problems: [] });
    expect(await titles('cubic metres per second')).toEqual(['The Headgate']);
    expect(await add({ source: `${sim.url}/web/river/gate` })).toMatchObject({ added: 0, unchanged: 1 });
  });

  test('a page that fails is a problem with a name, not a failure of the whole', async () => {
    expect(await add({ source: `${sim.url}/web/nothing-here` })).toMatchObject({
      added: 0,
      problemsTotal: 1,
      problems: [{ path: `${sim.url}/web/nothing-here`, code: 'page_status' }],
    });
  });

  test('a site is walked by its links, as robots.txt allows, with progress', async () => {
    const report = await add({ source: `${sim.url}/web/`, depth: 2, limit: 50 });
    expect(report.added).toBe(5);
    expect(report.told.at(-1)).toBeGreaterThanOrEqual(5);
    expect(report.problems.map(({ path }) => new URL(path).pathname).toSorted()).toEqual([
      '/web/broken',
      '/web/private/diary',
    ]);
    expect(await titles('ground wheat')).toContain('The Mill');
    expect(await titles('nobody may read this')).not.toContain('Diary');
  });

  test('the limit of a site is kept and said', async () => {
    const report = await add({ source: `${sim.url}/web/`, depth: 3, limit: 2 });
    expect(report.added + report.problemsTotal).toBe(3);
    expect(report.problems.at(-1)).toMatchObject({ code: 'limit_reached' });
    await expect(add({ source: `${sim.url}/web/`, limit: 0 })).rejects.toThrow('limit: 1 to');
  });

  test('a sitemap names the pages to add', async () => {
    const report = await add({ source: `${sim.url}/sitemap.xml` });
    expect(report.added).toBeGreaterThan(0);
    await expect(add({ source: `${sim.url}/web/sitemap.xml` })).rejects.toMatchObject({
      code: 'extract_failed',
    });
  });

  test('what the guard forbids is not added either', async () => {
    const closed = open({ 'guard.allow': [] });
    const report = await addToLibrary({ source: `${sim.url}/web/river` }, {}, closed.services);
    expect(report.problems).toMatchObject([{ code: 'blocked_host' }]);
    await closed.close();
  });

  test('a cancelled addition keeps what it has', async () => {
    const report = await add({ source: `${sim.url}/web/river` }, AbortSignal.abort());
    expect(report).toMatchObject({ added: 0, cancelled: true });
  });
});

describe('workspaces', () => {
  test('a workspace finds its own pages and the shared ones, never those of another', async () => {
    await add({ source: `${sim.url}/web/river` });
    await add({ source: `${sim.url}/web/mill`, workspace: 'ws_one' });
    await add({ source: `${sim.url}/web/history`, workspace: '../ws_two' });
    const all = 'river mill history canal wheat';
    expect((await titles(all)).toSorted()).toEqual(['The River']);
    expect((await titles(all, 'ws_one')).toSorted()).toEqual(['The Mill', 'The River']);
    expect((await titles(all, '../ws_two')).toSorted()).toEqual(['History', 'The River']);
    expect((await titles(all, 'ws_three')).toSorted()).toEqual(['The River']);
  });

  test('a search as provider `local` sees what its caller may see, also right after an addition', async () => {
    const { services } = engine;
    const ask = async (workspace: string) => {
      const call = createCall(services, { caller: { workspace } });
      const { results } = await perform(
        search,
        { query: 'wheat mill', provider: 'local' },
        { call, services },
      );
      return results.map(({ title }) => title);
    };
    expect(await ask('ws_one')).toEqual([]);
    await add({ source: `${sim.url}/web/mill`, workspace: 'ws_one' });
    expect(await ask('ws_one')).toEqual(['The Mill']);
    expect(await ask('ws_two')).toEqual([]);
  });
});

describe('[library] keep', () => {
  /** Pages are kept behind the back of the call. */
  const WAIT = { timeout: 20_000 };
  const read = async (kept: Engine, path: string, workspace: string): Promise<number> => {
    const call = createCall(kept.services, { caller: { workspace } });
    const output = await perform(
      extract,
      { urls: [`${sim.url}/web${path}`], query: 'first canal' },
      { call, services: kept.services },
    );
    return output.credits;
  };

  test('everything that is read is kept whole, for its workspace, for its time, and costs nothing', async () => {
    const kept = open({ 'library.keep': true, 'library.keep_days': 2 });
    expect(await read(kept, '/history', 'ws_one')).toBe(0);
    expect(await read(kept, '/mill', 'ws_two')).toBe(0);
    const { library } = kept.services;
    const found = async (text: string, workspace: string) => {
      const { hits } = await library.of(workspace).search({ text, resultsMax: 5 });
      return hits.map(({ title }) => title);
    };
    await expect.poll(() => found('follow the links below', 'ws_one'), WAIT).toEqual(['History']);
    await expect.poll(() => found('wheat', 'ws_two'), WAIT).toEqual(['The Mill']);
    expect(await found('wheat', 'ws_one')).toEqual([]);
    later = 3 * 86_400_000;
    expect(await found('follow the links below', 'ws_one')).toEqual([]);
    expect(await library.of('ws_one').compact()).toEqual({ removed: 1 });
    later = 0;
    await kept.close();
  });

  test('nothing is kept unless the operator says so', async () => {
    await read(engine, '/history', 'ws_one');
    expect(await engine.services.library.of('ws_one').stats()).toMatchObject({ documents: 0 });
  });
});
