import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { request } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { createHttpHandler } from '../../src/bridge/mcp/http-handler.ts';
import { createMcpServerFromTools } from '../../src/bridge/mcp/mcp-server.ts';
import { serveHttp, type ServeHttpOptions } from '../../src/bridge/mcp/serve-http.ts';
import { serveStdio } from '../../src/bridge/mcp/serve-stdio.ts';
import type { ToolContext } from '../../src/bridge/tool.ts';

const tools = [
  { name: 'echo', inputSchema: { type: 'object' }, execute: (input: unknown) => input },
  {
    name: 'who',
    inputSchema: { type: 'object' },
    execute: (_input: unknown, { callId }: ToolContext) => callId,
  },
];

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function http(options: ServeHttpOptions = {}, more: unknown[] = []): Promise<string> {
  const server = await createMcpServerFromTools({ toolsets: [...tools, ...more] });
  const serving = await serveHttp(server, options);
  open.push(serving);
  return serving.url;
}

async function connect(
  url: string,
  era: 'legacy' | 'modern',
  headers?: Record<string, string>,
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {},
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: headers ?? {} } }),
  );
  open.push(client);
  return client;
}

/** A request with headers that `fetch` does not let us set. */
function post(url: string, headers: Record<string, string>, body = '{}'): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

describe.each(['legacy', 'modern'] as const)('over HTTP, a %s client', (era) => {
  test('lists, calls, and gets the answers of parallel calls right', async () => {
    const client = await connect(await http(), era);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo', 'who']);
    const answers = await Promise.all(
      [1, 2, 3].map((n) => client.callTool({ name: 'echo', arguments: { n } })),
    );
    expect(answers.map(({ content }) => content)).toEqual(
      [1, 2, 3].map((n) => [{ type: 'text', text: `{"n":${n}}` }]),
    );
  });

  test('gets progress and can cancel', async () => {
    const controller = new AbortController();
    let aborted = (): void => undefined;
    const wasAborted = new Promise<void>((resolve) => (aborted = resolve));
    const slow = {
      name: 'slow',
      inputSchema: { type: 'object' },
      execute: async (_input: unknown, { signal, progress }: ToolContext) => {
        signal.addEventListener('abort', aborted);
        progress?.(1, 2, 'half');
        await wasAborted;
      },
    };
    const client = await connect(await http({}, [slow]), era);
    const seen: unknown[] = [];
    const call = client.callTool(
      { name: 'slow' },
      {
        signal: controller.signal,
        onprogress: (progress) => {
          seen.push(progress);
          controller.abort(new Error('enough'));
        },
      },
    );
    await expect(call).rejects.toThrow('enough');
    await wasAborted;
    expect(seen).toEqual([{ progress: 1, total: 2, message: 'half' }]);
  });
});

describe('an HTTP server', () => {
  test('aborts the call of a client that goes away', async () => {
    let begun = (): void => undefined;
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    let aborted = (): void => undefined;
    const wasAborted = new Promise<void>((resolve) => (aborted = resolve));
    const slow = {
      name: 'slow',
      inputSchema: { type: 'object' },
      execute: (_input: unknown, { signal }: ToolContext) => {
        signal.addEventListener('abort', aborted);
        begun();
        return wasAborted;
      },
    };
    const leaving = new AbortController();
    const left = fetch(await http({}, [slow]), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow' } }),
      signal: leaving.signal,
    }).then(
      (response) => response.text().catch(() => 'cut off'),
      () => 'cut off',
    );
    await hasBegun;
    leaving.abort();
    await wasAborted;
    expect(await left).toBe('cut off');
  });

  test('refuses foreign Host and Origin headers before it reads anything', async () => {
    const url = await http();
    expect(await post(url, { host: 'evil.example' })).toBe(403);
    expect(await post(url, { origin: 'https://evil.example' })).toBe(403);
    expect(await post(url, { origin: 'http://localhost:3000' })).not.toBe(403);
    const named = await http({ allowedHosts: ['tools.example'], allowedOrigins: ['app.example'] });
    expect(await post(named, {})).toBe(403);
    expect(await post(named, { host: 'tools.example', origin: 'https://app.example' })).not.toBe(403);
  });

  test('asks for its token', async () => {
    const url = await http({ token: 'right' });
    expect(await post(url, {})).toBe(401);
    expect(await post(url, { authorization: 'Bearer wrong' })).toBe(401);
    const client = await connect(url, 'modern', { authorization: 'Bearer right' });
    expect((await client.listTools()).tools).toHaveLength(2);
  });

  test('bounds what it reads, and says where it is', async () => {
    const url = await http();
    expect(await post(url, {}, `"${'x'.repeat(5_000_000)}"`)).toBe(413);
    expect(await post(url.replace('/mcp', '/other'), {})).toBe(404);
    expect(await post(url, {}, 'not json')).toBe(400);
  });

  test('does not listen beyond this machine without a token and names', async () => {
    await expect(http({ host: '0.0.0.0' })).rejects.toThrow('a token, and the allowed host names');
    await expect(http({ host: '0.0.0.0', token: 't' })).rejects.toThrow(
      'a token, and the allowed host names',
    );
  });

  test('says that its port is taken', async () => {
    const { port } = new URL(await http());
    await expect(http({ port: Number(port) })).rejects.toThrow(
      'the port is taken. Choose another with --port.',
    );
  });
});

test('what the host knows of the caller reaches the tool', async () => {
  const who = {
    name: 'who',
    inputSchema: { type: 'object' },
    execute: (_input: unknown, { auth }: ToolContext) => auth,
  };
  const handler = createHttpHandler(await createMcpServerFromTools({ toolsets: [who] }));
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const send = (input: URL | string | Request, init?: RequestInit) =>
    handler.fetch(
      new Request(input, {
        ...init,
        headers: { ...Object.fromEntries(new Headers(init?.headers)), host: 'localhost' },
      }),
      {
        auth: { clientId: 'key-1' },
      },
    );
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch: send }));
  expect((await client.callTool({ name: 'who' })).content).toEqual([
    { type: 'text', text: '{"clientId":"key-1"}' },
  ]);
  await client.close();
  await handler.close();
});

describe('over streams', () => {
  test('bad lines are skipped, a request after them is answered, and the end of the input ends it', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const serving = serveStdio(await createMcpServerFromTools({ toolsets: tools }), { input, output });
    const answer = new Promise<string>((resolve) =>
      output.once('data', (data: Buffer) => resolve(data.toString())),
    );
    input.write('not json\n{"jsonrpc":"2.0"}\n[]\n');
    input.write(
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"a":1}}}\n',
    );
    expect(JSON.parse(await answer)).toMatchObject({ id: 7, result: { content: [{ text: '{"a":1}' }] } });
    input.end();
    await serving.closed;
  });
});

test('a real client speaks to a real process over stdio', async () => {
  const client = new Client({ name: 'test', version: '1' });
  const script = `
    import { createToolServer } from './src/bridge/mcp/tool-server.ts';
    import { serveStdio } from './src/bridge/mcp/serve-stdio.ts';
    const tools = [{ name: 'pid', inputSchema: { type: 'object' }, execute: () => process.pid }];
    serveStdio(createToolServer({ name: 's', version: '1', tools }), { input: process.stdin, output: process.stdout });
  `;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--import', 'tsx', '--input-type=module', '--eval', script],
  });
  await client.connect(transport);
  const { pid } = transport;
  expect((await client.callTool({ name: 'pid' })).content).toEqual([{ type: 'text', text: String(pid) }]);
  await client.close();
});
