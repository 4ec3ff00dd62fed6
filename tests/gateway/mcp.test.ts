import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { toolsets } from '../../src/toolsets/index.ts';
import { ADMIN, createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

let gateway: TestGateway;
let url: string;
let key: string;
let workspace: string;
let subscription: string;
beforeAll(async () => {
  gateway = await createTestGateway({ config: { 'providers.tavily.api_key': 'tvly-operator' } });
  url = (await gateway.listen()).url;
  ({ key, workspace, subscription } = await gateway.newKey({ tier: 'pro' }));
});
afterAll(() => gateway.close());

const ERAS = [
  ['the 2025 era', { mode: 'legacy' }],
  ['the 2026 era', { mode: { pin: '2026-07-28' } }],
] as const;

/** Connects, runs, disconnects. */
async function withClient<Value>(
  path: string,
  run: (client: Client) => Promise<Value>,
  options: { versionNegotiation?: object; key?: string; headers?: Record<string, string> } = {},
): Promise<Value> {
  const headers = { authorization: `Bearer ${options.key ?? key}`, ...options.headers };
  const client = new Client(
    { name: 'test', version: '1' },
    options.versionNegotiation === undefined ? {} : { versionNegotiation: options.versionNegotiation },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}${path}`), { requestInit: { headers } }),
  );
  try {
    return await run(client);
  } finally {
    await client.close();
  }
}

const namesAt = (path: string, options?: Parameters<typeof withClient>[2]): Promise<string[]> =>
  withClient(path, async (client) => (await client.listTools()).tools.map((tool) => tool.name), options);

const textOf = (result: unknown): string =>
  ((result as { content: { text: string }[] }).content[0] ?? { text: '' }).text;

describe('MCP over HTTP', () => {
  test.each(ERAS)('serves clients of %s', async (_name, versionNegotiation) => {
    const text = await withClient(
      '/mcp?tools=websearch',
      async (client) =>
        textOf(await client.callTool({ name: 'web_search', arguments: { query: 'tidal mills' } })),
      { versionNegotiation },
    );
    expect(text).toContain('tidal mills');
  });

  test('serves the v1 SDK client', async () => {
    const client = new OldClient({ name: 'old', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new OldTransport(new URL(`${url}/mcp?tools=websearch`), { requestInit }));
    const result = await client.callTool({ name: 'web_search', arguments: { query: 'tidal mills' } });
    expect(textOf(result)).toContain('tidal mills');
    await client.close();
  });

  test.each(
    ERAS.flatMap(([era, versionNegotiation]) => [
      [
        era,
        'with a price: it is heard to its end',
        'tavily',
        'tavily_search',
        1,
        versionNegotiation,
      ] as const,
      [
        era,
        'without a price: its request ends, too',
        'websearch',
        'web_search',
        0,
        versionNegotiation,
      ] as const,
    ]),
  )(
    'cancelling a call of %s to a provider %s',
    async (era, _name, tools, name, heard, versionNegotiation) => {
      const { sim } = gateway;
      sim.script(tools === 'tavily' ? '/tavily/search' : '/duckduckgo', [{ kind: 'hang' }]);
      const { active } = sim.load;
      await withClient(
        `/mcp?tools=${tools}`,
        async (client) => {
          const controller = new AbortController();
          const call = client.callTool(
            { name, arguments: { query: `stopped ${era}` } },
            { signal: controller.signal },
          );
          await vi.waitFor(() => expect(sim.load.active).toBe(active + 1), { timeout: 20_000 });
          controller.abort(new Error('enough'));
          await expect(call).rejects.toThrow('enough');
          expect((await client.listTools()).tools.length).toBeGreaterThan(0);
          await vi.waitFor(() => expect(sim.load.active).toBe(active + heard), { timeout: 5_000 });
        },
        { versionNegotiation },
      );
    },
  );

  test('calls over MCP are counted with their tool and agent, as they went', async () => {
    const id = (
      await gateway.store.agents.create({
        workspace,
        name: 'Counted',
        settings: { searchWebProvider: 'tavily', fetchWebProvider: null },
      })
    ).id;
    await withClient(`/mcp/agents/${id}`, async (client) => {
      await client.callTool({ name: 'search_web', arguments: { query: 'mills that are counted' } });
      await client.callTool({ name: 'search_web', arguments: { query: '' } });
    });
    const read = async (path: string): Promise<Record<string, unknown[]>> =>
      (await (
        await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${ADMIN}` } })
      ).json()) as Record<string, unknown[]>;
    const { calls = [] } = await read('/admin/calls?limit=2');
    const common = { surface: 'mcp', operation: 'search_web', workspace, agent: id };
    expect(calls).toMatchObject([
      { ...common, outcome: 'invalid', code: 'invalid_request', credits: 0 },
      { ...common, outcome: 'ok', credits: 1, charged: 0, attempts: [{ provider: 'tavily' }] },
    ]);
  });

  test.each(toolsets.map(({ id, tools }) => [id, tools] as const))(
    'serves the toolset %s, with titles and annotations',
    async (id, tools) => {
      const listed = await withClient(`/mcp?tools=${id}`, (client) => client.listTools());
      expect(listed.tools.map(({ name, title, annotations }) => ({ name, title, annotations }))).toEqual(
        tools.map(({ name, title, annotations }) => ({ name, title, annotations })),
      );
    },
  );

  test('needs a key where there are keys, and knows its toolsets', async () => {
    const post = (path: string, headers: Record<string, string> = {}) =>
      gateway.post(path, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers);
    expect((await post('/mcp')).status).toBe(401);
    expect((await post('/mcp?tools=nothing', { authorization: `Bearer ${key}` })).status).toBe(404);
  });
});

