import { afterEach, describe, expect, test } from 'vitest';
import { createMovableClock } from '../support/movable-clock.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

let gateway: TestGateway;
afterEach(() => gateway.close());

interface Shown {
  id: string;
  can: string[];
  missing?: string;
  health: { state: string; attempts: number; failures: number; reason?: string };
}

const shown = async (id: string): Promise<Shown | undefined> =>
  ((await gateway.admin('GET', '/providers')).body['providers'] as Shown[]).find((one) => one.id === id);
const stateOf = async (id: string): Promise<string | undefined> => (await shown(id))?.health.state;
const metrics = async (): Promise<string> => (await gateway.app.request('http://127.0.0.1/metrics')).text();
const search = (query: string, provider = 'duckduckgo'): Promise<Response> =>
  gateway.post('/search', { query, provider });

describe('provider health', () => {
  test('nobody is said to work before somebody asked', async () => {
    gateway = await createTestGateway({ config: { 'providers.tavily.api_key': 'tvly-operator' } });
    expect(await stateOf('duckduckgo')).toBe('unknown');
    expect(await stateOf('tavily')).toBe('unknown');
    expect(await metrics()).toContain('headgate_provider_state{provider="duckduckgo",state="unknown"} 1');
    await search('weirs');
    expect((await shown('duckduckgo'))?.health).toMatchObject({ state: 'ok', attempts: 1, failures: 0 });
    expect(await stateOf('tavily')).toBe('unknown');
    expect(await metrics()).toContain('headgate_provider_state{provider="duckduckgo",state="ok"} 1');
  });

  test('a provider that fails every call is down, also while its circuit is half open', async () => {
    const clock = createMovableClock();
    gateway = await createTestGateway({ clock });
    gateway.sim.script('/duckduckgo', [{ kind: 'status', status: 503, times: 'always' }]);
    for (let call = 0; call < 6; call += 1) await search(`weirs ${call}`);
    expect((await shown('duckduckgo'))?.health).toMatchObject({
      state: 'down',
      reason: expect.stringContaining('503') as string,
    });
    clock.move(60_000);
    expect(await stateOf('duckduckgo')).toBe('down');
    expect(await metrics()).toContain('headgate_provider_state{provider="duckduckgo",state="down"} 1');
    gateway.sim.reset();
    await search('weirs again');
    expect(await stateOf('duckduckgo')).toBe('degraded');
    // What was a quarter of an hour ago says nothing about now.
    clock.move(15 * 60_000);
    expect(await stateOf('duckduckgo')).toBe('unknown');
  });

  test('a refused key is down; a refused budget says nothing about the provider', async () => {
    gateway = await createTestGateway({
      config: { 'providers.tavily.api_key': 'tvly-bad', 'tiers.free.calls_free': 0 },
    });
    const { key } = await gateway.newKey({ tier: 'free' });
    const refused = await gateway.post(
      '/search',
      { query: 'weirs', provider: 'tavily' },
      { authorization: `Bearer ${key}` },
    );
    expect(refused.status).toBe(432);
    expect(await stateOf('tavily')).toBe('unknown');
    const pro = await gateway.newKey({ tier: 'pro' });
    const failed = await gateway.post(
      '/search',
      { query: 'weirs', provider: 'tavily' },
      { authorization: `Bearer ${pro.key}` },
    );
    expect(failed.status).not.toBe(200);
    expect(await stateOf('tavily')).toBe('down');
  });

  test('a provider that needs a key to search does not offer searching without one', async () => {
    gateway = await createTestGateway({
      config: (sim) => ({ 'providers.jina.enabled': true, 'providers.jina.base_url': `${sim}/jina` }),
    });
    expect(await shown('jina')).toMatchObject({
      can: ['extract'],
      missing: 'Searching needs a key: set JINA_API_KEY.',
      health: { state: 'unknown' },
    });
  });

  test('the doctor of the gateway counts as an attempt', async () => {
    gateway = await createTestGateway();
    const { body } = await gateway.admin('GET', '/doctor');
    const found = (body['findings'] as { subject: string; level: string; text: string }[]).filter(
      ({ subject }) => subject === 'DuckDuckGo',
    );
    expect(found).toEqual([
      expect.objectContaining({ level: 'note', text: 'set up; not asked.', health: 'unknown' }),
    ]);
    await gateway.admin('GET', '/doctor?online=true');
    expect(await stateOf('duckduckgo')).toBe('ok');
  });
});
