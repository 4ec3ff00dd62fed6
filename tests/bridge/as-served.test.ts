import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createMcpServerFromTools } from '../../src/bridge/mcp/mcp-server.ts';

/** What a client of a bridged server sees. */
const inputSchema = { type: 'object' };

async function serve(tools: Record<string, object>): Promise<Client> {
  const server = await createMcpServerFromTools({ toolsets: tools });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.instance.connect(far);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(near);
  return client;
}

async function resultOf(execute: () => unknown, more: object = {}): Promise<Record<string, unknown>> {
  const client = await serve({ t: { inputSchema, execute, ...more } });
  return client.callTool({ name: 't' });
}

const textOf = async (execute: () => unknown): Promise<unknown> =>
  ((await resultOf(execute))['content'] as { text: string }[])[0]?.text;

describe('a bridged tool', () => {
  test.each([{}, null, undefined])('with the empty schema %j takes no arguments', async (empty) => {
    const client = await serve({ now: { inputSchema: empty, execute: () => 'noon' } });
    const [listed] = (await client.listTools()).tools;
    expect(listed?.inputSchema).toEqual({ type: 'object', properties: {}, additionalProperties: false });
    expect((await client.callTool({ name: 'now' })).content).toEqual([{ type: 'text', text: 'noon' }]);
    const refused = await client.callTool({ name: 'now', arguments: { zone: 'UTC' } });
    expect(refused.isError).toBe(true);
    expect(JSON.stringify(refused.content)).toContain('zone');
  });

  test('with a schema that says only "an object" takes any', async () => {
    const client = await serve({ echo: { inputSchema, execute: (input: object) => input } });
    const { content } = await client.callTool({ name: 'echo', arguments: { zone: 'UTC' } });
    expect(content).toEqual([{ type: 'text', text: '{"zone":"UTC"}' }]);
  });

  test('that throws a plain error says "Error" once', async () => {
    const fail = (error: Error) => () => {
      throw error;
    };
    expect(await textOf(fail(new Error('c')))).toBe('Error: c');
    expect(await textOf(fail(new TypeError('c')))).toBe('Error: TypeError: c');
    expect(await textOf(() => new Error('c'))).toBe('Error: c');
  });
});

describe('the answer of a bridged tool', () => {
  test('that is a Buffer, or has one in it, is base64', async () => {
    expect(await textOf(() => Buffer.from('hi'))).toBe('aGk=');
    expect(await textOf(() => new TextEncoder().encode('hi'))).toBe('aGk=');
    expect(await textOf(() => ({ bytes: Buffer.from('hi') }))).toBe('{"bytes":"aGk="}');
    expect(await textOf(() => [new TextEncoder().encode('hi').buffer])).toBe('["aGk="]');
  });

  test('that is a regular expression is its source', async () => {
    expect(await textOf(() => /a+/gi)).toBe('/a+/gi');
    expect(await textOf(() => ({ pattern: /a+/gi }))).toBe('{"pattern":"/a+/gi"}');
  });

  test('that is a Response is its body', async () => {
    expect(await textOf(() => new Response('high tide'))).toBe('high tide');
    expect(await textOf(() => Response.json({ tide: 'high' }))).toBe('{"tide":"high"}');
    const image = new Response(Buffer.from('png'), { headers: { 'content-type': 'image/png' } });
    expect(await resultOf(() => image)).toMatchObject({
      content: [{ type: 'image', data: 'cG5n', mimeType: 'image/png' }],
    });
  });

  test('that is a Response with an error status is an error', async () => {
    const refused = new Response('no such tide', { status: 404, statusText: 'Not Found' });
    expect(await resultOf(() => refused)).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'Error: HTTP 404 Not Found: no such tide' }],
    });
  });
});

describe('the output schema of a tool', () => {
  const metres = { type: 'object', properties: { metres: { type: 'number' } }, required: ['metres'] };
  const shape = z.object({ metres: z.number() });
  const aiSchema = { [Symbol.for('vercel.ai.schema')]: true, jsonSchema: metres };

  test.each([
    ['of the AI SDK, as zod', { inputSchema: z.object({}), outputSchema: shape }],
    ['of the AI SDK, as jsonSchema()', { inputSchema: z.object({}), outputSchema: aiSchema }],
    ['of Mastra', { id: 'tide', inputSchema: z.object({}), outputSchema: shape }],
    ['of an MCP server, as a raw shape', { inputSchema: {}, outputSchema: { metres: z.number() } }],
  ])('%s, is kept, and answers carry structured content', async (_name, fields) => {
    const client = await serve({ tide: { ...fields, execute: () => ({ metres: 3, port: 'Dover' }) } });
    const [listed] = (await client.listTools()).tools;
    expect(listed?.outputSchema).toEqual(metres);
    const { structuredContent } = await client.callTool({ name: 'tide' });
    expect(structuredContent).toEqual({ metres: 3, port: 'Dover' });
  });

  test('describes what comes out, not what goes in', async () => {
    const outputSchema = z.object({ metres: z.string().transform(Number).pipe(z.number()) });
    const client = await serve({ tide: { inputSchema, outputSchema, execute: () => ({ metres: 3 }) } });
    expect((await client.listTools()).tools[0]?.outputSchema).toEqual(metres);
  });

  test('is left out where it is no object, because MCP has no place for it', async () => {
    const client = await serve({ tide: { inputSchema, outputSchema: z.string(), execute: () => 'high' } });
    expect((await client.listTools()).tools[0]).not.toHaveProperty('outputSchema');
    expect((await client.callTool({ name: 'tide' })).content).toEqual([{ type: 'text', text: 'high' }]);
  });
});

test.each(['my tools', ''])('the server name "%s" is refused as the name of a server', async (name) => {
  const tools = { t: { inputSchema, execute: () => 1 } };
  await expect(createMcpServerFromTools({ name, toolsets: tools })).rejects.toThrow(/^Server name/);
});
