import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHeadgate, type Headgate } from '../index.ts';
import { simUpstreams } from '../sim/index.ts';
import { startSim, type Sim } from '../sim/server.ts';
import { emptyHome } from '../../tests/support/empty-home.ts';

let sim: Sim;
let web: Headgate;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
  web = createHeadgate({
    home: emptyHome(),
    config: {
      'providers.tavily.base_url': `${sim.url}/tavily`,
      'providers.tavily.api_key': 'tvly-good-key',
      'providers.tavily.pace_ms': 0,
      'providers.duckduckgo.base_url': `${sim.url}/duckduckgo`,
    },
  });
});
afterAll(async () => {
  await web.close();
  await sim.close();
});

describe('dry_run', () => {
  test('names who would be asked and the most it can cost, and asks nobody', async () => {
    const plan = await web.plan('search', {
      query: 'tides',
      search_depth: 'advanced',
      provider: ['tavily', 'duckduckgo'],
    });
    expect(plan).toEqual({
      operation: 'search',
      steps: [
        { provider: 'tavily', credits_max: 2, cost_max: 16_000 },
        { provider: 'duckduckgo', credits_max: 0, cost_max: 0 },
      ],
      credits_max: 2,
      cost_max: 16_000,
      cached: false,
      credits_saved: 0,
    });
    expect(sim.requests).toEqual([]);
  });

  test('says what memory would save', async () => {
    const request = { query: 'remembered tides', provider: 'tavily' };
    await web.search(request);
    expect(await web.plan('search', request)).toMatchObject({
      cached: true,
      credits_max: 0,
      credits_saved: 1,
    });
  });

  test('extract is priced per five pages; our own reader is free', async () => {
    const urls = Array.from({ length: 7 }, (_, index) => `https://example.com/${index}`);
    expect(await web.plan('extract', { urls, provider: 'tavily', extract_depth: 'advanced' })).toMatchObject({
      credits_max: 4,
    });
    expect(await web.plan('extract', { urls })).toMatchObject({
      credits_max: 0,
      steps: [{ provider: 'headgate' }],
    });
  });

  test('bad input is refused as in the call itself', async () => {
    await expect(web.plan('search', { query: ' ' })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  test('max_credits refuses a call that may cost more, before anybody is asked', async () => {
    sim.reset();
    const call = web.search(
      { query: 'dear tides', search_depth: 'advanced', provider: 'tavily' },
      { creditsMax: 1 },
    );
    await expect(call).rejects.toMatchObject({ code: 'over_budget', data: { required: 2, limit: 1 } });
    expect(sim.requests).toEqual([]);
  });
});
