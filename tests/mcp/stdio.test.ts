import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { environment, MAIN, startBuilt, startBuiltSim, type BuiltServer } from '../support/mcp/built.ts';
import { sized } from '../support/sized.ts';

/** `headgate mcp` as a client runs it, over stdio, with `headgate sim` as the upstream. */

interface Answer {
  text: string;
  isError: boolean;
  meta: Record<string, unknown>;
}

interface ConnectedClient {
  version: string | undefined;
  tools(): Promise<string[]>;
  call(name: string, input: Record<string, unknown>): Promise<Answer>;
  close(): Promise<void>;
}

let sim: Awaited<ReturnType<typeof startBuiltSim>>;
beforeAll(async () => {
  sim = await startBuiltSim();
});
afterAll(() => sim.stop());

const server = (): { command: string; args: string[]; env: Record<string, string>; stderr: 'ignore' } => ({
  command: process.execPath,
  args: [MAIN, 'mcp', '--tools', 'websearch'],
  env: environment(sim.url),
  stderr: 'ignore',
});

const toAnswer = (result: unknown): Answer => {
  const { content, isError, _meta } = result as {
    content: { type: string; text: string }[];
    isError?: boolean;
    _meta?: Record<string, Record<string, unknown>>;
  };
  expect(content).toHaveLength(1);
  return {
    text: content[0]?.text ?? '',
    isError: isError === true,
    meta: _meta?.['headgate/result'] ?? {},
  };
};

async function connectFirst(): Promise<ConnectedClient> {
  const client = new FirstClient({ name: 'v1', version: '1' });
  await client.connect(new FirstTransport(server()));
  return {
    version: '2025-11-25',
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (name, input) => toAnswer(await client.callTool({ name, arguments: input })),
    close: () => client.close(),
  };
}

