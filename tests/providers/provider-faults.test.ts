import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { createTestClock } from '../support/clock.ts';
import { HeadgateError } from '../../src/core/errors.ts';
import { own } from '../../src/core/own-text.ts';
import { silentLogger } from '../../src/core/log.ts';
import type { Attempt } from '../../src/core/outcome.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { createCall, perform } from '../../src/operations/perform.ts';
import { search } from '../../src/operations/search/search.ts';
import type { Fault } from '../../src/sim/faults.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { emptyHome } from '../support/empty-home.ts';
import { searchers, simSettings, someSearchers } from '../support/every-provider.ts';
import { sized } from '../support/sized.ts';

/** The provider faults of docs/faults.md, end to end: provider × fault → outcome, attempts, upstream calls, waits. */
let sim: Sim;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
});
beforeEach(() => sim.reset());
afterAll(() => sim.close());

const PATHS: Record<string, string> = { jina: '/jina-search' };
const PROVIDERS = someSearchers('provider faults').map(({ id }) => id);

interface Played {
  error: HeadgateError | undefined;
  attempts: Attempt[];
  calls: number;
  waits: number[];
}

const pathOf = (provider: string): string => PATHS[provider] ?? `/${provider}`;

/** A request of the test before may still be on its way. */
const callsOf = (provider: string): number =>
  sim.requests.filter(({ url }) => url.pathname.startsWith(`${pathOf(provider)}/`)).length;

/** Searches with one provider while every request to it fails the same way. */
async function play(provider: string, fault: Fault, flags: Record<string, unknown> = {}): Promise<Played> {
  const clock = createTestClock(Date.now());
  const card = searchers.find(({ id }) => id === provider);
  const settings = card === undefined ? {} : simSettings(card, sim.url);
  const { config } = loadConfig({ flags: { ...settings, ...flags } });
  const engine = createEngine(config, { clock, random: () => 1, log: silentLogger, home: emptyHome() });
  // What a provider publishes as its limits is tested elsewhere; here it would count the repetitions.
  engine.services.pace = { ...engine.services.pace, admit: async () => undefined };
  sim.script(pathOf(provider), [{ ...fault, times: 'always' }]);
  try {
    const output = await perform(
      search,
      { query: 'tides', provider },
      { call: createCall(engine.services), services: engine.services },
    );
    return {
      error: undefined,
      attempts: output.attempts,
      calls: callsOf(provider),
      waits: clock.slept,
    };
  } catch (thrown) {
    const error = HeadgateError.from(thrown);
    return {
      error,
      attempts: (error.data['attempts'] as Attempt[] | undefined) ?? [],
      calls: callsOf(provider),
      waits: clock.slept,
    };
  } finally {
    await engine.close();
  }
}

const status = (code: number, headers: Record<string, string> = {}): Fault => ({
  kind: 'status',
  status: code,
  headers,
  body: '{}',
});
const RETRIED = [1_000, 2_000, 4_000];
const all = PROVIDERS.length;
const LARGE = PROVIDERS.slice(0, sized('providers that answer 50 MB', { small: 2, large: all, full: all }));
const SILENT = PROVIDERS.slice(0, sized('providers that never answer', { small: 2, large: all, full: all }));

describe.each(PROVIDERS)('%s', (provider) => {
  // DuckDuckGo has no accounts: whatever it refuses, it refuses the caller's address.
  const refusal = (type: string): string => (provider === 'duckduckgo' ? 'blocked' : type);
  /** What a status means by the card of the provider, or else usually, and how often it is asked again. */
  const by = (code: number, usual: string): [string, number[]] => {
    const { signals = [] } = searchers.find(({ id }) => id === provider) ?? {};
    const means = signals.find((one) => one.status === code && one.when === undefined)?.means;
    const type = means === undefined || means === 'empty' ? usual : new HeadgateError(means, own``).type;
    return [type, type === 'rate_limit' || type === 'unavailable' ? RETRIED : []];
  };

  test.each<[string, Fault, string, number[]]>([
    ['401', status(401), refusal('authentication'), []],
    ['403', status(403), ...by(403, refusal('authentication'))],
    ['432', status(432), refusal('quota'), []],
    ['433', status(433), refusal('quota'), []],
    ['500', status(500), 'unavailable', RETRIED],
    ['503', status(503), ...by(503, 'unavailable')],
    ['429 without Retry-After', status(429), 'rate_limit', RETRIED],
    ['429, Retry-After: 2', status(429, { 'retry-after': '2' }), 'rate_limit', [2_000, 2_000, 2_000]],
    ['429, Retry-After: 0 means now', status(429, { 'retry-after': '0' }), 'rate_limit', [0, 0, 0]],
    ['429, Retry-After: garbage', status(429, { 'retry-after': 'soon' }), 'rate_limit', RETRIED],
    ['429, Retry-After beyond the deadline', status(429, { 'retry-after': '86400' }), 'rate_limit', []],
    ['a reset connection', { kind: 'reset' }, 'unavailable', RETRIED],
  ])('%s', async (_name, fault, type, waits) => {
    const played = await play(provider, fault);
    expect(played.error?.type).toBe(type);
    expect(played.waits).toEqual(waits);
    expect(played.calls).toBe(waits.length + 1);
    expect(played.attempts).toHaveLength(played.calls);
    expect(played.attempts.every((attempt) => attempt.outcome !== 'ok' && attempt.reason !== undefined)).toBe(
      true,
    );
  });

  test.each<[string, Fault]>([
    [
      'HTML instead of an answer',
      { kind: 'status', status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Maintenance</h1>' },
    ],
    [
      'an empty 200',
      { kind: 'status', status: 200, headers: { 'content-type': 'application/json' }, body: '' },
    ],
    [
      'truncated JSON',
      {
        kind: 'status',
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: '{"results": [{"url":',
      },
    ],
  ])('F31: %s is a typed failure after one request, never an empty success', async (_name, fault) => {
    const played = await play(provider, fault);
    const outcome = played.error === undefined ? played.attempts[0]?.outcome : played.error.type;
    expect(['unavailable', 'blocked', 'degraded']).toContain(outcome);
    expect(played.calls).toBe(1);
  });

  test.runIf(LARGE.includes(provider))('F31: 50 MB are not swallowed', async () => {
    const played = await play(provider, { kind: 'size', bytes: 50 * 1024 * 1024 });
    expect(played.error).toMatchObject({ code: 'upstream_bad_answer' });
    expect(played.calls).toBe(1);
  });

  test.runIf(SILENT.includes(provider))(
    'F32: a provider that never answers is given up at the deadline',
    async () => {
      const played = await play(provider, { kind: 'hang' }, { 'search.timeout_ms': 800 });
      expect(played.error?.type).toBe('timeout');
      expect(played.calls).toBe(1);
    },
  );
});

test('F27: a Retry-After date is waited for', async () => {
  const played = await play(
    'tavily',
    status(429, { 'retry-after': new Date(Date.now() + 5_000).toUTCString() }),
  );
  expect(played.waits[0]).toBeGreaterThanOrEqual(3_000);
  expect(played.waits[0]).toBeLessThanOrEqual(5_000);
});
