import { afterEach, describe, expect, test } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

let gateway: TestGateway;
afterEach(() => gateway.close());

/** What an MCP client of an agent is answered. */
async function ask(path: string, key: string, method: string, params: object = {}): Promise<unknown> {
  const response = await gateway.post(
    path,
    { jsonrpc: '2.0', id: 1, method, params },
    {
      authorization: `Bearer ${key}`,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    },
  );
  const text = await response.text();
  const line = text.split('\n').find((one) => one.startsWith('data:'));
  return (JSON.parse(line === undefined ? text : line.slice(5)) as { result: unknown }).result;
}

describe('a tool whose provider has no key', () => {
  test.each([
    ['tavily', 'TAVILY_API_KEY', {}],
    ['jina', 'JINA_API_KEY', { 'providers.jina.enabled': true }],
  ])('of %s says so in its description, and when it is called', async (provider, variable, config) => {
    gateway = await createTestGateway({ config });
    const { key, workspace } = await gateway.newKey();
    const settings = { searchWebProvider: provider, fetchWebProvider: null };
    const { id } = await gateway.store.agents.create({ workspace, name: 'Agent', settings });
    const path = `/mcp/agents/${id}`;
    const { tools } = (await ask(path, key, 'tools/list')) as { tools: { description: string }[] };
    expect(tools[0]?.description).toMatch(/ Note: This tool cannot be used now\. /);
    expect(tools[0]?.description).toContain(variable);
    expect(tools[0]?.description).not.toContain('free to use');
    const call = { name: 'search_web', arguments: { query: 'weirs' } };
    const answered = (await ask(path, key, 'tools/call', call)) as { content: { text: string }[] };
    expect(answered.content[0]?.text).toMatch(/^Error searching the web: /);
    expect(answered.content[0]?.text).toContain(variable);
    expect(gateway.sim.requests).toEqual([]);
  });
});
