import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await createTestGateway({ config: { 'providers.tavily.api_key': 'tvly-operator' } });
});
afterAll(() => gateway.close());

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe('a setting that could not work is refused where it is set', () => {
  test.each(['searchWebProvider', 'fetchWebProvider'])('%s of an agent', async (setting) => {
    const { workspace } = await gateway.newKey();
    const body = { workspace, name: 'Scout', settings: { [setting]: 'gogle' } };
    const refused = await gateway.admin('POST', '/agents', body);
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain(
      `${setting}: there is no \\"gogle\\". Use one of auto, tavily,`,
    );
    const made = await gateway.admin('POST', '/agents', {
      workspace,
      name: 'Scout',
      settings: { [setting]: 'Tavily' },
    });
    expect(made.body['settings']).toMatchObject({ [setting]: 'tavily' });
    const changed = await gateway.admin('PATCH', `/agents/${String(made.body['id'])}`, {
      settings: { [setting]: 'gogle' },
    });
    expect(changed.status).toBe(400);
  });

  test('a provider that only searches may be an agent’s reader, and the built-in reader reads for it', async () => {
    const { key, workspace } = await gateway.newKey();
    const made = await gateway.admin('POST', '/agents', {
      workspace,
      name: 'Reader',
      settings: { fetchWebProvider: 'opensearch' },
    });
    expect(made.status).toBe(200);
    const text = await callTool(String(made.body['id']), key, 'fetch_url', { url: 'https://mill.example/' });
    expect(text).toContain('The mill on the river');
  });

  test.each([
    ['POST', '/subscriptions', { name: 'X', tier: 'gold' }],
    ['POST', '/workspaces', { name: 'X', tier: 'gold' }],
  ])('a tier: %s %s', async (method, path, body) => {
    const refused = await gateway.admin(method, path, body);
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain(
      'tier: there is no \\"gold\\". Use one of free, starter, pro.',
    );
  });
});

describe('a setting that was stored before is told with the command that mends it', () => {
  test('a tier that does not exist is no internal error', async () => {
    const { key, workspace, subscription } = await gateway.newKey();
    await store('UPDATE subscriptions SET tier = ? WHERE id = ?', 'gold', subscription);
    const response = await gateway.post('/search', { query: 'sluices' }, bearer(key));
    expect(response.status).toBe(409);
    const text = await response.text();
    expect(text).toContain(`The workspace ${workspace} has a tier that does not exist.`);
    expect(text).toContain(`headgate workspace set ${workspace} --tier free|starter|pro`);
    expect(await gateway.store.problems()).toEqual([
      expect.stringContaining(`headgate workspace set ${workspace} --tier TIER`),
    ]);
    await gateway.admin('PATCH', `/subscriptions/${subscription}`, { tier: 'pro' });
    expect((await gateway.post('/search', { query: 'sluices' }, bearer(key))).status).toBe(200);
  });

  test('a provider that does not exist', async () => {
    const { key, workspace } = await gateway.newKey();
    const { id } = await gateway.store.agents.create({ workspace, name: 'Old', settings: {} });
    const old = JSON.stringify({ searchWebProvider: 'bing', fetchWebProvider: 'headgate' });
    await store('UPDATE agents SET settings = ? WHERE id = ?', old, id);
    const text = await callTool(id, key, 'search_web', { query: 'sluices' });
    expect(text).toContain(`Agent ${id} is set to the provider "bing", which does not exist.`);
    expect(text).toContain(`headgate agent set ${id} --search PROVIDER`);
    // The other setting can be changed, and what is wrong can be mended.
    const other = await gateway.admin('PATCH', `/agents/${id}`, { settings: { fetchWebProvider: null } });
    expect(other.status).toBe(200);
    const mended = await gateway.admin('PATCH', `/agents/${id}`, {
      settings: { searchWebProvider: 'tavily' },
    });
    expect(mended.body['settings']).toEqual({ searchWebProvider: 'tavily', fetchWebProvider: null });
  });
});

const store = (sql: string, ...values: string[]): Promise<unknown> =>
  gateway.store.database.write([{ sql, values }]);

async function callTool(agent: string, key: string, name: string, args: object): Promise<string> {
  const response = await gateway.post(
    `/mcp/agents/${agent}`,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    { ...bearer(key), accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
  );
  const text = await response.text();
  const line = text.split('\n').find((one) => one.startsWith('data:'));
  const { result } = JSON.parse(line === undefined ? text : line.slice(5)) as {
    result: { content: { text: string }[] };
  };
  return result.content[0]?.text ?? '';
}