describe('agent spec 1 and agent spec 8: agents', () => {
  const agent = async (settings: object, owner = workspace): Promise<string> =>
    (await gateway.store.agents.create({ workspace: owner, name: 'Agent', settings })).id;

  test('an agent has the tools it is set up with, and a change shows at once', async () => {
    const id = await agent({ searchWebProvider: 'duckduckgo', fetchWebProvider: null });
    expect(await namesAt(`/mcp/agents/${id}`)).toEqual(['search_web']);
    await gateway.store.agents.update(id, { settings: { fetchWebProvider: 'headgate' } });
    expect(await namesAt(`/mcp/agents/${id}`)).toEqual(['search_web', 'fetch_url']);
    await gateway.store.agents.update(id, { settings: { searchWebProvider: null, fetchWebProvider: null } });
    expect(await namesAt(`/mcp/agents/${id}`)).toEqual([]);
  });

  test('old flags mean the same as before', async () => {
    const id = await agent({ enableTavilySearch: true, enableTavilyFetch: false });
    expect(await namesAt(`/mcp/agents/${id}`)).toEqual(['search_web']);
  });

  test('a delegated call has the target’s tools, is charged to the same subscription, and shows both agents', async () => {
    const first = await agent({ searchWebProvider: null, fetchWebProvider: null });
    const second = await agent({ searchWebProvider: 'tavily', fetchWebProvider: null });
    const headers = { 'x-headgate-delegate': second };
    expect(await namesAt(`/mcp/agents/${first}`)).toEqual([]);
    expect(await namesAt(`/mcp/agents/${first}`, { headers })).toEqual(['search_web']);
    expect(await namesAt(`/mcp/agents/${first}?delegate=${second}`)).toEqual(['search_web']);
    const text = await withClient(
      `/mcp/agents/${first}`,
      async (client) =>
        textOf(await client.callTool({ name: 'search_web', arguments: { query: 'mills of the valley' } })),
      { headers },
    );
    expect(text).toContain('Found 5 search result(s)');
    const usage = await gateway.store.reports.usage({ subscription }, ['agent', 'provider']);
    expect(usage.filter(({ group }) => String(group['agent']).includes(second))).toMatchObject([
      { group: { agent: `${first}/${second}`, provider: 'tavily' }, calls: 1, credits: 1 },
    ]);
  });

  test('a key of one agent that calls at another agent’s address delegates', async () => {
    const mine = await agent({ searchWebProvider: null, fetchWebProvider: null });
    const other = await agent({ searchWebProvider: 'duckduckgo', fetchWebProvider: null });
    const made = await gateway.world.store.keys.create({ workspace, label: 'mine', agent: mine });
    expect(await namesAt(`/mcp/agents/${other}`, { key: made.key })).toEqual(['search_web']);
  });

  test('delegation has an end, no circles, and stays within the subscription', async () => {
    const ids = await Promise.all(
      Array.from({ length: 5 }, () => agent({ searchWebProvider: 'duckduckgo' })),
    );
    const [first = '', second = '', third = '', fourth = '', fifth = ''] = ids;
    const stranger = await gateway.newKey();
    const theirs = await agent({ searchWebProvider: 'duckduckgo' }, stranger.workspace);
    const status = async (id: string, delegate?: string): Promise<number> =>
      (
        await gateway.post(
          `/mcp/agents/${id}`,
          { jsonrpc: '2.0', id: 1, method: 'tools/list' },
          {
            authorization: `Bearer ${key}`,
            accept: 'application/json, text/event-stream',
            ...(delegate === undefined ? {} : { 'x-headgate-delegate': delegate }),
          },
        )
      ).status;
    expect(await status(first, [second, third, fourth].join(','))).toBe(200);
    expect(await status(first, [second, third, fourth, fifth].join(','))).toBe(403);
    expect(await status(first, `${second},${first}`)).toBe(403);
    expect(await status(first, 'nobody')).toBe(404);
    expect(await status(theirs)).toBe(404);
    expect(await status(first, theirs)).toBe(404);
  });
});
