import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestClock } from '../core/clock.ts';
import { startSim, type Sim } from '../sim/server.ts';
import { cacheKey, createCache } from './cache.ts';
import { createSingleFlight } from './single-flight.ts';
import { createUpstream, type Upstream } from './upstream.ts';

// Cache and single flight together, around requests to the simulator.

let sim: Sim;
let upstream: Upstream;
const signal = new AbortController().signal;

beforeAll(async () => {
  sim = await startSim({ upstreams: [{ id: 'api', handle: () => ({ status: 200, body: '{"ok":true}' }) }] });
});
afterAll(() => sim.close());
beforeEach(() => {
  sim.reset();
  upstream = createUpstream();
});
afterEach(() => upstream.close());

test('F37, F38: 100 equal misses are one request per tenant, and one tenant never sees the answer of another', async () => {
  const clock = createTestClock();
  const cache = createCache<string>({ clock, entriesMax: 10, bytesMax: 10_000, ttlMs: 60_000 });
  const flights = createSingleFlight();
  sim.script({ path: '/api', contains: 'tenant=a' }, [
    { kind: 'status', status: 200, body: 'for a', times: 'always' },
  ]);
  sim.script({ path: '/api', contains: 'tenant=b' }, [
    { kind: 'status', status: 200, body: 'for b', times: 'always' },
  ]);
  const ask = async (tenant: string) => {
    const key = cacheKey(tenant, 'api', { query: 'same' });
    const load = async (flight: AbortSignal) => {
      const url = `${sim.url}/api/?tenant=${tenant}`;
      const { body } = await upstream.send(
        { method: 'GET', url, headers: {} },
        { signal: flight, provider: 'Example' },
      );
      cache.set(key, body, body.length);
      return body;
    };
    return cache.get(key) ?? flights.run(key, load, signal);
  };
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => ask(index % 2 === 0 ? 'a' : 'b')),
  );
  expect(answers.every((answer, index) => answer === (index % 2 === 0 ? 'for a' : 'for b'))).toBe(true);
  expect(await ask('a')).toBe('for a');
  expect(sim.requests).toHaveLength(2);
});
