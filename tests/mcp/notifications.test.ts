import { Client as ModernClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { environment, MAIN, startBuilt } from '../support/mcp/built.ts';

/** Progress and log messages of calls that take long. */

let gateway: TestGateway;
let url: string;
let key: string;
beforeAll(async () => {
  gateway = await createTestGateway();
  url = (await gateway.listen()).url;
  ({ key } = await gateway.newKey({ tier: 'pro' }));
});
afterAll(() => gateway.close());

const LONG: [tool: string, input: Record<string, unknown>, step: RegExp][] = [
  ['tavily_research', { input: 'How are tides computed?', model: 'mini' }, /^Searching|^Planning/],
  ['tavily_crawl', { url: 'https://mill.example', limit: 2 }, /^https:\/\/mill\.example\//],
  ['tavily_map', { url: 'https://mill.example', limit: 2 }, /^https:\/\/mill\.example\//],
  ['tavily_extract', { urls: ['https://a.example', 'https://b.example'] }, /^https:\/\/[ab]\.example/],
];

interface Heard {
  method: string;
  params: {
    level?: string;
    logger?: string;
    message?: string;
    progress?: number;
    data?: { message: string };
  };
}

/** Clients that report every notification, and call a tool. */
interface Caller {
  heard: Heard[];
  setLevel(level: 'debug' | 'info' | 'warning' | 'error'): Promise<unknown>;
  call(name: string, input: object, meta?: object): Promise<unknown>;
  close(): Promise<void>;
}

async function first(transport: StdioClientTransport | FirstHttp): Promise<Caller> {
  const client = new FirstClient({ name: 'v1', version: '1' });
  const heard: Heard[] = [];
  await client.connect(transport);
  client.setNotificationHandler(LoggingMessageNotificationSchema, (one) => void heard.push(one as Heard));
  return {
    heard,
    setLevel: (level) => client.setLoggingLevel(level),
    call: (name, input) =>
      client.callTool({ name, arguments: { ...input } }, undefined, {
        onprogress: (params) => void heard.push({ method: 'notifications/progress', params }),
      }),
    close: () => client.close(),
  };
}

const headers = () => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });
const DOORS: Record<string, () => Promise<Caller>> = {
  HTTP: () => first(new FirstHttp(new URL(`${url}/mcp?tools=tavily`), headers())),
  '--gateway': () =>
    first(
      new StdioClientTransport({
        command: process.execPath,
        args: [MAIN, 'mcp', '--gateway', url, '--tools', 'tavily'],
        env: environment('http://127.0.0.1:9', { HEADGATE_API_KEY: key }),
        stderr: 'ignore',
      }),
    ),
};

const levelsOf = (heard: Heard[]): (string | undefined)[] =>
  heard.filter(({ method }) => method === 'notifications/message').map(({ params }) => params.level);

describe.each(Object.entries(DOORS))('a 2025 client over %s', (_door, connect) => {
  test('hears the progress of every call that takes long, and what it wants of its log', async () => {
    const client = await connect();
    try {
      for (const [tool, input, step] of LONG) {
        await client.setLevel('info');
        const heard = (wanted: string) => client.heard.filter(({ method }) => method === wanted);
        // The SDK drops what arrives together with the answer, as that of a fast call may.
        await vi.waitFor(
          async () => {
            client.heard.length = 0;
            await client.call(tool, input);
            const messages = heard('notifications/progress').map(({ params }) => params.message);
            expect(messages).toContainEqual(expect.stringMatching(step));
            expect(heard('notifications/message')).not.toEqual([]);
          },
          { timeout: 20_000, interval: 10 },
        );
        const progress = heard('notifications/progress');
        const numbers = progress.map(({ params }) => params.progress ?? 0);
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
        expect(client.heard).toContainEqual({
          method: 'notifications/message',
          params: {
            level: 'info',
            logger: tool,
            data: { message: expect.stringMatching(step) as string },
          },
        });
        await client.setLevel('error');
        client.heard.length = 0;
        await client.call(tool, input);
        expect(levelsOf(client.heard)).toEqual([]);
      }
      await client.call('tavily_search', { query: '' });
      expect(levelsOf(client.heard)).toEqual(['error']);
      await client.setLevel('debug');
      client.heard.length = 0;
      await client.call('tavily_search', { query: 'mills' });
      expect(client.heard).toMatchObject([
        { params: { level: 'debug', data: { message: 'started' } } },
        { params: { level: 'debug', data: { message: 'done', ms: expect.any(Number) as number } } },
      ]);
      await expect(client.setLevel('loud' as 'debug')).rejects.toThrow(/level|Invalid/i);
    } finally {
      await client.close();
    }
  });
});

test('a 2026 client hears of a call what that call asks for', async () => {
  const client = new ModernClient(
    { name: 'v2', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const heard: Heard[] = [];
  client.setNotificationHandler('notifications/message', (one) => void heard.push(one as Heard));
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp?tools=tavily`), headers()));
  const [[name, input]] = LONG as [(typeof LONG)[number]];
  await client.callTool({ name, arguments: input });
  expect(heard).toEqual([]);
  const _meta = { 'io.modelcontextprotocol/logLevel': 'info' };
  await client.callTool({ name, arguments: input, _meta });
  expect(new Set(levelsOf(heard))).toEqual(new Set(['info']));
  await client.close();
});

test('over stdio nothing is sent after the answer, nor after a cancellation', async () => {
  const { sim } = gateway;
  const built = startBuilt(
    ['--tools', 'tavily'],
    environment(sim.url, { HEADGATE_SEARCH__RETRIES: '0', HEADGATE_PROVIDERS__FIRECRAWL__ENABLED: 'false' }),
  );
  await built.request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
  built.notify('notifications/initialized');
  expect(await built.request('logging/setLevel', { level: 'debug' })).toMatchObject({ result: {} });
  const call = (id: string, query: string): void =>
    built.write(
      JSON.stringify({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'tavily_search', arguments: { query }, _meta: { progressToken: id } },
      }),
    );
  const answered = built.answerTo('whole');
  call('whole', 'mills');
  await answered;
  expect(built.lines.findIndex((line) => line.includes('"id":"whole"'))).toBe(built.lines.length - 1);
  expect(built.lines.filter((line) => line.includes('"level":"debug"'))).toHaveLength(2);

  sim.script('/duckduckgo', [{ kind: 'hang' }]);
  const { active } = sim.load;
  call('stopped', 'stopped mills');
  await vi.waitFor(() => expect(sim.load.active).toBe(active + 1), { timeout: 20_000 });
  const count = built.lines.length;
  built.notify('notifications/cancelled', { requestId: 'stopped' });
  await vi.waitFor(() => expect(sim.load.active).toBe(active), { timeout: 5_000 });
  await built.request('ping');
  expect(built.lines).toHaveLength(count + 1);
  built.child.stdin.end();
  await built.ended();
});