async function connectModern(mode: 'auto' | 'legacy'): Promise<ConnectedClient> {
  const client = new ModernClient({ name: 'v2', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new ModernTransport(server()));
  return {
    version: client.getNegotiatedProtocolVersion(),
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (name, input) => toAnswer(await client.callTool({ name, arguments: input })),
    close: () => client.close(),
  };
}

describe.each([
  ['the v1 SDK client', connectFirst, '2025-11-25'],
  ['the v2 SDK client, 2025 era', () => connectModern('legacy'), '2025-11-25'],
  ['the v2 SDK client, 2026 era', () => connectModern('auto'), '2026-07-28'],
])('%s', (_name, connect, version) => {
  let client: ConnectedClient;
  beforeAll(async () => {
    client = await connect();
  });
  afterAll(() => client.close());

  test('negotiates its revision and sees the two tools of websearch spec 3.1', async () => {
    expect(client.version).toBe(version);
    expect(await client.tools()).toEqual(['web_search', 'instant_answer']);
  });

  test('web_search answers with the results of the upstream', async () => {
    const answer = await client.call('web_search', { query: 'tidal mills', max_results: 2 });
    expect(answer.isError).toBe(false);
    expect(answer.text).toMatch(
      /^## Web Search Results for "tidal mills"\n\n### 1\. tidal mills: \w+ 1\n\*\*URL:\*\* https:\/\/\S+\n.+\n\n---\n\n### 2\. /,
    );
    expect(answer.text.endsWith('_Source: DuckDuckGo (2 results)_')).toBe(true);
    expect(answer.meta).toMatchObject({ outcome: 'ok', trust: 'untrusted_web' });
  });

  test('instant_answer answers with the abstract of the upstream', async () => {
    const answer = await client.call('instant_answer', { query: 'tidal mill' });
    expect(answer.isError).toBe(false);
    expect(answer.text).toMatch(/^## Instant Answer for "tidal mill"\n\n### /);
    expect(answer.text.endsWith('_Source: DuckDuckGo Instant Answer API_')).toBe(true);
  });

  test.each([
    ['a missing query', {}, 'query: is missing.'],
    ['a blank query', { query: ' \n\t ' }, 'query: is blank. Say what to look for.'],
    ['a query that is no text', { query: 7 }, 'query: must be a string.'],
    ['max_results 0', { query: 'q', max_results: 0 }, 'max_results: at least 1.'],
    ['max_results 31', { query: 'q', max_results: 31 }, 'max_results: at most 30.'],
    ['max_results "abc"', { query: 'q', max_results: 'abc' }, 'max_results: must be a whole number.'],
    ['max_results 1e9', { query: 'q', max_results: 1e9 }, 'max_results: at most 30.'],
    ['max_results true', { query: 'q', max_results: true }, 'max_results: must be a whole number.'],
    ['a query of 1 MB', { query: 'x'.repeat(1024 * 1024) }, 'query: at most 1000 characters.'],
    ['control characters', { query: 'a\u0000b\u001B[31m' }, 'query: contains control characters.'],
  ])('%s is refused in words, and the server goes on', async (_case, input, expected) => {
    const answer = await client.call('web_search', input);
    expect(answer.isError).toBe(true);
    expect(answer.text).toContain(expected);
    expect(answer.text).not.toMatch(/ZodError|\bat .*\.js:\d+/);
  });

  test('"5" is 5', async () => {
    const answer = await client.call('web_search', { query: 'lenient', max_results: '5' });
    expect(answer.text.endsWith('(5 results)_')).toBe(true);
  });

  test('a !bang is searched as text instead of being followed', async () => {
    const answer = await client.call('web_search', { query: '!w tidal mills', max_results: 1 });
    expect(answer.isError).toBe(false);
    expect(answer.text).toContain('> Note: ');
    expect(answer.text.endsWith('(1 results)_')).toBe(true);
  });

  test('nothing found is said, and a challenge is an error rather than "nothing found"', async () => {
    const none = await client.call('web_search', { query: 'noresult please' });
    expect(none).toMatchObject({ isError: false, meta: { outcome: 'empty' } });
    expect(none.text).toContain('No results found.');
    const blocked = await client.call('web_search', { query: 'sim:challenge' });
    expect(blocked.isError).toBe(true);
    expect(blocked.text).not.toContain('No results found');
  });
});

describe('the process', () => {
  const open = async (instance: BuiltServer): Promise<void> => {
    await instance.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    });
    instance.notify('notifications/initialized');
  };
  const start = (more: Record<string, string> = {}): BuiltServer =>
    startBuilt(['--tools', 'websearch'], environment(sim.url, more));
  const hangUp = async (): Promise<void> => {
    const script = { match: '/duckduckgo', faults: [{ kind: 'hang', times: 1 }] };
    await fetch(`${sim.url}/__script`, { method: 'POST', body: JSON.stringify(script) });
  };
  const isAsked = async (query: string): Promise<void> =>
    vi.waitFor(
      async () => {
        const requests = await (await fetch(`${sim.url}/__requests`)).text();
        expect(requests).toContain(query);
      },
      { timeout: 20_000, interval: 20 },
    );

  test('writes nothing but JSON-RPC to stdout, even with every log line on', async () => {
    const instance = start({ HEADGATE_LOG__LEVEL: 'debug' });
    await open(instance);
    await instance.request('tools/list');
    await instance.request('tools/call', { name: 'web_search', arguments: { query: 'stdout' } });
    await instance.request('tools/call', { name: 'web_search', arguments: {} });
    await instance.request('tools/call', { name: 'nothing', arguments: {} });
    await instance.request('no/such/method');
    const refused = instance.answerTo(null);
    instance.write('this is no JSON');
    expect((await refused).error?.code).toBe(-32_700);
    instance.child.stdin.end();
    expect((await instance.ended()).code).toBe(0);
    expect(instance.lines).toHaveLength(7);
    for (const line of instance.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect(instance.stderr()).toContain('"event":"tool_start"');
  });

  const ways: [string, (instance: BuiltServer) => void][] = [
    ['a closed stdin', (instance: BuiltServer) => void instance.child.stdin.end()],
    ['SIGTERM', (instance: BuiltServer) => void instance.child.kill('SIGTERM')],
    ['SIGINT', (instance: BuiltServer) => void instance.child.kill('SIGINT')],
    [
      'a client that vanishes',
      (instance: BuiltServer) => {
        instance.child.stdout.destroy();
        instance.child.stdin.destroy();
      },
    ],
  ];
  const count = sized('ways to end an MCP process', { small: 2, large: 4, full: 4 });
  test.each(ways.slice(0, count))(
    'ends within a second after %s: at rest, and with a call under way',
    async (name, end) => {
      for (const isBusy of [false, true]) {
        const instance = start();
        await open(instance);
        if (isBusy) {
          await hangUp();
          const query = `${name} while busy`;
          void instance.request('tools/call', { name: 'web_search', arguments: { query } });
          await isAsked(encodeURIComponent(query).replaceAll('%20', '+'));
        }
        const ended = instance.ended();
        end(instance);
        const { code, ms } = await ended;
        expect(code).toBe(0);
        // A second by design; what would not end by itself takes tens of seconds, also on a busy machine.
        expect(ms).toBeLessThan(5_000);
      }
    },
  );

  test('a cancelled call ends its request to the upstream and gives no answer', async () => {
    const instance = start();
    await open(instance);
    await hangUp();
    instance.write(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 'slow',
        method: 'tools/call',
        params: { name: 'web_search', arguments: { query: 'cancelled call' } },
      }),
    );
    await isAsked('cancelled+call');
    instance.notify('notifications/cancelled', { requestId: 'slow', reason: 'enough' });
    const fine = await instance.request('tools/call', {
      name: 'web_search',
      arguments: { query: 'after the cancelled one', max_results: 1 },
    });
    expect(fine.result?.['isError']).toBeUndefined();
    instance.child.stdin.end();
    await instance.ended();
    expect(instance.lines.map((line) => (JSON.parse(line) as { id: unknown }).id)).not.toContain('slow');
  });
});
