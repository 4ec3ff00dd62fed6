import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Intent } from '../../src/core/query.ts';
import { createHeadgate } from '../../src/index.ts';
import { providers } from '../../src/providers/index.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { simSettings } from '../support/every-provider.ts';
import { sized } from '../support/sized.ts';
import { TOPIC_QUERIES } from '../support/topic-queries.ts';

/** Sources of topics beside general search, and instead of it when it is blocked. */
const sources = providers.filter(({ topic }) => topic !== undefined);
const byId = new Map(sources.map((card) => [card.id, card]));
type SearchOutput = Awaited<ReturnType<ReturnType<typeof createHeadgate>['search']>>;
let sim: Sim;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
});
beforeEach(() => sim.reset());
afterAll(() => sim.close());

const blockGeneral = (): void =>
  sim.script('/duckduckgo', [{ kind: 'status', status: 403, body: 'Forbidden', times: 'always' }]);

/** Everything that is asked is the simulator. The keys lift the limits, which are tested elsewhere. */
const settings = (): Record<string, unknown> => ({
  ...Object.assign({}, ...sources.map((card) => simSettings(card, sim.url))),
  'identity.contact': 'ops@example.org',
  'providers.duckduckgo.base_url': `${sim.url}/duckduckgo`,
  'providers.duckduckgo.pace_ms': 0,
  'providers.jina.enabled': false,
  'search.retries': 0,
  'search.topics': 'always',
  'cache.enabled': false,
});
const searching = async (
  input: { query: string; topic?: string; provider?: string },
  changed: Record<string, unknown> = {},
): Promise<SearchOutput> => {
  const web = createHeadgate({ config: { ...settings(), ...changed } });
  try {
    return await web.search(input as never);
  } finally {
    await web.close();
  }
};
const asked = ({ attempts }: SearchOutput): string[] => attempts.map(({ provider }) => provider);

describe('general search is blocked', () => {
  beforeEach(blockGeneral);

  test('the answer is degraded, from sources that know the topic, and says so and why', async () => {
    const output = await searching({ query: 'survey of graph neural networks for molecules' });
    expect(output.outcome).toBe('degraded');
    expect(output.results.length).toBeGreaterThan(0);
    expect(output.warnings[0]).toMatch(/^General search did not answer .*only what arXiv.* found\.$/);
    expect(output.attempts[0]).toMatchObject({ provider: 'duckduckgo', outcome: 'blocked' });
    expect(output.attempts[1]).toMatchObject({
      provider: 'arxiv',
      outcome: 'ok',
      why: 'it looks like a question for the scientific literature',
    });
  });

  test('another script gets the encyclopaedia of its language', async () => {
    const output = await searching({ query: '潮汐能发电' });
    expect(output).toMatchObject({ outcome: 'degraded', attempts: [{}, { provider: 'wikipedia' }, {}] });
    const { url } = sim.requests.find(({ url: { pathname } }) => pathname.startsWith('/wikidata')) ?? {};
    expect(url?.searchParams.get('language')).toBe('zh');
  });

  test('sources that know nothing or fail leave the failure of general search as it is', async () => {
    const nothing = searching({ query: 'survey of graph neural networks noresult' });
    await expect(nothing).rejects.toMatchObject({ code: 'upstream_blocked' });
    for (const { id } of sources) sim.script(`/${id}`, [{ kind: 'status', status: 503, times: 'always' }]);
    await expect(searching({ query: 'survey of graph neural networks' })).rejects.toMatchObject({
      code: 'upstream_blocked',
    });
  });

  test.each([
    ['the operator says never', {}, { 'search.topics': 'never' }],
    ['a provider was set up, and nothing else said', {}, { 'search.topics': 'auto' }],
    ['the call names its provider', { provider: 'duckduckgo' }, {}],
    ['the operator names the provider', {}, { 'search.provider': ['duckduckgo'] }],
    ['the topic is news', { topic: 'news' }, {}],
  ])('nobody else is asked when %s', async (_, input, changed) => {
    const failed = searching({ query: 'graph neural networks survey', ...input }, changed);
    await expect(failed).rejects.toMatchObject({ code: 'upstream_blocked' });
    expect(sim.requests.every(({ url }) => url.pathname.startsWith('/duckduckgo'))).toBe(true);
  });

  test('[search] keyless and enabled decide who is asked', async () => {
    const only = await searching(
      { query: 'survey of graph neural networks' },
      { 'search.keyless': ['duckduckgo', 'arxiv'], 'providers.openalex.enabled': false },
    );
    expect(asked(only)).toEqual(['duckduckgo', 'arxiv', 'semanticscholar', 'pubmed']);
  });

  const all = Object.entries(TOPIC_QUERIES).flatMap(([intent, text]) =>
    text
      .split('\n')
      .filter((query) => query !== '')
      .map((query) => ({ query, intent: intent as Intent })),
  );
  const count = sized('queries while general search is blocked', { small: 20, large: 300, full: 300 });

  test('of a mix of queries, three in five get a useful answer, and every answer is labelled', async () => {
    expect(all).toHaveLength(300);
    const web = createHeadgate({ config: settings() });
    let useful = 0;
    const outcomes = new Set<string>();
    for (const { query, intent } of all.filter((_, index) => (index * 7) % 300 < count)) {
      const output = await web.search({ query }).catch(() => undefined);
      const isUseful = output?.results.some((hit) => byId.get(hit.provider)?.topic?.intents.includes(intent));
      if (output !== undefined) outcomes.add(output.outcome);
      if (isUseful === true) useful += 1;
    }
    await web.close();
    expect([...outcomes]).toEqual(['degraded']);
    expect(useful / count).toBeGreaterThanOrEqual(0.6);
  }, 120_000);
});

