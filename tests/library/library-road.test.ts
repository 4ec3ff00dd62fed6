import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEngine, readConfig } from '../../src/engine/engine.ts';
import { createHeadgate } from '../../src/index.ts';
import { createCall, perform } from '../../src/operations/perform.ts';
import { search } from '../../src/operations/search/search.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { runHeadgate, type Ran } from '../support/cli.ts';
import { readingThreads } from '../support/reading-threads.ts';

/** The library from the command line to a search: what was added is found, offline and when the web fails. */
const home = mkdtempSync(join(tmpdir(), 'headgate-library-'));
const notes = join(home, 'notes');
let sim: Sim;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
  mkdirSync(notes);
  writeFileSync(join(notes, 'mill.md'), '# The mill\n\nThe mill of Vrindal grinds rye on Tuesdays.\n');
  writeFileSync(join(notes, 'gate.md'), '# The gate\n\nThe headgate of Vrindal opens at noon.\n');
});
afterAll(async () => {
  await sim.close();
  rmSync(home, { recursive: true, force: true });
});

const env = () => ({
  HEADGATE_HOME: home,
  HEADGATE_PROVIDERS__DUCKDUCKGO__BASE_URL: `${sim.url}/duckduckgo`,
  HEADGATE_PROVIDERS__JINA__ENABLED: 'false',
  HEADGATE_SEARCH__RETRIES: '0',
});
const engine = () => createEngine(readConfig(env(), home).config, { home, pool: readingThreads });

const headgate = (...argv: string[]): Promise<Ran> => runHeadgate(argv, { home, env: env() });

describe('the library', () => {
  test('is filled, counted, searched and emptied from the command line', async () => {
    expect((await headgate('library', 'add', notes, join(home, 'missing.md'))).out).toMatch(
      /2 documents added, 0 unchanged, 1 problem/,
    );
    expect((await headgate('library', 'add', notes)).out).toMatch(/0 documents added, 2 unchanged/);
    expect((await headgate('library', 'stats')).out).toContain('2 documents');
    expect((await headgate('library', 'search', 'rye', 'Tuesdays')).out).toMatch(/^1\. The mill/);
    expect((await headgate('library', 'dance')).err).toContain('Unknown subcommand "dance"');
  }, 120_000);

  test('is there for programs too', async () => {
    const web = createHeadgate({ home: join(home, 'sdk') });
    expect(await web.library.add({ source: notes })).toMatchObject({ added: 2 });
    const { hits } = await web.library.search({ text: 'rye', resultsMax: 5 });
    expect(hits.map(({ title }) => title)).toEqual(['The mill']);
    const { results } = await web.search({ query: 'rye', provider: 'local' });
    expect(results[0]?.title).toBe('The mill');
    expect(await web.library.remove({ urlPrefixes: ['file:'] })).toBe(2);
    expect(await web.library.stats()).toMatchObject({ documents: 0 });
    await web.close();
  }, 120_000);

  test('of a program stands where HEADGATE_HOME in its env says', async () => {
    const own = join(home, 'of-env');
    const web = createHeadgate({ env: { HEADGATE_HOME: own } });
    expect(await web.library.add({ source: notes })).toMatchObject({ added: 2 });
    await web.close();
    expect(existsSync(join(own, 'library'))).toBe(true);
  }, 120_000);

  test('filters, lists, compacts, rebuilds and removes on the command line', async () => {
    expect((await headgate('library', 'search', 'Vrindal', '--domain', 'example.com')).out).toContain(
      'Nothing in the library matches',
    );
    expect((await headgate('library', 'search', 'gaet')).out).toContain('The gate');
    expect((await headgate('library', 'list', '--limit', '1')).out.trim().split('\n')).toHaveLength(1);
    expect((await headgate('library', 'list', '--limit', 'few')).err).toContain('not a whole number');
    expect((await headgate('library', 'compact')).out).toContain('0 documents expired');
    expect((await headgate('library', 'rebuild')).out).toContain('2 documents reindexed, 0 documents lost');
    expect((await headgate('library', 'remove')).err).toContain('Nothing to remove was given');
    expect((await headgate('library', 'add', notes, '--workspace', 'ws_one')).out).toContain(
      '2 documents added',
    );
    expect((await headgate('library', 'remove', '--under', 'file:', '--workspace', 'ws_one')).out).toContain(
      '2 documents removed',
    );
    expect((await headgate('library', 'stats')).out).toContain('2 documents');
  }, 120_000);

  test('answers as a provider, and never in place of the web', async () => {
    const { services, close } = engine();
    const run = (input: object) => perform(search, input, { call: createCall(services), services });
    const local = await run({ query: 'when does the headgate open', provider: 'local' });
    expect(local.results[0]).toMatchObject({ title: 'The gate', provider: 'local' });
    expect(local.outcome).toBe('ok');

    sim.script('/duckduckgo', [{ kind: 'status', status: 503, times: 'always' }]);
    const asked = { query: 'rye Tuesdays', provider: 'duckduckgo' };
    await expect(run(asked)).rejects.toMatchObject({ code: 'upstream_unavailable' });
    const fallen = await run({ ...asked, library: 'also' });
    expect(fallen).toMatchObject({ outcome: 'degraded', results: [] });
    expect(fallen.library?.[0]).toMatchObject({ title: 'The mill', provider: 'local' });
    expect(fallen.warnings[0]).toContain('only the local library did');
    expect(fallen.attempts).toMatchObject([
      { provider: 'duckduckgo', outcome: 'failed' },
      { provider: 'local', outcome: 'ok' },
    ]);
    await expect(run({ ...asked, query: 'xyzzy12345', library: 'also' })).rejects.toMatchObject({
      code: 'upstream_unavailable',
    });
    await close();
  }, 120_000);
});
