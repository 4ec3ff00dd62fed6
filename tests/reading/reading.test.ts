import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import { crawl, map } from '../../src/operations/crawl/crawl.ts';
import { extract } from '../../src/operations/extract/extract.ts';
import { createCall, perform } from '../../src/operations/perform.ts';
import { search } from '../../src/operations/search/search.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { createMovableClock } from '../support/movable-clock.ts';
import { until } from '../support/until.ts';
import { readingThreads } from '../support/reading-threads.ts';

/** The whole road over the small web: real guard, real sockets, the operator's allow list opening this machine. */
let sim: Sim;
let engine: Engine;
const clock = createMovableClock();

beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
  engine = engineWith({ 'guard.allow': ['127.0.0.1'] });
});
afterAll(async () => {
  await engine.close();
  await sim.close();
});
beforeEach(() => sim.reset());

const engineWith = (flags: Record<string, unknown>): Engine =>
  createEngine(
    loadConfig({
      flags: {
        'guard.ports': [sim.port],
        'providers.duckduckgo.base_url': `${sim.url}/duckduckgo`,
        'providers.duckduckgo.pace_ms': 0,
        ...flags,
      },
    }).config,
    { log: silentLogger, clock, pool: readingThreads },
  );

type Asked<Input, Output> = Parameters<typeof perform<Input, Output>>[0];
const runWith = <Input, Output>(
  services: Engine['services'],
  operation: Asked<Input, Output>,
  input: unknown,
  signal?: AbortSignal,
) =>
  perform(operation, input, { call: createCall(services, signal === undefined ? {} : { signal }), services });
const run = <Input, Output>(operation: Asked<Input, Output>, input: unknown, signal?: AbortSignal) =>
  runWith(engine.services, operation, input, signal);
const isAsked = (path: string): boolean => sim.requests.some((request) => request.url.pathname === path);
const web = (path: string): string => `${sim.url}/web${path}`;

describe('extract over the small web', () => {
  test('reads a page as Markdown with its title, without the navigation', async () => {
    const output = await run(extract, { urls: [web('/river/gate')] });
    expect(output.outcome).toBe('ok');
    expect(output.results[0]).toMatchObject({
      title: 'The Headgate',
      provider: 'headgate',
      trust: 'untrusted_web',
    });
    expect(output.results[0]?.raw_content).toContain('built in 1911');
  });

  test('F58: one bad URL costs only itself, and every failure has a code', async () => {
    const urls = [
      web('/mill'),
      web('/nowhere'),
      'ftp://x.example/',
      'http://169.254.169.254/latest',
      'not a url',
    ];
    const output = await run(extract, { urls });
    expect(output.outcome).toBe('partial');
    expect(output.results.map((hit) => hit.url)).toEqual([web('/mill')]);
    expect(Object.fromEntries(output.failed_results.map((one) => [one.url, one.code]))).toEqual({
      [web('/nowhere')]: 'NOT_FOUND',
      'ftp://x.example/': 'INVALID_URL',
      'http://169.254.169.254/latest': 'BLOCKED_HOST',
      'not a url': 'INVALID_URL',
    });
    expect(output.failed_results.every((one) => one.error.length > 10)).toBe(true);
  });

  test('a query returns only the passages that answer it', async () => {
    const output = await run(extract, {
      urls: [web('/mill')],
      query: 'who runs the mill',
      chunks_per_source: 1,
    });
    expect(output.results[0]?.chunks).toHaveLength(1);
    expect(output.results[0]?.raw_content).toContain('Aldana');
  });

  test('a page without content is degraded, not an empty success', async () => {
    const output = await run(extract, { urls: [web('/shell')] });
    expect(output).toMatchObject({
      outcome: 'degraded',
      results: [{ outcome: 'degraded', reason: expect.any(String) }],
    });
  });

  test('duplicates are read once', async () => {
    await run(extract, { urls: [web('/plain'), web('/plain')] });
    expect(sim.requests.filter((request) => request.url.pathname === '/web/plain')).toHaveLength(1);
  });

  test('a page that hangs is one TIMEOUT, the others are there', async () => {
    sim.script('/web/river', [{ kind: 'hang' }]);
    let read = 0;
    const reading = runWith(
      {
        ...engine.services,
        extract: async (...page) => {
          const extracted = await engine.services.extract(...page);
          read += 1;
          return extracted;
        },
      },
      extract,
      { urls: [web('/mill'), web('/river')] },
    );
    await until(() => read === 1 && isAsked('/web/river'), 20_000);
    clock.move(30_000);
    const output = await reading;
    expect(output.results).toHaveLength(1);
    expect(output.failed_results).toMatchObject([{ url: web('/river'), code: 'TIMEOUT' }]);
  });

  test('a cancelled call stops', async () => {
    sim.script('/web/river', [{ kind: 'hang' }]);
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 50);
    await expect(run(extract, { urls: [web('/river')] }, abort.signal)).rejects.toMatchObject({
      code: 'cancelled',
    });
  });
});

