import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHeadgate, type Headgate } from '../../src/index.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';

const home = mkdtempSync(join(tmpdir(), 'determinism-'));
const at = (name: string): string => join(home, name);
let sim: Sim;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
});
afterAll(async () => {
  await sim.close();
  rmSync(home, { recursive: true, force: true });
});

const settings = (mode: string, file: string) => ({
  'web.mode': mode,
  'web.snapshot': file,
  'providers.tavily.base_url': `${sim.url}/tavily`,
  'providers.duckduckgo.enabled': false,
  'guard.allow': ['127.0.0.1'],
  'guard.ports': [sim.port],
});

const keyed = { 'providers.tavily.api_key': 'tvly-0123456789abcdef' };

/** A few calls of every kind. */
const calls: ((web: Headgate) => Promise<unknown>)[] = [
  (web) => web.search({ query: 'tidal mills' }),
  (web) => web.search({ query: 'tidal mills' }),
  (web) => web.search({ query: 'tidal mills', time_range: 'week', include_answer: true }),
  (web) => web.extract({ urls: [`${sim.url}/web/river`, `${sim.url}/web/nowhere`] }),
  (web) => web.crawl({ url: `${sim.url}/web/`, limit: 4 }),
  (web) => web.map({ url: `${sim.url}/web/`, limit: 6 }),
  (web) => web.answer({ query: 'What is a tidal mill?' }),
  (web) => web.research({ query: 'tidal mills', max_iterations: 1, sub_queries: 2 } as never),
  async (web) => {
    const tools = await web.agentTools();
    return tools.find(({ name }) => /search/.test(name))?.execute({ query: 'tidal mills' });
  },
];

const shown = async (one: (web: Headgate) => Promise<unknown>, web: Headgate): Promise<string> =>
  JSON.stringify(await one(web).catch((thrown: unknown) => ({ thrown })));

test('a replay gives the bytes of the recording, in any order, without a key', async () => {
  const file = at('run.wacz');
  const live = createHeadgate({ home, config: { ...settings('record', file), ...keyed } });
  const recorded: string[] = [];
  for (const one of calls) recorded.push(await shown(one, live));
  await live.close();
  const before = sim.requests.length;
  const replayed = createHeadgate({ home, config: settings('replay', file) });
  const again: string[] = [];
  for (const one of calls) again.push(await shown(one, replayed));
  expect(again).toEqual(recorded);
  await replayed.close();
  const shuffled = createHeadgate({ home: at('other'), config: settings('replay', file) });
  const backwards = await Promise.all(calls.toReversed().map((one) => shown(one, shuffled)));
  expect(backwards.toReversed().toSorted()).toEqual(recorded.toSorted());
  await shuffled.close();
  expect(sim.requests.length).toBe(before);
  for (const text of recorded) expect(text).not.toContain('"thrown"');
});
