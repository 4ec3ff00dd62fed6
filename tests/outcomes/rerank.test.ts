import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { createCall, perform } from '../../src/operations/perform.ts';
import { plan } from '../../src/operations/plan.ts';
import { search } from '../../src/operations/search/search.ts';
import { providers } from '../../src/providers/index.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { emptyHome } from '../support/empty-home.ts';
import { simSettings } from '../support/every-provider.ts';

/** `[search] rerank` puts the results into the order of a model, or leaves them as they are and says so. */
let sim: Sim;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
});
beforeEach(() => sim.reset());
afterAll(() => sim.close());

const rerankers = providers.filter(({ rerank }) => rerank !== undefined);
const pathOf = (id: string): string => (id === 'jina' ? '/jina-rerank' : `/${id}`);

function settingsFor(ids: string[]): Record<string, unknown> {
  const cards = providers.filter(({ id }) => ids.includes(id));
  return Object.assign({}, ...cards.map((card) => simSettings(card, sim.url))) as Record<string, unknown>;
}

async function ask(flags: Record<string, unknown>, input: Record<string, unknown> = {}) {
  const { config } = loadConfig({
    flags: {
      ...settingsFor(['serper', ...rerankers.map(({ id }) => id)]),
      'search.provider': ['serper'],
      'search.retries': 0,
      ...flags,
    },
  });
  const { services, close } = createEngine(config, { log: silentLogger, home: emptyHome() });
  try {
    const call = createCall(services);
    return await perform(
      search,
      { query: 'tidal mills history', max_results: 9, ...input },
      { call, services },
    );
  } finally {
    await close();
  }
}

const isAboutHistory = ({ title }: { title: string }): boolean => /History/.test(title);

test('there are four kinds of rerankers, and none is asked unless it is configured', async () => {
  expect(rerankers.map(({ id }) => id).sort()).toEqual(['cohere', 'jina', 'reranker', 'voyage']);
  const { results, attempts } = await ask({});
  expect(results.findIndex(isAboutHistory)).toBeGreaterThan(0);
  expect(attempts.map(({ provider }) => provider)).toEqual(['serper']);
});

describe.each(rerankers.map((card) => [card.id, card] as const))('%s', (id, { creditPrice }) => {
  test('puts the results that fit best first', async () => {
    const plain = await ask({});
    const found = await ask({ 'search.rerank': [id] });
    expect(found.results.filter(isAboutHistory).length).toBeGreaterThan(0);
    const firstOthers = found.results.findIndex((one) => !isAboutHistory(one));
    expect(found.results.slice(firstOthers).some(isAboutHistory)).toBe(false);
    expect(new Set(found.results.map(({ url }) => url))).toEqual(
      new Set(plain.results.map(({ url }) => url)),
    );
    const scores = found.results.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true);
    expect(found.attempts.map(({ provider }) => provider)).toEqual(['serper', id]);
    expect(found.credits).toBe(creditPrice > 0 ? 2 : 1);
  });

  test.each([
    ['an error', { kind: 'status', status: 500, body: '{}' }],
    ['a refused key', { kind: 'status', status: 401, body: '{}' }],
    ['an answer in another form', { kind: 'status', status: 200, body: '{"ok":true}' }],
    ['no answer', { kind: 'hang' }],
  ] as const)('leaves them as they are after %s, and says so', async (_name, fault) => {
    const plain = await ask({});
    sim.script(pathOf(id), [{ ...fault, times: 'always' }]);
    const found = await ask({ 'search.rerank': [id], 'search.timeout_ms': 1_500 });
    expect(found.results.map(({ url }) => url)).toEqual(plain.results.map(({ url }) => url));
    expect(found.outcome).toBe('ok');
    expect(found.warnings).toEqual([expect.stringMatching(/^The results were not reranked: /)]);
  });
});

test('places that do not exist, that come twice or without a score are ignored, and logits become scores', async () => {
  const rows = [
    { index: 99, relevance_score: 9 },
    { index: -1, relevance_score: 8 },
    { index: 'x', relevance_score: 7 },
    { index: 2, relevance_score: 3 },
    { index: 2, relevance_score: -9 },
    { index: 0, relevance_score: null },
    { index: 1, relevance_score: -2 },
  ];
  const plain = await ask({});
  sim.script('/cohere', [{ kind: 'status', status: 200, body: JSON.stringify({ results: rows }) }]);
  const found = await ask({ 'search.rerank': ['cohere'] });
  const expected = [2, 1, 0, 3, 4, 5, 6, 7, 8].map((place) => plain.results[place]?.url);
  expect(found.results.map(({ url }) => url)).toEqual(expected);
  expect(found.results.slice(0, 3).map(({ score }) => score)).toEqual([0.9526, 0.1192, 0.1192]);
});

test('one that is not set up is named, and the results are there', async () => {
  const found = await ask({ 'search.rerank': ['voyage'], 'providers.voyage.enabled': false });
  expect(found.results).toHaveLength(9);
  expect(found.warnings).toEqual(['The results were not reranked: Voyage is not set up.']);
});

test('it gets at most thirty passages of bounded length, without addresses', async () => {
  await ask({ 'search.rerank': ['cohere'] }, { max_results: 30 });
  const sent = sim.requests.find(({ url }) => url.pathname === '/cohere/rerank');
  const { documents } = JSON.parse(sent?.body ?? '{}') as { documents: string[] };
  expect(documents).toHaveLength(30);
  expect(documents.every((text) => text.length <= 2_000 && !text.includes('http'))).toBe(true);
});

test('a dry run counts it', async () => {
  const { config } = loadConfig({
    flags: {
      ...settingsFor(['serper', 'cohere']),
      'search.provider': ['serper'],
      'search.rerank': ['cohere'],
    },
  });
  const { services, close } = createEngine(config, { log: silentLogger, home: emptyHome() });
  const planned = await plan(search, { query: 'tidal mills' }, { call: createCall(services), services });
  await close();
  expect(planned).toMatchObject({ credits_max: 2, cost_max: 3_000 });
});
