import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import { addToLibrary } from '../../src/operations/library/add.ts';
import { createCall, perform } from '../../src/operations/perform.ts';
import { search } from '../../src/operations/search/search.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';

/** From files to an index of OpenSearch and back, over the simulator. */
let sim: Sim;
const folder = mkdtempSync(join(tmpdir(), 'headgate-opensearch-'));
const docs = join(folder, 'docs');
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
  mkdirSync(docs);
  writeFileSync(join(docs, 'gate.md'), '# The headgate\n\nIt lets water into the canal.');
  writeFileSync(join(docs, 'ja.md'), '# 水門\n\n水門は川の水を運河に入れる。');
});
afterAll(async () => {
  await sim.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = (flags: Record<string, unknown>): Engine =>
  createEngine(loadConfig({ flags: { 'search.retries': 0, ...flags } }).config, {
    log: silentLogger,
    home: join(folder, 'home'),
  });
const settings = (index: string) => ({
  'providers.opensearch.base_url': `${sim.url}/opensearch`,
  'providers.opensearch.index': index,
});
const ask = async ({ services }: Engine, query: string, more = {}) =>
  perform(search, { query, provider: 'opensearch', ...more }, { call: createCall(services), services });

test('a folder goes into the index, which is made first, and is found, Japanese too', async () => {
  const engine = open(settings('docs-one'));
  const send = () => addToLibrary({ source: docs, to: 'opensearch' }, {}, engine.services);
  await expect(ask(engine, 'water')).rejects.toMatchObject({ code: 'not_configured' });
  expect(await send()).toMatchObject({ added: 2, replaced: 0, problems: [] });
  expect(await send()).toMatchObject({ added: 0, replaced: 2 });
  const english = await ask(engine, 'water into the canal', { include_raw_content: true });
  expect(english.results[0]).toMatchObject({ title: 'The headgate', provider: 'opensearch', score: 1 });
  expect(english.results[0]?.url).toMatch(/^file:.*gate\.md$/);
  expect(english.results[0]?.raw_content).toContain('lets water');
  expect((await ask(engine, '川の水')).results[0]?.title).toBe('水門');
  await engine.close();
});

test('what it refuses is said; its own words are for the log', async () => {
  const engine = open(settings('docs-two'));
  writeFileSync(join(folder, 'bad.txt'), 'sim:refuse');
  const sent = addToLibrary({ source: join(folder, 'bad.txt'), to: 'opensearch' }, {}, engine.services);
  await expect(sent).rejects.toThrow('OpenSearch refused 1 of 1 documents.');
  await engine.close();
});

test('wrong credentials and a missing address say what to set', async () => {
  const refused = open({ ...settings('docs-three'), 'providers.opensearch.api_key': 'me:bad' });
  await expect(addToLibrary({ source: docs, to: 'opensearch' }, {}, refused.services)).rejects.toMatchObject({
    code: 'upstream_authentication',
  });
  await refused.close();
  const unset = open({});
  await expect(addToLibrary({ source: docs, to: 'opensearch' }, {}, unset.services)).rejects.toThrow(
    'OpenSearch is not set up',
  );
  await unset.close();
});

test('pages of the web can be sent there too', async () => {
  const engine = open({ ...settings('docs-four'), 'guard.allow': ['127.0.0.1'], 'guard.ports': [sim.port] });
  const request = { source: `${sim.url}/web/river`, to: 'opensearch' as const };
  expect(await addToLibrary(request, {}, engine.services)).toMatchObject({ added: 1 });
  expect((await ask(engine, 'river')).results[0]?.title).toBe('The River');
  await engine.close();
});
