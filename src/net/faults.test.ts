import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestClock } from '../core/clock.ts';
import { HeadgateError } from '../core/errors.ts';
import type { HttpResponse } from '../core/http.ts';
import { retryAfterMs } from '../core/retry-after.ts';
import { startSim, type Sim } from '../sim/server.ts';
import { createBreaker } from './breaker.ts';
import { cacheKey, createCache } from './cache.ts';
import { createRetryBudget } from './retry-budget.ts';
import { withRetry } from './retry.ts';
import { createSingleFlight } from './single-flight.ts';
import { createUpstream, type Upstream } from './upstream.ts';

// The parts of this folder together, as a provider call uses them: retry around breaker around one request to the simulator.

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

/** A provider call whose clock is the test's; waits take no time. */
function createCaller() {
  const clock = createTestClock();
  const random = () => 0.5;
  const breaker = createBreaker({ clock, random });
  const budget = createRetryBudget({ clock });
  const once = async (): Promise<HttpResponse> => {
    const response = await upstream.send(
      { method: 'POST', url: `${sim.url}/api/search`, headers: {}, body: '{}' },
      { signal, provider: 'Example', timeoutMs: 5_000 },
    );
    if (response.status === 200) return response;
    const waitMs = retryAfterMs(response.headers, clock.now());
    throw new HeadgateError(
      response.status === 429 ? 'upstream_rate_limit' : 'upstream_unavailable',
      `HTTP ${response.status}.`,
      waitMs === undefined ? {} : { retryAfterMs: waitMs },
    );
  };
  const call = () =>
    withRetry(() => breaker.run('api/1', once), {
      clock,
      random,
      signal,
      deadline: clock.now() + 30_000,
      budget: budget.of('api/1'),
    });
  return { clock, breaker, call };
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'ok',
    (thrown: HeadgateError) => thrown.code,
  );

test.each([
  ['2', [2_000]],
  ['Thu, 01 Jan 2026 00:00:05 GMT', [5_000]],
  ['0', [0]],
  ['-3', [500]],
  ['soon', [500]],
])('F27: 429 with Retry-After %j is waited out and then succeeds', async (value, waits) => {
  const { clock, call } = createCaller();
  // Node adds its own Date header, against which a date would be read; the simulator's is the test's.
  const date = new Date(clock.now()).toUTCString();
  sim.script('/api', [{ kind: 'status', status: 429, headers: { 'retry-after': value, date } }]);
  expect(await codeOf(call())).toBe('ok');
  expect(clock.slept).toEqual(waits);
});

test('F27: 429 with Retry-After 86400 comes back with the value, without a wait or a second request', async () => {
  const { clock, call } = createCaller();
  sim.script('/api', [{ kind: 'status', status: 429, headers: { 'retry-after': '86400' } }]);
  await expect(call()).rejects.toMatchObject({ code: 'upstream_rate_limit', retryAfterMs: 86_400_000 });
  expect(clock.slept).toEqual([]);
  expect(sim.requests).toHaveLength(1);
});

test('F28: 500 twice and then 200 is a success with three requests', async () => {
  const { call } = createCaller();
  sim.script('/api', [{ kind: 'status', status: 500, times: 2 }]);
  expect(await codeOf(call())).toBe('ok');
  expect(sim.requests).toHaveLength(3);
});

test('F29: a constant 503 opens the breaker within two calls, spares the upstream, and a probe closes it', async () => {
  const { clock, breaker, call } = createCaller();
  sim.script('/api', [{ kind: 'status', status: 503, times: 'always' }]);
  expect(await codeOf(call())).toBe('upstream_unavailable');
  expect(sim.requests).toHaveLength(4);
  expect(await codeOf(call())).toBe('upstream_unavailable');
  expect(breaker.state('api/1').state).toBe('open');
  const before = sim.requests.length;
  for (let count = 0; count < 20; count += 1) expect(await codeOf(call())).toBe('circuit_open');
  expect(sim.requests).toHaveLength(before);
  sim.reset();
  clock.advance(20_000);
  expect(await codeOf(call())).toBe('ok');
  expect(breaker.state('api/1').state).toBe('closed');
});

test('F36: 1,000 calls into an outage reach the upstream a handful of times', async () => {
  const { call } = createCaller();
  sim.script('/api', [{ kind: 'reset', times: 'always' }]);
  const codes = new Set<string>();
  for (let count = 0; count < 1_000; count += 1) codes.add(await codeOf(call()));
  expect(codes).toEqual(new Set(['network_error', 'circuit_open']));
  expect(sim.requests.length).toBeGreaterThanOrEqual(5);
  expect(sim.requests.length).toBeLessThanOrEqual(10);
});

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
