import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Fault } from '../../src/sim/faults.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { openToolsets, type ToolsetWorld } from '../support/toolset-world.ts';

let sim: Sim;
let world: ToolsetWorld;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
});
beforeEach(() => sim.reset());
afterEach(() => world.close());
afterAll(() => sim.close());

const down = (times: number | 'always'): Fault => ({ kind: 'status', status: 503, times });
const busy = (times: number | 'always', headers: Record<string, string> = {}): Fault => ({
  kind: 'status',
  status: 429,
  headers,
  times,
});
const ask = (index: number, options = {}) =>
  world.call('websearch', 'web_search', { query: `tides ${index}`, max_results: 3 }, options);

test('every call of a caller with ten calls a minute gets its three retries', async () => {
  world = openToolsets(sim);
  for (let index = 0; index < 10; index += 1) {
    sim.script('/duckduckgo', [down(3)]);
    expect(await ask(index)).not.toHaveProperty('isError');
  }
  expect(sim.requests).toHaveLength(40);
});

test('above ten calls a minute retries add at most a tenth to the requests', async () => {
  // Rate limits never open the breaker, so the budget alone decides.
  world = openToolsets(sim, { tavily: 'tvly-works' });
  let requests = 0;
  for (let index = 0; index < 300; index += 1) {
    sim.reset();
    sim.script('/tavily', [busy(4, { 'retry-after': '0' })]);
    await world.call('tavily-ja', 'tavily_search', { query: `tides ${index}` });
    requests += sim.requests.length;
  }
  expect(requests).toBeGreaterThan(300 + 30);
  expect(requests).toBeLessThanOrEqual(300 + 30 + 30);
});

test('failures of one call do not open the breaker: the next call is answered as soon as the upstream is back', async () => {
  world = openToolsets(sim);
  for (let index = 0; index < 3; index += 1) {
    sim.script('/duckduckgo', [down(4)]);
    expect(await ask(index)).toMatchObject({ isError: true });
  }
  sim.reset();
  expect(await ask(9)).not.toHaveProperty('isError');
});

test('five calls that fail with all their retries open the breaker, and a probe closes it', async () => {
  world = openToolsets(sim);
  sim.script('/duckduckgo', [down('always')]);
  for (let index = 0; index < 5; index += 1) await ask(index);
  expect(sim.requests).toHaveLength(20);
  expect((await ask(5)).text).toMatch(/failed repeatedly just now/);
  expect(sim.requests).toHaveLength(20);
  sim.reset();
  world.clock.advance(20_000);
  expect(await ask(6)).not.toHaveProperty('isError');
});

test('a rate limit that hit another call is waited out when nobody else is left', async () => {
  world = openToolsets(sim, { flags: { 'search.retries': 0 } });
  sim.script('/duckduckgo', [busy(1)]);
  expect(await ask(0)).toMatchObject({ isError: true, meta: { outcome: 'rate_limit' } });
  expect(await ask(1)).not.toHaveProperty('isError');
  expect(world.waits).toEqual([1_000]);
});

test('a call that waits for a cooldown still has its three retries', async () => {
  world = openToolsets(sim);
  sim.script('/duckduckgo', [busy(1, { 'retry-after': '100' })]);
  expect(await ask(0)).toMatchObject({ isError: true });
  world.clock.advance(50_000);
  sim.script('/duckduckgo', [busy(3, { 'retry-after': '1' })]);
  expect(await ask(1)).not.toHaveProperty('isError');
  expect(world.waits.map((ms) => Math.round(ms / 1_000))).toEqual([50, 1, 1, 1]);
});

test('a cooldown beyond the deadline is said at once, with what is left of it', async () => {
  world = openToolsets(sim);
  sim.script('/duckduckgo', [busy(1, { 'retry-after': '300' })]);
  await ask(0);
  world.clock.advance(100_000);
  const later = await ask(1);
  expect(later).toMatchObject({
    isError: true,
    meta: { outcome: 'rate_limit', code: 'upstream_rate_limit' },
  });
  expect(world.waits).toEqual([]);
  expect(sim.requests).toHaveLength(1);
});

test('a rate limit moves to the next key, then to the next provider, and only then waits', async () => {
  world = openToolsets(sim, { tavily: ['tvly-429', 'tvly-works'] });
  const first = await world.call('agent', 'search_web', { query: 'tides' });
  expect(first.meta?.['attempts']).toMatchObject([
    { provider: 'tavily', key: 'key 1', outcome: 'rate_limit' },
    { provider: 'tavily', key: 'key 2', outcome: 'ok' },
  ]);
  await world.close();

  world = openToolsets(sim, { tavily: 'tvly-429' });
  const second = await world.call('agent', 'search_web', { query: 'tides' });
  expect(second.meta?.['attempts']).toMatchObject([
    { provider: 'tavily', outcome: 'rate_limit' },
    { provider: 'duckduckgo', outcome: 'ok' },
  ]);
  expect(world.waits).toEqual([]);
});
