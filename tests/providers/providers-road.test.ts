import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createHeadgate, HeadgateError } from '../../src/index.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { emptyHome } from '../support/empty-home.ts';
import { goodKey, searchers, simSettings, someSearchers } from '../support/every-provider.ts';

/** Every provider over the whole road — configuration, routing, network — to the simulator and back. */
let sim: Sim;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
});
beforeEach(() => sim.reset());
afterAll(() => sim.close());

const KEYS: Record<string, string> = Object.fromEntries(
  searchers.filter(({ keys }) => keys !== 'none').map((provider) => [provider.id, goodKey(provider)]),
);
/** OpenSearch is asked in tests of its own. */
const asked = searchers.filter(({ id }) => id !== 'opensearch');
const someAsked = someSearchers('searches on the whole road').filter((provider) => asked.includes(provider));

async function search(
  input: { query: string } & Record<string, unknown>,
  keys: Record<string, string> = KEYS,
) {
  const web = createHeadgate({
    home: emptyHome(),
    config: {
      'search.retries': 0,
      'cache.enabled': false,
      ...Object.fromEntries(
        asked
          .flatMap((provider) => Object.entries(simSettings(provider, sim.url)))
          .filter(([name]) => !name.endsWith('.api_key')),
      ),
      ...Object.fromEntries(Object.entries(keys).map(([id, key]) => [`providers.${id}.api_key`, key])),
    },
  });
  try {
    return await web.search(input);
  } finally {
    await web.close();
  }
}

const failure = (run: Promise<unknown>): Promise<HeadgateError> =>
  run.then(
    () => new HeadgateError('internal', 'It did not fail.'),
    (thrown: unknown) => HeadgateError.from(thrown),
  );

const upstreamsAsked = (): string[] =>
  sim.requests.map((request) => request.url.pathname.split('/')[1] ?? '');

describe.each(someAsked.map((card) => [card.id, card] as const))('%s', (provider, { creditPrice }) => {
  test('searches', async () => {
    const found = await search({ query: 'tidal mills', provider, max_results: 20 });
    expect(found).toMatchObject({ outcome: 'ok', attempts: [{ provider, outcome: 'ok' }] });
    expect(found.results).toHaveLength(20);
    expect(new Set(found.results.map((hit) => hit.url)).size).toBe(20);
    expect(found.credits > 0).toBe(creditPrice > 0);
  });

  test('says empty where there is nothing', async () => {
    const found = await search({ query: 'xyzzy12345noresult', provider });
    expect(found).toMatchObject({ outcome: 'empty', results: [] });
    expect(sim.requests).toHaveLength(1);
  });
});

test('every page is counted, also one that does not help', async () => {
  expect(await search({ query: 'tidal mills', provider: 'serper', max_results: 25 })).toMatchObject({
    outcome: 'ok',
    credits: 3,
  });
  sim.script({ path: '/serper', contains: '"page":2' }, [
    { kind: 'status', status: 200, body: '{"searchParameters":{},"organic":[{"link":"ftp://a.example/"}]}' },
  ]);
  const partial = await search({ query: 'tidal mills', provider: 'serper', max_results: 25 });
  expect(partial).toMatchObject({ credits: 2 });
  expect(partial.results).toHaveLength(10);
});

test('later pages are asked for with the key of the first', async () => {
  const found = await search({ query: 'tidal mills', provider: 'brave', max_results: 30 });
  expect(found.results).toHaveLength(30);
  expect(sim.requests.map((request) => request.headers['x-subscription-token'])).toEqual([
    KEYS['brave'],
    KEYS['brave'],
  ]);
});

test.each([
  ['tvly-quota', 'quota'],
  ['tvly-paygo', 'quota'],
  ['tvly-429', 'rate_limit'],
  ['tvly-bad', 'auth'],
  ['tvly-500', 'failed'],
  ['tvly-html', 'failed'],
  ['tvly-cut', 'failed'],
])('research spec 8.1: Tavily with the key %s is %s, and the next provider answers', async (key, outcome) => {
  const found = await search({ query: 'tidal mills', provider: ['tavily', 'duckduckgo'] }, { tavily: key });
  expect(found.outcome).toBe('ok');
  expect(found.attempts).toMatchObject([
    { provider: 'tavily', outcome },
    { provider: 'duckduckgo', outcome: 'ok' },
  ]);
  expect(found.credits).toBe(0);
});

test('a refusal of the request itself does not move on to another provider', async () => {
  const error = await failure(search({ query: 'x', provider: ['tavily', 'duckduckgo'] }));
  expect(error.code).toBe('upstream_invalid');
  expect(error.cause).toContain('Query is too short.');
  expect(upstreamsAsked()).toEqual(['tavily']);
});

test('auto leaves out what is not set up: Jina searches only with a key', async () => {
  const found = await search({ query: 'sim:engines' }, {});
  expect(found.attempts.map((attempt) => attempt.provider)).toEqual(['searxng', 'duckduckgo']);
  expect(found.attempts[0]).toMatchObject({ outcome: 'degraded' });
});

test('a challenge names what to set up instead', async () => {
  const error = await failure(search({ query: 'sim:challenge', provider: 'duckduckgo' }));
  expect(error.type).toBe('blocked');
  expect(error.explanation).toMatch(/TAVILY_API_KEY.*SEARXNG_URL/);
  expect(sim.requests).toHaveLength(1);
});

test('SearXNG without JSON names the setting', async () => {
  const error = await failure(search({ query: 'sim:jsonoff', provider: 'searxng' }));
  expect(error.explanation).toContain('search.formats');
});

test('a country by name and days reach every provider in its own form', async () => {
  const input = { query: 'tidal mills', country: 'Italy', language: 'it', days: 5 };
  const asked = async (provider: string) => {
    sim.reset();
    await search({ ...input, provider });
    return sim.requests[0];
  };
  const parametersOf = async (provider: string) =>
    Object.fromEntries((await asked(provider))?.url.searchParams ?? []);
  expect(JSON.parse((await asked('tavily'))?.body ?? '{}')).toMatchObject({
    country: 'italy',
    language: 'it',
  });
  expect(await parametersOf('brave')).toMatchObject({
    country: 'IT',
    freshness: expect.stringMatching(/^\d{4}-\d\d-\d\dto\d{4}-\d\d-\d\d$/),
  });
  expect(await parametersOf('searxng')).toMatchObject({ language: 'it-IT', time_range: 'week' });
  expect(await parametersOf('jina')).toMatchObject({ gl: 'IT', hl: 'it' });
  expect((await asked('duckduckgo'))?.body).toContain('kl=it-it&df=w');
});
