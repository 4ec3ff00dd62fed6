import { afterEach, describe, expect, test } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

let gateway: TestGateway;
afterEach(() => gateway.close());

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** The descriptions that an MCP client reads. */
async function descriptionsAt(path: string, key: string): Promise<Record<string, string>> {
  const response = await gateway.post(
    path,
    { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    { ...bearer(key), accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
  );
  const text = await response.text();
  const line = text.split('\n').find((one) => one.startsWith('data:'));
  const { result } = JSON.parse(line === undefined ? text : line.slice(5)) as {
    result: { tools: { name: string; description: string }[] };
  };
  return Object.fromEntries(result.tools.map((tool) => [tool.name, tool.description]));
}

const agentWith = async (workspace: string, settings: object): Promise<string> =>
  (await gateway.store.agents.create({ workspace, name: 'Agent', settings })).id;

/** What everybody who names a price says about one provider. */
async function pricesSaid(provider: string, key: { key: string; workspace: string; subscription: string }) {
  const id = await agentWith(key.workspace, { searchWebProvider: provider, fetchWebProvider: null });
  const before = await gateway.store.accounts.subscription(key.subscription);
  const plan = await gateway.post('/search', { query: 'weirs', provider, dry_run: true }, bearer(key.key));
  const answer = await gateway.post('/search', { query: 'weirs', provider }, bearer(key.key));
  expect(answer.status).toBe(200);
  const after = await gateway.store.accounts.subscription(key.subscription);
  const { body } = await gateway.admin('GET', '/providers');
  return {
    planned: ((await plan.json()) as { cost_max: number }).cost_max,
    charged: before.balance - after.balance,
    isPriced: (body['providers'] as { id: string; priced: boolean }[]).find((one) => one.id === provider)
      ?.priced,
    note: (await descriptionsAt(`/mcp/agents/${id}`, key.key))['search_web'],
  };
}

describe('what a tool costs', () => {
  test('a tool that may reach a priced provider names the price and the free calls that are left', async () => {
    gateway = await createTestGateway({ config: { 'providers.tavily.api_key': 'tvly-operator' } });
    const { key, workspace } = await gateway.newKey({ tier: 'free' });
    // `headgate` stands for whoever is set up, and Tavily comes first.
    const id = await agentWith(workspace, { searchWebProvider: 'headgate', fetchWebProvider: 'headgate' });
    for (let call = 0; call < 7; call += 1)
      await gateway.post('/search', { query: `weirs ${call}`, provider: 'tavily' }, bearer(key));
    const described = await descriptionsAt(`/mcp/agents/${id}`, key);
    expect(described['search_web']).toMatch(
      /Note: Tavily costs \$0\.008 per credit; DuckDuckGo is free\. 3 of 10 free calls left\.$/,
    );
    expect(described['fetch_url']).toMatch(/Note: This tool is free to use \(no credits charged\)\.$/);
    expect(await descriptionsAt('/mcp?tools=agent', key)).toEqual(described);
  });

  test('a used-up allowance is told with what follows it', async () => {
    const flags = {
      'providers.tavily.api_key': 'tvly-operator',
      'tiers.pro.calls_free': 0,
      'tiers.free.calls_free': 0,
    };
    gateway = await createTestGateway({ config: flags });
    const noteFor = async (tier: string) => {
      const { key, workspace, subscription } = await gateway.newKey({ tier });
      await gateway.store.accounts.topUp({ subscription, amount: 500_000 });
      const id = await agentWith(workspace, { searchWebProvider: 'tavily', fetchWebProvider: null });
      return (await descriptionsAt(`/mcp/agents/${id}`, key))['search_web'];
    };
    expect(await noteFor('free')).toContain(
      '0 of 0 free calls left; priced calls are refused until a slot frees.',
    );
    expect(await noteFor('pro')).toContain(
      '0 of 0 free calls left; priced calls are charged, $0.50 is available.',
    );
  });

  test('a provider that the operator has priced is priced for everybody who says so', async () => {
    gateway = await createTestGateway({
      config: (sim) => ({
        'providers.brave.api_key': 'BSA-operator-key',
        'providers.brave.base_url': `${sim}/brave`,
        'providers.brave.credit_price': 5_000,
        'providers.brave.pace_ms': 0,
        'tiers.pro.calls_free': 0,
      }),
    });
    const key = await gateway.newKey({ tier: 'pro' });
    await gateway.store.accounts.topUp({ subscription: key.subscription, amount: 1_000_000 });
    expect(await pricesSaid('brave', key)).toEqual({
      planned: 5_000,
      charged: 5_000,
      isPriced: true,
      note: expect.stringContaining('Brave costs $0.005 per credit.') as string,
    });
  });

  test('W3: pages that Headgate reads itself can be priced like those of any other provider', async () => {
    gateway = await createTestGateway({
      config: { 'providers.headgate.credit_price': 2_000, 'tiers.pro.calls_free': 0 },
    });
    const { key, subscription, workspace } = await gateway.newKey({ tier: 'pro' });
    await gateway.store.accounts.topUp({ subscription, amount: 1_000_000 });
    const urls = [`${gateway.sim.url}/web/article`];
    const plan = await gateway.post('/extract', { urls, dry_run: true }, bearer(key));
    expect(await plan.json()).toMatchObject({ steps: [{ provider: 'headgate', cost_max: 2_000 }] });
    expect((await gateway.post('/extract', { urls }, bearer(key))).status).toBe(200);
    expect((await gateway.store.accounts.subscription(subscription)).balance).toBe(998_000);
    const id = await agentWith(workspace, { searchWebProvider: null, fetchWebProvider: 'headgate' });
    expect((await descriptionsAt(`/mcp/agents/${id}`, key))['fetch_url']).toContain('Headgate costs $0.002');
    const { body } = await gateway.admin('GET', '/providers');
    expect(body['providers']).toContainEqual(expect.objectContaining({ id: 'headgate', priced: true }));
  });

  test('Tavily at a price of 0 is free for everybody who says so', async () => {
    gateway = await createTestGateway({
      config: {
        'providers.tavily.api_key': 'tvly-operator',
        'providers.tavily.credit_price': 0,
        'tiers.pro.calls_free': 0,
      },
    });
    expect(await pricesSaid('tavily', await gateway.newKey({ tier: 'pro' }))).toEqual({
      planned: 0,
      charged: 0,
      isPriced: false,
      note: expect.stringContaining('free to use (no credits charged)') as string,
    });
  });

  test('/usage counts money in credits at the price that Tavily has here', async () => {
    gateway = await createTestGateway({ config: { 'providers.tavily.credit_price': 4_000 } });
    const { key, subscription } = await gateway.newKey({ tier: 'pro' });
    await gateway.store.accounts.topUp({ subscription, amount: 1_000_000 });
    const usage = await gateway.app.request('http://127.0.0.1/usage', { headers: bearer(key) });
    expect(await usage.json()).toMatchObject({ account: { paygo_usage: 0, paygo_limit: 250 } });
  });
});
