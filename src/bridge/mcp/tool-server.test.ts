import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler, InMemoryTransport } from '@modelcontextprotocol/server';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as OldInMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, test, vi } from 'vitest';
import { LIMITS } from '../../core/limits.ts';
import { discoverResult, initializeResult, LEGACY_VERSIONS, listResult, MODERN_VERSIONS } from './answers.ts';
import { createToolServer, type ToolServerOptions } from './tool-server.ts';
import type { AgentTool, JsonObjectSchema } from '../tool.ts';

const identity = { name: 'demo', version: '1.2.3', title: 'Demo', instructions: 'Ask kindly.' };

const schema = {
  type: 'object',
  properties: { query: { type: 'string', minLength: 1 }, max_results: { type: 'integer', maximum: 30 } },
  required: ['query'],
  'x-order': ['query'],
} as const satisfies JsonObjectSchema;

const search: AgentTool = {
  name: 'search',
  title: 'Search',
  description: 'Finds pages.',
  inputSchema: schema,
  annotations: { readOnlyHint: true },
  _meta: { 'anthropic/alwaysLoad': true },
  execute: ({ query }) => `found ${String(query)}`,
};

const tool = (name: string, execute: AgentTool['execute'], extra: Partial<AgentTool> = {}): AgentTool => ({
  name,
  inputSchema: { type: 'object' },
  execute,
  ...extra,
});

/** A client of one era, connected through the same entries that production uses. */
async function connect(era: 'legacy' | 'modern', options: Partial<ToolServerOptions> = {}): Promise<Client> {
  const factory = createToolServer({ ...identity, tools: [search], ...options });
  const client = new Client(
    { name: 'test', version: '1' },
    era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {},
  );
  if (era === 'legacy') {
    const [near, far] = InMemoryTransport.createLinkedPair();
    serveStdio(factory, { transport: far });
    await client.connect(near);
    return client;
  }
  const handler = createMcpHandler(factory);
  await client.connect(
    new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
      fetch: (input, init) => handler.fetch(new Request(input, init)),
    }),
  );
  return client;
}

/** Sends one raw request over stdio's entry and returns the raw result. */
async function raw(
  factory: ReturnType<typeof createToolServer>,
  method: string,
  params: Record<string, unknown>,
): Promise<unknown> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(factory, { transport: far });
  const answer = new Promise<unknown>((resolve) => {
    const onmessage = (message: unknown) => resolve((message as { result?: unknown }).result ?? message);
    Object.assign(near, { onmessage });
  });
  await near.start();
  await near.send({ jsonrpc: '2.0', id: 1, method, params });
  const result = await answer;
  await handle.close();
  return result;
}

const envelope = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': MODERN_VERSIONS[0],
    'io.modelcontextprotocol/clientCapabilities': {},
  },
};
const hello = { capabilities: {}, clientInfo: { name: 'test', version: '1' } };

describe('the pure answers equal those of the real server', () => {
  const factory = createToolServer({ ...identity, tools: [search] });

  test.each([...LEGACY_VERSIONS, '2099-01-01'])('initialize for %s', async (protocolVersion) => {
    const real = await raw(factory, 'initialize', { ...hello, protocolVersion });
    expect(JSON.stringify(initializeResult(identity, protocolVersion))).toBe(JSON.stringify(real));
  });

  test('server/discover', async () => {
    const real = await raw(factory, 'server/discover', envelope);
    expect(discoverResult(identity)).toEqual(real);
  });

  test('tools/list in both eras, byte for byte the given schemas', async () => {
    const legacy = await raw(factory, 'tools/list', {});
    expect(JSON.stringify(listResult([search], identity))).toBe(JSON.stringify(legacy));
    const modern = await raw(factory, 'tools/list', envelope);
    expect(JSON.stringify(listResult([search], identity, 'modern'))).toBe(JSON.stringify(modern));
    for (const answer of [legacy, modern]) {
      const { tools } = answer as { tools: { inputSchema: unknown }[] };
      expect(JSON.stringify(tools[0]?.inputSchema)).toBe(JSON.stringify(schema));
    }
  });
});

