import { Client as ModernClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countTokens } from '../../src/rank/tokens.ts';
import { toolsets } from '../../src/toolsets/index.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { environment, MAIN } from '../support/mcp/built.ts';

/** Structured content: on request, whole, and never beside the same text. */

const ELSEWHERE = [{ type: 'text', text: 'The answer is in structuredContent.' }];
const QUERY = { name: 'web_search', arguments: { query: 'tidal mills' } };

let plain: TestGateway;
let structured: TestGateway;
beforeAll(async () => {
  plain = await createTestGateway();
  structured = await createTestGateway({ config: { 'mcp.structured': true } });
});
afterAll(async () => {
  await plain.close();
  await structured.close();
});

async function connect(gateway: TestGateway, isModern: boolean, tools = 'default') {
  const { url } = await gateway.listen();
  const address = new URL(`${url}/mcp?tools=${tools}`);
  if (!isModern) {
    const client = new FirstClient({ name: 'v1', version: '1' });
    await client.connect(new FirstHttp(address));
    return client;
  }
  const client = new ModernClient(
    { name: 'v2', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(new StreamableHTTPClientTransport(address));
  return client;
}

const expectWhole = (result: Record<string, unknown>): void => {
  expect(result['content']).toEqual(ELSEWHERE);
  const { text, results } = result['structuredContent'] as { text: string; results: { url: string }[] };
  expect(text).toMatch(/<web-[0-9a-f]+>[^]*tidal mills/);
  expect(results.length).toBeGreaterThan(0);
  // The whole answer: everything that is listed as data is in the text, too.
  for (const { url } of results) expect(text).toContain(url);
};

test.each([
  ['2025', false],
  ['2026', true],
])('a client of %s gets text unless it asks', async (_era, isModern) => {
  const client = await connect(plain, isModern);
  const { tools } = await client.listTools();
  expect(tools.filter((tool) => tool.outputSchema !== undefined)).toEqual([]);
  const usual = await client.callTool(QUERY);
  expect(usual['structuredContent']).toBeUndefined();
  expect(usual['content']).toMatchObject([{ text: expect.stringContaining('tidal mills') as string }]);
  expectWhole(await client.callTool({ ...QUERY, _meta: { 'headgate/structured': true } }));
  const failed = { name: 'web_search', arguments: {}, _meta: { 'headgate/structured': true } };
  const failure = await client.callTool(failed);
  expect(failure).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('query') as string }],
  });
  expect(failure['structuredContent']).toBeUndefined();
  await client.close();
});

test.each([
  ['2025', false],
  ['2026', true],
])(
  'with the setting, a client of %s checks every answer against the listed schema',
  async (_era, isModern) => {
    const client = await connect(structured, isModern);
    const { tools } = await client.listTools();
    for (const { outputSchema } of tools) expect(outputSchema).toMatchObject({ required: ['text'] });
    // Both SDKs refuse an answer without structured content, or one that does not fit.
    expectWhole(await client.callTool(QUERY));
    expect(
      await client.callTool({ name: 'fetch_url', arguments: { url: 'https://mill.example' } }),
    ).toMatchObject({
      content: ELSEWHERE,
      structuredContent: { text: expect.stringContaining('since 1742') as string, outcome: 'ok' },
    });
    expect(await client.callTool({ name: 'web_search', arguments: {} })).toMatchObject({ isError: true });
    await client.close();
  },
);

test.each(toolsets.map(({ id }) => id))('every tool of %s can answer so', async (id) => {
  const client = await connect(structured, true, id);
  const { tools } = await client.listTools();
  for (const { outputSchema } of tools) expect(outputSchema).toMatchObject({ type: 'object' });
  await client.close();
});

test('over stdio, a call that asks gets it, too', async () => {
  const client = new FirstClient({ name: 'v1', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'mcp'],
      env: environment(plain.sim.url),
      stderr: 'ignore',
    }),
  );
  const result = await client.callTool({ ...QUERY, _meta: { 'headgate/structured': true } });
  expect(result).toHaveProperty('structuredContent');
  expectWhole(result);
  await client.close();
});

test('the default tools cost at most 600 tokens as a client receives them, with titles and annotations', async () => {
  const client = await connect(plain, false);
  const { tools } = await client.listTools();
  for (const tool of tools)
    expect(tool).toMatchObject({ title: expect.any(String) as string, annotations: {} });
  const tokens =
    (await countTokens(JSON.stringify({ tools }))) + (await countTokens(client.getInstructions() ?? ''));
  console.info(`default toolset as listed: ${tokens} tokens`);
  expect(tokens).toBeLessThanOrEqual(600);
  await client.close();
});
