import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import { createCall, perform } from '../../src/operations/perform.ts';
import { search } from '../../src/operations/search/search.ts';
import { providers } from '../../src/providers/index.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { runHeadgate } from '../support/cli.ts';
import { createTestGateway } from '../support/gateway/gateway.ts';

/** Nothing is set up: whom a newcomer's queries go to, in which order, and where that is said. */
let sim: Sim;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
});
beforeEach(() => sim.reset());
afterAll(() => sim.close());

/** Everything has its own address, as for a newcomer; only the wire leads to the simulator. */
function newcomer(flags: Record<string, unknown> = {}): Engine {
  const { config } = loadConfig({ flags: { 'search.retries': 0, 'cache.enabled': false, ...flags } });
  const engine = createEngine(config, { home: mkdtempSync(join(tmpdir(), 'newcomer-')), log: silentLogger });
  const { upstream } = engine.services;
  const send: typeof upstream.send = (request, options) => {
    const { pathname, search: parameters } = new URL(request.url);
    const url = `${sim.url}/${options.provider}${pathname}${parameters}`;
    return upstream.send({ ...request, url }, options);
  };
  return { ...engine, services: { ...engine.services, upstream: { send } } };
}
const ask = ({ services }: Engine, input: object) => {
  const call = createCall(services);
  return perform(search, input, { call, services }).finally(() => call.end());
};
const block = (...ids: string[]): void => {
  for (const id of ids)
    sim.script(`/${id}`, [{ kind: 'status', status: 403, body: 'Forbidden', times: 'always' }]);
};
const asked = ({ attempts }: { attempts: { provider: string }[] }): string[] =>
  attempts.map(({ provider }) => provider);
const notices = ({ warnings }: { warnings: string[] }): string[] =>
  warnings.filter((warning) => warning.startsWith('No search provider is set up.'));
const withTier = providers.filter((card) => card.search?.needsKey === 'auto').map(({ id }) => id);
const query = 'survey of graph neural networks';

describe('a newcomer', () => {
  test('asks DuckDuckGo, then the keyless tiers, then sources of the topic; the last answer is degraded', async () => {
    const engine = newcomer();
    expect(withTier).toEqual(['firecrawl', 'youcom']);
    expect(asked(await ask(engine, { query }))).toEqual(['duckduckgo']);
    block('duckduckgo');
    expect(await ask(engine, { query })).toMatchObject({
      outcome: 'ok',
      credits: 0,
      attempts: [{ outcome: 'blocked' }, { provider: 'firecrawl', outcome: 'ok' }],
    });
    block('duckduckgo', 'firecrawl');
    expect(asked(await ask(engine, { query }))).toEqual(['duckduckgo', ...withTier]);
    block('duckduckgo', ...withTier);
    const degraded = await ask(engine, { query });
    expect(degraded.outcome).toBe('degraded');
    expect(degraded.results.length).toBeGreaterThan(0);
    expect(asked(degraded).slice(0, 4)).toEqual(['duckduckgo', ...withTier, 'arxiv']);
    await engine.close();
  }, 30_000);

  test('is told by the first answer of a process who is asked, and once', async () => {
    const engine = newcomer();
    const first = notices(await ask(engine, { query }));
    for (const title of ['DuckDuckGo, then Firecrawl, You.com', 'arXiv', '[search] keyless'])
      expect(first.join()).toContain(title);
    // Without a contact it is not asked.
    expect(first.join()).not.toContain('Wikipedia');
    expect(notices(await ask(engine, { query }))).toEqual([]);
    await engine.close();
  }, 30_000);

  test.each([
    ['a key', { 'providers.tavily.api_key': ['tvly-dev-0123456789'] }, ['tavily']],
    ['a list of who may be asked', { 'search.keyless': ['duckduckgo'] }, ['duckduckgo']],
    ['a keyless tier by name', { 'search.keyless': ['youcom'] }, ['youcom']],
  ])(
    'who sets up %s is not told, and no tier is asked unnamed',
    async (_, flags, first) => {
      const engine = newcomer(flags);
      const output = await ask(engine, { query });
      expect(notices(output)).toEqual([]);
      expect(asked(output)).toEqual(first);
      block(...first, 'duckduckgo');
      await ask(engine, { query }).catch(() => undefined);
      const tiers = sim.requests.filter(({ url }) => withTier.includes(url.pathname.split('/')[1] ?? ''));
      expect(tiers.length > 0).toBe(first[0] === 'youcom');
      await engine.close();
    },
    30_000,
  );

  test('doctor names them', async () => {
    const home = mkdtempSync(join(tmpdir(), 'newcomer-'));
    const { out } = await runHeadgate(['doctor', '--offline'], { home });
    expect(out).toMatch(/Search +asks DuckDuckGo, then Firecrawl, You\.com\. \[search\] keyless limits/);
    expect(out).toMatch(/Topics +.*arXiv.* are asked/);
  }, 30_000);
});