describe.each(['legacy', 'modern'] as const)('a tool server for a %s client', (era) => {
  test('lists and calls its tools', async () => {
    const client = await connect(era);
    expect(client.getNegotiatedProtocolVersion()).toBe(
      era === 'modern' ? MODERN_VERSIONS[0] : LEGACY_VERSIONS[0],
    );
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search']);
    expect(JSON.stringify(tools[0]?.inputSchema)).toBe(JSON.stringify(schema));
    const result = await client.callTool({ name: 'search', arguments: { query: 'tea' } });
    expect(result.content).toEqual([{ type: 'text', text: 'found tea' }]);
    await client.close();
  });

  test('tells the model what is wrong with its arguments, and does not call the tool', async () => {
    let called = false;
    const never = tool('never', () => (called = true), { inputSchema: schema });
    const client = await connect(era, { tools: [never] });
    const result = await client.callTool({ name: 'never', arguments: { query: 'x', max_results: 31 } });
    expect(result.isError).toBe(true);
    expect(result.content).toEqual([
      { type: 'text', text: 'Invalid arguments for never.\nmax_results: at most 30. Ask for 30 or fewer.' },
    ]);
    expect(called).toBe(false);
    await client.close();
  });

  test('a tool that validates itself gets its arguments as they came', async () => {
    const own = tool('own', ({ query }) => `given ${typeof query}`, { inputSchema: schema, validates: true });
    const client = await connect(era, { tools: [own] });
    const result = await client.callTool({ name: 'own', arguments: { query: 5 } });
    expect(result.content).toEqual([{ type: 'text', text: 'given number' }]);
    await client.close();
  });

  test('a tool that fails answers isError and the next call works', async () => {
    const broken = tool('broken', () => {
      throw new RangeError('too far');
    });
    const client = await connect(era, { tools: [broken, search] });
    const failed = await client.callTool({ name: 'broken' });
    expect(failed.isError).toBe(true);
    expect(failed.content).toEqual([{ type: 'text', text: 'Error: RangeError: too far' }]);
    const fine = await client.callTool({ name: 'search', arguments: { query: 'tea' } });
    expect(fine.isError).toBeUndefined();
    await client.close();
  });

  test('an unknown tool is a protocol error that names the tools there are', async () => {
    const client = await connect(era);
    await expect(client.callTool({ name: 'nope' })).rejects.toThrow(
      "Unknown tool 'nope'. This server has: search.",
    );
    await client.close();
  });

  test('cancelling a call aborts the signal that the tool holds', async () => {
    const controller = new AbortController();
    let aborted = (): void => undefined;
    const wasAborted = new Promise<void>((resolve) => (aborted = resolve));
    const slow = tool('slow', async (_input, { signal }) => {
      signal.addEventListener('abort', aborted);
      controller.abort(new Error('enough'));
      await wasAborted;
    });
    const ends: unknown[] = [];
    const afterCall: ToolServerOptions['afterCall'] = (_call, result) => void ends.push(result);
    const client = await connect(era, { tools: [slow], afterCall });
    await expect(client.callTool({ name: 'slow' }, { signal: controller.signal })).rejects.toThrow('enough');
    await wasAborted;
    await vi.waitFor(() => expect(ends).toEqual([undefined]), { timeout: 20_000 });
    await client.close();
  });

  test('progress reaches the caller in rising order; the last value of a stream is the result', async () => {
    const stream = tool('stream', async function* () {
      yield 'one';
      yield 'two';
      yield { three: 3 };
    });
    const client = await connect(era, { tools: [stream] });
    const seen: unknown[] = [];
    const result = await client.callTool(
      { name: 'stream' },
      { onprogress: (progress) => seen.push(progress) },
    );
    expect(result.content).toEqual([{ type: 'text', text: '{"three":3}' }]);
    expect(seen).toEqual([
      { progress: 1, message: 'one' },
      { progress: 2, message: 'two' },
    ]);
    await client.close();
  });

  test('a long answer is cut and says so', async () => {
    const long = tool('long', () => 'x'.repeat(LIMITS.toolTextCharsMax + 1));
    const client = await connect(era, { tools: [long] });
    const result = await client.callTool({ name: 'long' });
    const texts = (result.content as { text: string }[]).map(({ text }) => text);
    expect(texts[0]?.length).toBe(LIMITS.toolTextCharsMax);
    expect(texts[1]).toBe(
      `[Cut: the answer has ${LIMITS.toolTextCharsMax + 1} characters, ${LIMITS.toolTextCharsMax} are shown. Ask for less at a time.]`,
    );
    await client.close();
  });

  test('a tool with an output schema answers with structured content that fits it', async () => {
    const outputSchema: JsonObjectSchema = { type: 'object', properties: { sum: { type: 'number' } } };
    const sum = tool('sum', () => ({ sum: 3 }), { outputSchema });
    const wrong = tool('wrong', () => ({ sum: 'three' }), { outputSchema });
    const client = await connect(era, { tools: [sum, wrong] });
    expect(await client.callTool({ name: 'sum' })).toMatchObject({ structuredContent: { sum: 3 } });
    const failed = await client.callTool({ name: 'wrong' });
    expect(failed.content).toEqual([
      {
        type: 'text',
        text: 'Error: ToolOutputError: wrong returned a result that does not match its output schema. sum: must be a number, not text.',
      },
    ]);
    await client.close();
  });
});

