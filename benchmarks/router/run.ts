// What the router adds to a call: `search` through the whole engine against the simulator, versus the same request sent by
// bare undici, in one run. Both sides talk to one simulator in a process of its own. Usage: npm run benchmark -- router
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { createHeadgate } from '../../src/index.ts';
import { report } from '../report.ts';

const ROUNDS = 1_500;
const root = join(import.meta.dirname, '../..');

const sim = spawn(process.execPath, [join(root, 'dist/main.cjs'), 'sim', '--port', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [banner] = (await once(sim.stdout, 'data')) as [Buffer];
const url = /http:\/\/127\.0\.0\.1:\d+/.exec(banner.toString())?.[0] ?? '';
const agent = new Agent();
const web = createHeadgate({
  config: {
    'providers.tavily.base_url': `${url}/tavily`,
    'providers.tavily.api_key': 'tvly-benchmark-key',
    'providers.tavily.pace_ms': 0,
    'cache.enabled': false,
  },
});

const bare = async (index: number): Promise<void> => {
  const body = JSON.stringify({ query: `tides ${index}`, max_results: 5 });
  const headers = { 'content-type': 'application/json', authorization: 'Bearer tvly-benchmark-key' };
  const response = await request(`${url}/tavily/search`, {
    method: 'POST',
    headers,
    body,
    dispatcher: agent,
  });
  JSON.parse(await response.body.text());
};
const routed = async (index: number): Promise<void> =>
  void (await web.search({ query: `tides ${index}`, provider: 'tavily' }));

const times: Record<'bare' | 'routed', number[]> = { bare: [], routed: [] };
for (let index = -200; index < ROUNDS; index += 1) {
  for (const [name, run] of [
    ['bare', bare],
    ['routed', routed],
  ] as const) {
    const started = performance.now();
    await run(index);
    if (index >= 0) times[name].push(performance.now() - started);
  }
}
const at = (list: number[], share: number): number =>
  list.toSorted((a, b) => a - b)[Math.floor(list.length * share)] ?? 0;
report('router', {
  rounds: ROUNDS,
  bare_p50_ms: at(times.bare, 0.5),
  routed_p50_ms: at(times.routed, 0.5),
  added_p50_ms: at(times.routed, 0.5) - at(times.bare, 0.5),
  bare_p99_ms: at(times.bare, 0.99),
  routed_p99_ms: at(times.routed, 0.99),
});
await web.close();
await agent.close();
sim.kill();
