import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { freePorts } from '../support/proxy.ts';
import { runHeadgate } from '../support/cli.ts';
import { environment, MAIN, startBuilt, type BuiltServer } from '../support/mcp/built.ts';
import { sized } from '../support/sized.ts';

/** `headgate mcp --gateway`: a client that only speaks stdio uses the team's gateway. */

let gateway: TestGateway;
let url: string;
let key: string;
let workspace: string;
beforeAll(async () => {
  // It is stopped and started again at the same address, which nobody else may get meanwhile.
  const [port = 0] = await freePorts(1);
  gateway = await createTestGateway({ config: { 'server.port': port } });
  url = (await gateway.listen()).url;
  ({ key, workspace } = await gateway.newKey({ tier: 'pro' }));
});
afterAll(() => gateway.close());

/** Nothing of the environment but the key: what a client gets comes from the gateway. */
const server = (args: string[] = []) => ({
  command: process.execPath,
  args: [MAIN, 'mcp', '--gateway', url, ...args],
  env: environment('http://127.0.0.1:9', { HEADGATE_API_KEY: key }),
  stderr: 'ignore' as const,
});

type CallOptions = { signal?: AbortSignal; onprogress?: (progress: unknown) => void };

interface Connected {
  list(): Promise<{ tools: unknown[] }>;
  call(name: string, input: Record<string, unknown>, options?: CallOptions): Promise<unknown>;
  close(): Promise<void>;
}

async function connectFirst(args?: string[]): Promise<Connected> {
  const client = new FirstClient({ name: 'v1', version: '1' });
  await client.connect(new FirstTransport(server(args)));
  return {
    list: () => client.listTools(),
    call: (name, input, options) => client.callTool({ name, arguments: input }, undefined, options),
    close: () => client.close(),
  };
}