describe('topic', () => {
  test('auto asks general search and sources of the topic, and fuses them', async () => {
    const output = await searching({ query: 'python sort a dictionary by value', topic: 'auto' });
    expect(output.outcome).toBe('ok');
    expect(asked(output)).toEqual(['duckduckgo', 'stackexchange', expect.any(String)]);
    const found = new Set(output.results.flatMap(({ found_by }) => found_by ?? []));
    expect(found.size).toBeGreaterThan(1);
  });

  test('auto with general search blocked is degraded', async () => {
    blockGeneral();
    expect(await searching({ query: 'CVE-2021-44228', topic: 'auto' })).toMatchObject({
      outcome: 'degraded',
      attempts: [{ provider: 'duckduckgo' }, { provider: 'osv', why: 'it names a vulnerability' }, {}, {}],
    });
  });

  test('a named topic asks its sources, and general search only when they know nothing', async () => {
    const books = await searching({ query: 'moby dick', topic: 'books' });
    expect(books).toMatchObject({ outcome: 'ok', warnings: [] });
    expect(asked(books)).toEqual(['openlibrary', 'wikipedia']);
    expect(books.attempts[0]?.why).toBe('the call names the topic');
    for (const id of ['openlibrary', 'wikipedia'])
      sim.script(`/${id}`, [{ kind: 'status', status: 503, times: 'always' }]);
    const fallen = await searching({ query: 'moby dick', topic: 'books' });
    expect(asked(fallen)).toEqual(['openlibrary', 'wikipedia', 'duckduckgo']);
    expect(fallen.warnings[0]).toContain('No source of the topic "books" knew anything');
  });

  test('a source is asked by its name like any other provider', async () => {
    const output = await searching({ query: 'tides', provider: 'wikipedia' });
    expect(output).toMatchObject({ outcome: 'ok', attempts: [{ provider: 'wikipedia' }] });
  });

  test('what Tavily knows as a topic stays what it is', async () => {
    for (const topic of ['general', 'news', 'finance'])
      expect(asked(await searching({ query: 'python sort a list', topic }))).toEqual(['duckduckgo']);
  });
});
