import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { createTestClock } from '../support/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { createCall, perform } from '../../src/operations/perform.ts';
import { search } from '../../src/operations/search/search.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { emptyHome } from '../support/empty-home.ts';
import { searchers, simSettings } from '../support/every-provider.ts';

/** `[search] prefer` orders what `auto` asks, and the attempts say why. */
let sim: Sim;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
});
beforeEach(() => sim.reset());
afterAll(() => sim.close());

/** Tavily at $8, Exa at $7, Serper at $1 for a thousand searches, in this order. */
function open(flags: Record<string, unknown>) {
  const clock = createTestClock(Date.now());
  const cards = searchers.filter(({ id }) => ['tavily', 'exa', 'serper'].includes(id));
  const { config } = loadConfig({
    flags: {
      ...(Object.assign({}, ...cards.map((card) => simSettings(card, sim.url))) as Record<string, unknown>),
      'providers.duckduckgo.enabled': false,
      'cache.enabled': false,
      'search.retries': 0,
      ...flags,
    },
  });
  const { services, close } = createEngine(config, { clock, log: silentLogger, home: emptyHome() });
  // How long each takes, on the clock of the test.
  const takes: Record<string, number> = { tavily: 300, exa: 50, serper: 100 };
  const { upstream } = services;
  services.upstream = {
    send: async (request, options) => {
      await clock.sleep(takes[options.provider] ?? 0, options.signal);
      return upstream.send(request, options);
    },
  };
  const ask = async (input: Record<string, unknown> = {}) => {
    const call = createCall(services);
    const { attempts } = await perform(search, { query: 'tidal mills', ...input }, { call, services });
    return attempts;
  };
  return { ask, clock, close, takes };
}

describe('prefer', () => {
  test('order is the default, and says nothing', async () => {
    const { ask, close } = open({});
    expect(await ask()).toEqual([{ provider: 'tavily', ms: 300, outcome: 'ok' }]);
    await close();
  });

  test('cost asks the cheapest that answers, and says what a search costs', async () => {
    const { ask, close } = open({ 'search.prefer': 'cost' });
    expect(await ask()).toMatchObject([
      { provider: 'serper', outcome: 'ok', why: 'Cheapest first: a search costs at most $0.001.' },
    ]);
    sim.script('/serper', [{ kind: 'status', status: 500, times: 'always' }]);
    expect((await ask()).map(({ provider }) => provider)).toEqual(['serper', 'exa']);
    await close();
  });

  test('latency asks the fastest by the median of the last hour, and whoever was not asked in it first', async () => {
    const { ask, clock, close, takes } = open({ 'search.prefer': 'latency' });
    const first = [await ask(), await ask(), await ask()].flat();
    expect(first.map(({ provider }) => provider)).toEqual(['tavily', 'exa', 'serper']);
    expect(first[0]?.why).toBe('Fastest first: it was not asked in the last hour.');
    const [fastest] = await ask();
    expect(fastest).toMatchObject({
      provider: 'exa',
      why: 'Fastest first: half of its answers took at most 50 ms.',
    });
    takes['exa'] = 500;
    for (let count = 0; count < 3; count += 1) await ask();
    expect((await ask())[0]?.provider).toBe('serper');
    await clock.sleep(3_600_001, new AbortController().signal);
    expect((await ask())[0]?.provider).toBe('tavily');
    await close();
  });

  test('a failure counts as the slowest answer', async () => {
    const { ask, close } = open({ 'search.prefer': 'latency' });
    sim.script('/tavily', [{ kind: 'status', status: 500 }]);
    expect((await ask()).map(({ provider }) => provider)).toEqual(['tavily', 'exa']);
    expect((await ask()).map(({ provider }) => provider)).toEqual(['serper']);
    expect((await ask()).map(({ provider }) => provider)).toEqual(['exa']);
    await close();
  });

  test.each([
    [{ 'search.provider': ['tavily', 'serper'] }, {}],
    [{}, { provider: ['tavily', 'serper'] }],
  ])('a chain that is named stays as it is: %j %j', async (flags, input) => {
    const { ask, close } = open({ 'search.prefer': 'cost', ...flags });
    expect(await ask(input)).toEqual([{ provider: 'tavily', ms: 300, outcome: 'ok' }]);
    await close();
  });
});