async function connectModern(args?: string[]): Promise<Connected> {
  const client = new ModernClient(
    { name: 'v2', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(new ModernTransport(server(args)));
  return {
    list: () => client.listTools(),
    call: (name, input, options) => client.callTool({ name, arguments: input }, options),
    close: () => client.close(),
  };
}

const ERAS = [
  ['2026', connectModern],
  ['2025', connectFirst],
] as const;
const eras = sized('eras of clients of a gateway through a process', { small: 1, large: 2, full: 2 });
describe.each(ERAS.slice(0, eras))('a client of %s', (era, connect) => {
  test('has the tools of the gateway, its calls are calls of its key, and it can cancel them', async () => {
    const client = await connect(['--tools', 'tavily']);
    try {
      expect((await client.list()).tools).toHaveLength(5);
      const query = `tidal mills of ${era}`;
      expect(await client.call('tavily_search', { query })).toMatchObject({
        content: [{ text: expect.stringContaining(query) as string }],
      });
      expect(await client.call('tavily_search', { query: '' })).toMatchObject({ isError: true });
      await expect(client.call('no_such_tool', {})).rejects.toThrow(/Unknown tool 'no_such_tool'/);
      const steps: unknown[] = [];
      await client.call(
        'tavily_research',
        { input: 'How are tides computed?', model: 'mini' },
        { onprogress: (step) => steps.push(step) },
      );
      expect(steps).toContainEqual(expect.objectContaining({ message: expect.any(String) as string }));
      await vi.waitFor(async () => {
        const { calls } = await gateway.store.calls.page({ workspace }, { limit: 20 });
        expect(calls).toContainEqual(
          expect.objectContaining({ operation: 'tavily_search', surface: 'mcp', outcome: 'ok' }),
        );
      }, 20_000);
      const { sim } = gateway;
      sim.script('/duckduckgo', [{ kind: 'hang' }]);
      const { active } = sim.load;
      const stop = new AbortController();
      const call = client.call('tavily_search', { query: `stopped ${era}` }, { signal: stop.signal });
      await vi.waitFor(() => expect(sim.load.active).toBe(active + 1), { timeout: 20_000 });
      stop.abort(new Error('enough'));
      await expect(call).rejects.toThrow('enough');
      await vi.waitFor(() => expect(sim.load.active).toBe(active), { timeout: 5_000 });
    } finally {
      await client.close();
    }
  });
});

const HELLO = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

/** A client that has opened, and whose next call is answered with text. */
async function opened(
  address: string,
  env: Record<string, string>,
): Promise<BuiltServer & { ask(): Promise<string> }> {
  const built = startBuilt(['--gateway', address], environment('http://127.0.0.1:9', env));
  expect(await built.request('initialize', HELLO)).toMatchObject({
    result: { serverInfo: { name: 'headgate' } },
  });
  built.notify('notifications/initialized');
  // The tools stay, whatever the gateway does.
  expect(await built.request('tools/list')).toMatchObject({
    result: { tools: [{ name: 'web_search' }, {}, {}, {}] },
  });
  const ask = async (): Promise<string> => {
    const params = { name: 'web_search', arguments: { query: 'mills' } };
    const { result } = await built.request('tools/call', params);
    return (result?.['content'] as { text: string }[] | undefined)?.[0]?.text ?? '';
  };
  return { ...built, ask };
}

async function listening(listener: RequestListener): Promise<{ address: string; close(): void }> {
  const http = createServer(listener).listen(0, '127.0.0.1');
  await once(http, 'listening');
  return { address: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, close: () => http.close() };
}

test('what is wrong is said to the model and on stderr, and the next call works when it is mended', async () => {
  const wrong = await opened(url, { HEADGATE_API_KEY: 'hg_live_wrong_000' });
  expect(await wrong.ask()).toMatch(/^Error: The gateway does not accept this key\. It may be revoked/);
  expect(wrong.stderr()).toBe(
    'headgate: The gateway does not accept this key. It may be revoked, expired, or of another gateway. Set HEADGATE_API_KEY to a key from the console or from `headgate key create`.\n',
  );
  expect(wrong.stderr()).not.toContain('wrong_000');
  wrong.child.stdin.end();

  const page = await listening((_request, response) => response.writeHead(404).end('<h1>Not here</h1>'));
  const other = await opened(page.address, { HEADGATE_API_KEY: key });
  expect(await other.ask()).toBe(
    'Error: The address of the gateway answers with HTTP 404, not as a gateway does. Check --gateway: it is the address that the console is at.',
  );
  other.child.stdin.end();
  page.close();

  const { port } = new URL(url);
  const client = await opened(url, { HEADGATE_API_KEY: key });
  expect(await client.ask()).toContain('mills');
  await gateway.stop();
  expect(await client.ask()).toBe(
    `Error: The gateway at ${url} cannot be reached (ECONNREFUSED). Check that it runs and that --gateway is its address. The next call tries again.`,
  );
  gateway = await createTestGateway({ config: { 'server.port': Number(port) }, after: gateway });
  await gateway.listen();
  expect(await client.ask()).toContain('mills');
  client.child.stdin.end();
  expect(await client.ended()).toMatchObject({ code: 0 });
  expect(client.stderr()).toMatch(/cannot be reached[^\n]+\nheadgate: The gateway answers again\.\n$/);
});

test('a key may be in the configuration, and an address that cannot be one is refused at once', async () => {
  const configured = await opened(url, { HEADGATE_MCP__GATEWAY_KEY: key });
  expect(await configured.ask()).toContain('mills');
  configured.child.stdin.end();
  for (const [address, reason] of [
    ['gateway.example', /^headgate: --gateway: "gateway\.example" is not an http\(s\) address\./],
    ['https://me:secret@gateway.example', /^headgate: --gateway: the address must not contain a key\./],
  ] as const) {
    const refused = await runHeadgate(['mcp', '--gateway', address], { home: gateway.home });
    expect(refused).toMatchObject({ code: 2, err: expect.stringMatching(reason) as string });
    expect(refused.err).not.toContain('secret');
  }
});