test.each(withTier)(
  '%s without a key costs a tenant nothing, and counts for no limit',
  async (id) => {
    const bases = ['base_url', ...(id === 'youcom' ? ['keyless_base_url'] : [])];
    const gateway = await createTestGateway({
      config: (url) => ({
        [`providers.${id}.enabled`]: true,
        ...Object.fromEntries(bases.map((base) => [`providers.${id}.${base}`, `${url}/${id}`])),
        'search.keyless': [id],
        'tiers.free.calls_free': 0,
      }),
    });
    const { key } = await gateway.newKey();
    const headers = { authorization: `Bearer ${key}` };
    const response = await gateway.post('/search', { query }, headers);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ attempts: [{ provider: id, outcome: 'ok' }] });
    await gateway.close();
  },
  30_000,
);

describe('exclude_providers', () => {
  test('switches providers and sources of topics off for one call', async () => {
    const engine = newcomer();
    block('duckduckgo', ...withTier);
    const output = await ask(engine, { query, exclude_providers: ['firecrawl', 'arxiv'] });
    expect(asked(output)).toEqual(expect.arrayContaining(['duckduckgo', 'youcom']));
    expect(asked(output)).not.toContain('firecrawl');
    expect(asked(output)).not.toContain('arxiv');
    const { out, err } = await runHeadgate(['search', query, '--exclude-providers', 'arxiw'], {
      home: mkdtempSync(join(tmpdir(), 'newcomer-')),
    });
    expect(out + err).toContain('"arxiw" is not a provider of search');
    await engine.close();
  }, 30_000);
});

describe('what a source asks of those who use it', () => {
  test('a good answer with `backoff` is the last for so many seconds', async () => {
    const engine = newcomer();
    const body = JSON.stringify({
      items: [{ item_type: 'question', question_id: 7, title: 'Sort', excerpt: 'Use sort.' }],
      backoff: 600,
    });
    const headers = { 'content-type': 'application/json' };
    sim.script('/stackexchange', [{ kind: 'status', status: 200, headers, body }]);
    const input = { query: 'sort a list', provider: 'stackexchange' };
    expect(await ask(engine, input)).toMatchObject({ outcome: 'ok', results: [{}] });
    const count = sim.requests.length;
    await expect(ask(engine, input)).rejects.toMatchObject({ code: 'upstream_rate_limit' });
    expect(sim.requests).toHaveLength(count);
    await engine.close();
  }, 30_000);

  const credited = providers.filter(({ topic }) => topic?.mustCredit === true);
  test.each(credited.map((card) => [card.id, card] as const))(
    '%s: results name the licence',
    async (id, card) => {
      const engine = newcomer({ 'identity.contact': 'ops@example.org' });
      const { results } = await ask(engine, {
        query: id === 'osv' ? 'CVE-2021-44228' : 'sort',
        provider: id,
      });
      expect(results[0]?.licence).toBe(`${card.title}: ${card.topic?.licence ?? ''}`);
      await engine.close();
    },
    30_000,
  );

  test('every licence that demands credit is marked', () => {
    const demanding = providers.filter(({ topic }) => /\bBY\b/.test(topic?.licence ?? ''));
    expect(demanding.map(({ id }) => id)).toEqual(credited.map(({ id }) => id));
  });
});
