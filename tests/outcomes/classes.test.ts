import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/sim/faults.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { openToolsets, type ToolsetWorld } from '../support/toolset-world.ts';

let sim: Sim;
let world: ToolsetWorld;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
  // Only Tavily is there to be asked, for pages too.
  world = openToolsets(sim, {
    tavily: 'tvly-works',
    flags: {
      'providers.duckduckgo.enabled': false,
      'providers.jina.enabled': false,
      'extract.provider': 'tavily',
    },
  });
});
beforeEach(() => {
  sim.reset();
  // Whatever keys and breakers remember of the test before is over.
  world.clock.advance(24 * 3_600_000);
});
afterAll(async () => {
  await world.close();
  await sim.close();
});

const JSON_TYPE = { 'content-type': 'application/json' };
const status = (code: number, body = '{}'): Fault => ({
  kind: 'status',
  status: code,
  headers: JSON_TYPE,
  body,
  times: 'always',
});

interface Cause {
  fault: Fault;
  code: string;
  outcome: string;
  /** The error type of the Japanese tools, and of the envelopes. */
  japanese: string;
  envelope: string;
}

const CAUSES: Record<string, Cause> = {
  '401': {
    fault: status(401),
    code: 'upstream_authentication',
    outcome: 'auth',
    japanese: 'AUTH_ERROR',
    envelope: 'UNAUTHORIZED',
  },
  '429': {
    fault: { ...status(429), headers: { ...JSON_TYPE, 'retry-after': '300' } } as Fault,
    code: 'upstream_rate_limit',
    outcome: 'rate_limit',
    japanese: 'RATE_LIMIT_ERROR',
    envelope: 'RATE_LIMIT_EXCEEDED',
  },
  '432': {
    fault: status(432),
    code: 'upstream_quota',
    outcome: 'quota',
    japanese: 'API_ERROR',
    envelope: 'QUOTA_EXCEEDED',
  },
  '404': {
    fault: status(404),
    code: 'upstream_bad_answer',
    outcome: 'failed',
    japanese: 'API_ERROR',
    envelope: 'UNAVAILABLE',
  },
  '418': {
    fault: status(418),
    code: 'upstream_bad_answer',
    outcome: 'failed',
    japanese: 'API_ERROR',
    envelope: 'UNAVAILABLE',
  },
  'broken JSON': {
    fault: status(200, '{"results": ['),
    code: 'upstream_bad_answer',
    outcome: 'failed',
    japanese: 'API_ERROR',
    envelope: 'UNAVAILABLE',
  },
};

const URLS = ['https://a.example/page', 'https://b.example/page'];

/** The same failure through every tool that asks Tavily and nobody else. */
const TOOLS: Record<string, [toolset: string, tool: string, input: Record<string, unknown>]> = {
  'tavily-ja search': ['tavily-ja', 'tavily_search', { query: 'tides' }],
  'tavily-ja context': ['tavily-ja', 'tavily_context', { query: 'tides' }],
  'tavily-ja extract': ['tavily-ja', 'tavily_extract', { urls: URLS }],
  'research search': ['research', 'research', { action: 'search', query: 'tides' }],
  'research extract': ['research', 'research', { action: 'extract', urls: URLS }],
  'tavily search': ['tavily', 'tavily_search', { query: 'tides' }],
  'agent search': ['agent', 'search_web', { query: 'tides' }],
  'default search': ['default', 'web_search', { query: 'tides' }],
  'default fetch': ['default', 'fetch_url', { url: URLS[0] }],
};

describe.each(Object.entries(CAUSES))('%s', (_name, cause) => {
  test.each(Object.entries(TOOLS))('%s says the class, now and while the key rests', async (_tool, tool) => {
    sim.script('/tavily', [cause.fault]);
    for (let round = 0; round < 2; round += 1) {
      const result = await world.call(...tool);
      expect(result).toMatchObject({ isError: true, meta: { outcome: cause.outcome, code: cause.code } });
      const said = SAID[tool[0]]?.(result.text);
      expect([undefined, cause.japanese, cause.envelope]).toContain(said);
    }
  });
});

/** The class as the text of a toolset names it; the others say it in words. */
const SAID: Record<string, (text: string) => string | undefined> = {
  'tavily-ja': (text) => /\nエラータイプ: (\w+)$/.exec(text)?.[1] ?? 'no type',
  research: (text) => (JSON.parse(text) as { data: { error_code: string } }).data.error_code,
};

test.each([
  [408, 'timeout', 'upstream_timeout'],
  [503, 'failed', 'upstream_unavailable'],
])('while the circuit is open after HTTP %d, its class is still told', async (code, outcome, failure) => {
  sim.script('/tavily', [status(code)]);
  const typeOfCall = async () =>
    SAID['tavily-ja']?.((await world.call('tavily-ja', 'tavily_search', { query: 'tides' })).text);
  const type = await typeOfCall();
  for (let call = 0; call < 4; call += 1) await world.call('tavily', 'tavily_search', { query: 'tides' });
  const asked = sim.requests.length;
  expect(await world.call('tavily', 'tavily_search', { query: 'tides' })).toMatchObject({
    isError: true,
    meta: { outcome, code: failure },
  });
  expect(await typeOfCall()).toBe(type);
  expect(sim.requests).toHaveLength(asked);
});

test('after a refused key nobody is told to wait for it', async () => {
  sim.script('/tavily', [status(401)]);
  await world.call('default', 'web_search', { query: 'tides' });
  const later = await world.call('default', 'web_search', { query: 'tides' });
  expect(later.text).toMatch(/did not accept the key/);
  expect(later.text).not.toMatch(/Wait \d+ s/);
  expect(sim.requests).toHaveLength(1);
});

test('an answer that cannot be read is not a server error with HTTP 200', async () => {
  sim.script('/tavily', [status(200, '{"results": [')]);
  const { text } = await world.call('tavily-ja', 'tavily_search', { query: 'tides' });
  expect(text).not.toMatch(/サーバーエラー/);
});
