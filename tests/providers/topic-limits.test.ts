import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { Call } from '../../src/core/call.ts';
import { createTestClock } from '../support/clock.ts';
import { HeadgateError } from '../../src/core/errors.ts';
import type { HttpRequest } from '../../src/core/http.ts';
import { createPace } from '../../src/net/pace.ts';
import { createKeyRing } from '../../src/routing/key-ring.ts';
import { providers } from '../../src/providers/index.ts';
import { askSearch } from '../../src/routing/ask.ts';
import { readyProviders } from '../../src/routing/chain.ts';
import type { RoutingServices } from '../../src/routing/services.ts';
import { providerSims } from '../../src/sim/provider-api.ts';
import { send } from '../support/play.ts';
import { sized } from '../support/sized.ts';

/** An hour of a busy gateway for each source: more calls than any published limit allows, against an upstream that counts. */
const HOUR_MS = 3_600_000;
const CALLS_MAX = sized('calls in an hour to a source of topics', {
  small: 100,
  large: 12_000,
  full: 12_000,
});
const { config } = loadConfig({ flags: { 'identity.contact': 'ops@example.org' } });
const sources = readyProviders(config).filter(({ provider }) => provider.topic !== undefined);

test('every source of topics publishes limits, a licence, and is set up with a contact', () => {
  const all = providers.filter(({ topic }) => topic !== undefined);
  expect(all.length).toBeGreaterThanOrEqual(13);
  expect(sources.map(({ provider }) => provider.id)).toEqual(all.map(({ id }) => id));
  for (const { limits, topic } of all) {
    expect(limits?.length).toBeGreaterThan(0);
    expect(topic?.licence).not.toBe('');
  }
});

const cases = sources.flatMap((ready) =>
  (ready.provider.keys === 'none' ? [undefined] : [undefined, 'key-0123456789']).map(
    (key) => [`${ready.provider.id}${key === undefined ? '' : ' with a key'}`, ready, key] as const,
  ),
);

test.each(cases)('%s is never asked more often than it allows', async (_, ready, key) => {
  const { provider } = ready;
  const clock = createTestClock();
  const [upstream] = providerSims([provider]);
  if (upstream === undefined) throw new Error(`${provider.title} has no simulated upstream.`);
  const sent: { at: number; request: HttpRequest }[] = [];
  const services = {
    config,
    clock,
    pace: createPace({ clock }),
    keyRing: createKeyRing({ clock }),
    breaker: { run: (_id: string, ask: () => Promise<unknown>) => ask() },
    upstream: {
      send: async (request: HttpRequest) => {
        sent.push({ at: clock.monotonic(), request });
        return send({ provider, upstream }, request, provider.search?.acceptStatus);
      },
    },
  } as unknown as RoutingServices;
  const candidate = { id: `${provider.id}#0`, ready, key, label: undefined };
  const query = { text: provider.id === 'osv' ? 'CVE-2021-44228' : 'tidal power', resultsMax: 3 };
  const call: Call = { requestId: 'r', caller: {}, signal: new AbortController().signal, deadline: Infinity };
  const refusals: string[] = [];
  for (let calls = 0; calls < CALLS_MAX; calls += 1) {
    await askSearch(candidate, query, { call, services }).catch((thrown: unknown) => {
      refusals.push(HeadgateError.from(thrown).code);
    });
    // Ten at a time, then a rest.
    if (calls % 10 === 9) clock.advance((HOUR_MS / CALLS_MAX) * 10);
  }
  const times = sent.map(({ at }) => at);
  expect(times.length).toBeGreaterThan(0);
  for (const { requests, perMs, withKey } of provider.limits ?? []) {
    const allowed = key === undefined ? requests : (withKey ?? requests);
    const most = Math.max(...times.map((from, index) => countWithin(times, index, from + perMs)));
    expect(most).toBeLessThanOrEqual(allowed);
  }
  const agents = new Set(sent.map(({ request }) => request.headers['user-agent']));
  expect([...agents]).toEqual([expect.stringMatching(/^Headgate\/\S+ \(.*ops@example\.org\)$/)]);
  // A limit that the hour reaches is kept by not asking, which is said.
  const reached = (provider.limits ?? []).some(
    ({ requests, perMs }) => requests * Math.max(1, HOUR_MS / perMs) < CALLS_MAX / 2,
  );
  expect(refusals.length > 0 || !reached || key !== undefined || ready.paceMs >= 1_000).toBe(true);
  expect(refusals.filter((code) => code !== 'upstream_rate_limit')).toEqual([]);
});

/** How many of the times from an index on are before an end. */
function countWithin(times: number[], from: number, end: number): number {
  let count = 0;
  while (from + count < times.length && (times[from + count] ?? Infinity) < end) count += 1;
  return count;
}