describe('depth of our own', () => {
  test('advanced search over a snippet provider reads the pages it may and keeps the snippets of the others', async () => {
    const output = await run(search, { query: 'valley', search_depth: 'advanced', max_results: 3 });
    expect(output.results).toHaveLength(3);
    // The simulated results point to hosts that do not exist, so nothing can be read, and that is said.
    expect(output.warnings.join(' ')).toMatch(/3 pages could not be read/);
  });

  test('an answer without a model is quoted from the results and says so', async () => {
    const output = await run(search, {
      query: 'rust programming examples',
      include_answer: true,
      max_results: 5,
    });
    expect(output.answer).toMatch(/^Quoted from the results: “/);
  });
});

describe('map and crawl', () => {
  test('map lists what links and sitemap show, and robots.txt is honoured', async () => {
    const output = await run(map, { url: web('/'), max_depth: 2 });
    expect(output.results).toEqual(
      expect.arrayContaining([
        web('/river'),
        web('/mill'),
        web('/river/gate'),
        web('/history'),
        web('/only-in-sitemap'),
      ]),
    );
    expect(new Set(output.results).size).toBe(output.results.length);
    expect(sim.requests.some((request) => request.url.pathname.startsWith('/web/private'))).toBe(false);
    expect(output.skipped).toContainEqual({
      url: web('/private/diary'),
      reason: 'robots.txt does not allow it',
    });
  });

  test('crawl returns content, each page once although links differ in tracking parameters', async () => {
    const output = await run(crawl, { url: web('/'), max_depth: 2, exclude_paths: ['/private'] });
    const paths = output.results.map((page) => new URL(page.url).pathname);
    expect(paths.filter((path) => path === '/web/mill')).toHaveLength(1);
    expect(output.results.find((page) => page.url === web('/river/gate'))?.raw_content).toContain('1911');
  });

  test('instructions put the matching page first and return its passages', async () => {
    const output = await run(crawl, {
      url: web('/'),
      max_depth: 3,
      instructions: 'when was the headgate built',
      chunks_per_source: 1,
    });
    expect(output.results[0]?.url).toBe(web('/river/gate'));
    expect(output.results[0]?.raw_content.length).toBeLessThanOrEqual(500);
  });

  test.each([
    [{ max_depth: 1 }, '/river/gate', false],
    [{ max_depth: 2, select_paths: ['^/web/river'] }, '/mill', false],
    [{ max_depth: 2, max_breadth: 1 }, '/mill', false],
    [{ max_depth: 2 }, '/river/gate', true],
  ])('bounds hold: %j', async (bounds, path, isFound) => {
    const output = await run(crawl, { url: web('/'), ...bounds });
    expect(output.results.some((page) => page.url === web(path))).toBe(isFound);
  });

  test('limit cuts the walk and a cursor goes on exactly there', async () => {
    const first = await run(crawl, { url: web('/'), max_depth: 3, limit: 2 });
    expect(first.results).toHaveLength(2);
    const second = await run(crawl, { url: web('/'), max_depth: 3, cursor: first.cursor });
    const urls = [...first.results, ...second.results].map((page) => page.url);
    expect(new Set(urls).size).toBe(urls.length);
    expect(urls).toContain(web('/river/gate'));
    await expect(run(crawl, { url: web('/'), cursor: first.cursor })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('partial results at the deadline, and a cursor that leads to the rest', async () => {
    sim.script('/web/mill', [{ kind: 'hang' }]);
    const walking = run(crawl, { url: web('/'), max_depth: 1, timeout: 20 });
    await until(() => isAsked('/web/mill'), 20_000);
    clock.move(20_000);
    const output = await walking;
    expect(output.outcome).toBe('partial');
    expect(output.results[0]?.url).toBe(web('/'));
    expect(output.warnings).toEqual(['The time ran out; this is what was found by then.']);
    const rest = await run(crawl, { url: web('/'), max_depth: 1, cursor: output.cursor });
    expect(rest.results.map((page) => page.url)).toContain(web('/mill'));
  });

  test('a sitemap that hangs until the deadline costs nothing of what the links show', async () => {
    sim.script('/sitemap.xml', [{ kind: 'hang' }]);
    const walking = run(map, { url: web('/'), timeout: 5 });
    await until(() => isAsked('/sitemap.xml'), 20_000);
    clock.move(5_000);
    const output = await walking;
    expect(output.results).toContain(web('/mill'));
    expect(output).toMatchObject({
      outcome: 'partial',
      warnings: ['The time ran out over the sitemap; this is what the links show.'],
    });
  });

  test('a pattern that is none is refused in words', async () => {
    await expect(run(map, { url: web('/'), select_paths: ['('] })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  test('a start that is private is refused when the operator did not allow it', async () => {
    const closed = engineWith({});
    const call = createCall(closed.services);
    await expect(perform(map, { url: web('/') }, { call, services: closed.services })).rejects.toMatchObject({
      code: 'blocked_host',
    });
    expect(sim.requests).toEqual([]);
    await closed.close();
  });
});