test('a client of the first MCP SDK is served as well', async () => {
  const [near, far] = OldInMemoryTransport.createLinkedPair();
  await createToolServer({ ...identity, tools: [search] })().connect(far);
  const client = new OldClient({ name: 'old', version: '1' });
  await client.connect(near);
  expect(JSON.stringify((await client.listTools()).tools[0]?.inputSchema)).toBe(JSON.stringify(schema));
  const result = await client.callTool({ name: 'search', arguments: { query: 'tea' } });
  expect(result.content).toEqual([{ type: 'text', text: 'found tea' }]);
  await client.close();
});

test('calls at once are bounded; one more is told to wait, and a cancelled one gives its place back', async () => {
  const release: (() => void)[] = [];
  const wait = tool('wait', () => new Promise<string>((resolve) => release.push(() => resolve('done'))));
  const client = await connect('legacy', { tools: [wait] });
  const calls = Array.from({ length: LIMITS.toolCallsMax }, () => client.callTool({ name: 'wait' }));
  await vi.waitFor(() => expect(release).toHaveLength(LIMITS.toolCallsMax), { timeout: 20_000 });
  const refused = await client.callTool({ name: 'wait' });
  expect(refused).toMatchObject({
    isError: true,
    content: [
      {
        text: `Error: ${LIMITS.toolCallsMax} calls are running. Call again when some have ended.`,
      },
    ],
  });
  const controller = new AbortController();
  release.pop()?.();
  await Promise.race(calls);
  const deaf = client.callTool({ name: 'wait' }, { signal: controller.signal });
  await vi.waitFor(() => expect(release).toHaveLength(LIMITS.toolCallsMax), { timeout: 20_000 });
  controller.abort(new Error('enough'));
  await expect(deaf).rejects.toThrow('enough');
  const next = client.callTool({ name: 'wait' });
  await vi.waitFor(() => expect(release).toHaveLength(LIMITS.toolCallsMax + 1), { timeout: 20_000 });
  for (const end of release) end();
  await Promise.all([...calls, next]);
  await client.close();
});

test('a tool that takes too long is told to stop, and the caller is told', async () => {
  let reason: unknown;
  const slow = tool('slow', (_input, { signal }) => {
    signal.addEventListener('abort', () => (reason = signal.reason));
    return new Promise(() => undefined);
  });
  const client = await connect('legacy', { tools: [slow], timeoutMs: 5 });
  const result = await client.callTool({ name: 'slow' });
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: 'Error: slow did not answer within 0.005 s. Ask for less at a time.' }],
  });
  expect(reason).toMatchObject({ code: 'deadline_exceeded' });
  await client.close();
});

describe('hooks', () => {
  test('see every call once; a refusal is what the caller is told', async () => {
    const events: string[] = [];
    const client = await connect('legacy', {
      tools: [search, tool('secret', () => 'no')],
      beforeCall: ({ tool: { name } }) => {
        events.push(`before ${name}`);
        if (name === 'secret') throw new Error('not for you');
      },
      afterCall: ({ tool: { name } }, result) => {
        events.push(`after ${name} ${String(result?.isError ?? false)}`);
        throw new Error('a broken hook does not break the call');
      },
    });
    await client.callTool({ name: 'search', arguments: { query: 'tea' } });
    const refused = await client.callTool({ name: 'secret' });
    expect(refused.content).toEqual([{ type: 'text', text: 'Error: not for you' }]);
    expect(events).toEqual(['before search', 'after search false', 'before secret']);
    await client.close();
  });
});
