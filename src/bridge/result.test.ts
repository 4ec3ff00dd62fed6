import * as fc from 'fast-check';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler, InMemoryTransport, isCallToolResult } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../core/limits.ts';
import { callTool } from './call.ts';
import { capResult, errorResult, toCallResult } from './result.ts';
import { createToolServer } from './mcp/tool-server.ts';
import type { AgentTool, ToolContext } from './tool.ts';

const context: ToolContext = { signal: new AbortController().signal, callId: '1' };
const returning = (value: unknown): AgentTool => ({
  name: 't',
  inputSchema: { type: 'object' },
  execute: () => value,
});
const textOf = (value: unknown): unknown => toCallResult(value).content[0]?.['text'];

describe('arbitrary results', () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
    withSparseArray: true,
    withNullPrototype: true,
  });
  /** Values that nearly are MCP results, so that the property does not only see the easy half. */
  const nearly = fc.record(
    {
      content: fc.oneof(
        anything,
        fc.array(
          fc.record(
            {
              type: fc.constantFrom('text', 'image', 'audio', 'resource', 'resource_link', 'tool_use'),
              text: fc.oneof(fc.string({ unit: 'binary' }), anything),
              data: fc.oneof(fc.base64String(), fc.string()),
              mimeType: fc.string(),
              uri: fc.string(),
              name: fc.string(),
              resource: fc.oneof(fc.record({ uri: fc.string(), text: fc.string() }), anything),
              annotations: fc.oneof(
                anything,
                fc.record({ priority: fc.double(), lastModified: fc.string() }),
              ),
              _meta: anything,
            },
            { requiredKeys: ['type'] },
          ),
        ),
      ),
      isError: fc.oneof(fc.boolean(), anything),
      structuredContent: anything,
      _meta: anything,
      resultType: fc.constantFrom('complete', 'input_required', 'other'),
      task: anything,
    },
    { requiredKeys: ['content'] },
  );

  test('never make an invalid MCP result', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anything, nearly), async (value) => {
        const result = await callTool(returning(value), {}, context);
        expect(isCallToolResult(JSON.parse(JSON.stringify(result)))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test.each(['legacy', 'modern'] as const)('reach a real %s client', async (era) => {
    let next: unknown;
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const factory = createToolServer({
      name: 's',
      version: '1',
      tools: [{ ...returning(0), execute: () => next }],
    });
    const handler = createMcpHandler(factory);
    const [near, far] = InMemoryTransport.createLinkedPair();
    if (era === 'legacy') await factory().connect(far);
    const send = (input: string | URL | Request, init?: RequestInit) =>
      handler.fetch(new Request(input, init));
    const transport = new StreamableHTTPClientTransport(new URL('http://localhost'), { fetch: send });
    await client.connect(era === 'legacy' ? near : transport);
    await fc.assert(
      fc.asyncProperty(fc.oneof(anything, nearly), async (value) => {
        next = value;
        expect(Array.isArray((await client.callTool({ name: 't' })).content)).toBe(true);
      }),
      { numRuns: 200 },
    );
    await client.close();
  });

  test('thrown, never end the call without a result', async () => {
    await fc.assert(
      fc.asyncProperty(anything, async (value) => {
        const thrower = { ...returning(0), execute: () => Promise.reject(value) };
        const result = await callTool(thrower, {}, context);
        expect(result.isError).toBe(true);
        expect(isCallToolResult(result)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a result', () => {
  test('of data that JSON has no form for loses none of it', () => {
    expect(textOf(new Map([['a', 1n]]))).toBe('{"a":"1"}');
    expect(textOf(new Map([[{ k: 1 }, 1]]))).toBe('[[{"k":1},1]]');
    expect(textOf(new Set([1, 2]))).toBe('[1,2]');
    expect(textOf({ bytes: new TextEncoder().encode('hi') })).toBe('{"bytes":"aGk="}');
    expect(textOf({ cause: new RangeError('far') })).toBe('{"cause":{"name":"RangeError","message":"far"}}');
    expect(textOf(Number.NaN)).toBe('NaN');
    expect(textOf(false)).toBe('false');
  });

  test('that is an object with a field named content is data', () => {
    expect(textOf({ title: 'Page', content: 'text' })).toBe('{"title":"Page","content":"text"}');
    expect(textOf({ title: 'Page', content: [] })).toBe('{"title":"Page","content":[]}');
    expect(textOf({ content: [{ type: 'text' }] })).toBe('{"content":[{"type":"text"}]}');
  });

  test('that is an error, or cannot be written, is an error', async () => {
    expect(toCallResult(new TypeError('bad'))).toEqual({
      content: [{ type: 'text', text: 'Error: TypeError: bad' }],
      isError: true,
    });
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    expect(await callTool(returning(loop), {}, context)).toMatchObject({ isError: true });
  });

  test('with half a character gets a replacement for it, because strict clients refuse it', () => {
    expect(textOf('a\uD800b')).toBe('a\uFFFDb');
    expect(textOf({ content: [{ type: 'text', text: '\uDC00' }] })).toBe('\uFFFD');
  });

  test('of a failure holds no secrets and no endless text', () => {
    const text = String(
      errorResult(new Error(`401 for Bearer abcdefghijkl ${'x'.repeat(60_000)}`)).content[0]?.['text'],
    );
    expect(text).toContain('Bearer [redacted]');
    expect(text.length).toBeLessThanOrEqual(LIMITS.toolTextCharsMax);
  });

  test('is cut over all its texts together, keeps what is no text, and says so', () => {
    const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' };
    const block = (text: string) => ({ type: 'text', text });
    expect(capResult({ content: [block('12345'), image, block('67890'), block('x')] }, 8).content).toEqual([
      block('12345'),
      image,
      block('67…'),
      block('[Cut: the answer has 11 characters, 8 are shown. Ask for less at a time.]'),
    ]);
  });

  test('that is too heavy in its other parts is an error', () => {
    const image = { type: 'image', data: 'a'.repeat(LIMITS.toolAnswerBytesMax), mimeType: 'image/png' };
    expect(capResult({ content: [image] }, 10)).toMatchObject({ isError: true });
  });
});
