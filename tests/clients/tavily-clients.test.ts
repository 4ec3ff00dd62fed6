import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { clientFolder, load } from './client-folders.ts';

// Tavily's own clients, unmodified, against the gateway: only the address of the server is another one.

type Answer = Record<string, unknown> & { results: Record<string, unknown>[] };
type Method = (...args: unknown[]) => Promise<Answer>;

let gateway: TestGateway;
let url: string;
let apiKey: string;
beforeAll(async () => {
  gateway = await createTestGateway({ config: { 'providers.tavily.api_key': 'tvly-operator' } });
  url = (await gateway.listen()).url;
  apiKey = (await gateway.newKey({ tier: 'pro' })).key;
  await gateway.store.accounts.topUp({
    subscription: (await gateway.store.accounts.subscriptions())[0]?.id ?? '',
    amount: 100_000_000,
  });
});
afterAll(() => gateway.close());

const messageOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'no error',
    (thrown: unknown) => (thrown as Error).message,
  );

describe.skipIf(clientFolder('tavily-core') === undefined)('@tavily/core', () => {
  let create: (options: object) => Record<string, Method>;
  const client = (key = apiKey, base = url) => create({ apiKey: key, apiBaseURL: base });
  beforeAll(async () => {
    create = (await load('tavily-core', '@tavily/core'))['tavily'] as never;
  });

  test('search, with every option it has', async () => {
    const plain = await client()['search']?.('tidal mills');
    expect(plain).toMatchObject({ query: 'tidal mills', answer: null, images: [] });
    expect(plain?.results).toHaveLength(5);
    const rich = await client()['search']?.('tidal mills', {
      searchDepth: 'advanced',
      topic: 'news',
      maxResults: 3,
      includeAnswer: 'advanced',
      includeRawContent: 'markdown',
      includeImages: true,
      includeImageDescriptions: true,
      includeFavicon: true,
      includeUsage: true,
      chunksPerSource: 2,
      maxTokens: 100,
      country: 'United States',
      includeDomains: [],
      days: 7,
      customKey: 'kept',
    });
    expect(rich).toMatchObject({ usage: { credits: 2 }, answer: expect.any(String) as string });
    expect(rich?.results[0]).toMatchObject({
      publishedDate: expect.stringMatching(/GMT$/) as string,
      favicon: expect.any(String) as string,
    });
  });

  test('searchQNA and searchContext', async () => {
    expect(typeof (await client()['searchQNA']?.('tidal mills'))).toBe('string');
    expect(await client()['searchContext']?.('tidal mills', { maxResults: 3 })).toContain('tidal mills');
  });

  test('extract: a list, one address, and one that fails', async () => {
    const read = await client()['extract']?.(['https://mill.example/', 'https://gone.example/']);
    expect(read?.results).toMatchObject([
      { url: 'https://mill.example/', rawContent: expect.any(String) as string },
    ]);
    expect(read?.['failedResults']).toMatchObject([{ url: 'https://gone.example/' }]);
    expect(
      (await client()['extract']?.('https://mill.example/', { format: 'text', timeout: 12 }))?.results,
    ).toHaveLength(1);
  });

  test('crawl and map', async () => {
    const crawled = await client()['crawl']?.('https://mill.example', {
      limit: 2,
      maxDepth: 2,
      selectPaths: ['/.*'],
    });
    expect(crawled).toMatchObject({ baseUrl: 'https://mill.example' });
    expect(crawled?.results.length).toBeGreaterThan(0);
    const mapped = await client()['map']?.('mill.example', { limit: 5 });
    expect(mapped).toMatchObject({ baseUrl: 'mill.example' });
    expect(mapped?.results).toContain('https://mill.example/more');
  });

  test('feedback', async () => {
    expect(await client()['feedback']?.({ requestId: 'r', agentScore: 0.9 })).toMatchObject({
      success: true,
    });
  });

  test('research: taken on, polled to its end, and streamed', async () => {
    const taken = (await client()['research']?.('tidal mills', { model: 'mini' })) as Record<string, unknown>;
    expect(taken).toMatchObject({ status: 'pending' });
    const id = taken['requestId'] ?? taken['request_id'];
    let state: Record<string, unknown> | undefined;
    for (let tries = 0; tries < 100 && state?.['status'] !== 'completed'; tries += 1) {
      state = await client()['getResearch']?.(id, { includeUsage: true });
      await wait(100);
    }
    expect(state).toMatchObject({ status: 'completed', content: expect.any(String) as string });
    const stream = (await client()['research']?.('water wheels', { model: 'mini', stream: true })) as never;
    let text = '';
    for await (const chunk of stream as AsyncIterable<Buffer>) text += chunk.toString();
    expect(text).toContain('"sources":');
    expect(text.endsWith('event: done')).toBe(true);
    expect(await messageOf(client()['getResearch']?.('5555') ?? Promise.resolve())).toBe(
      'Research task not found',
    );
  });

  test('errors reach the caller in Tavily’s words', async () => {
    const search = (query: string, options?: object, key?: string) =>
      messageOf(client(key)['search']?.(query, options) ?? Promise.resolve());
    expect(await search('q')).toBe('Query is too short. Min query length is 2 characters.');
    expect(await search('x'.repeat(401))).toBe('Query is too long. Max query length is 400 characters.');
    expect(await search('mills', { topic: 'sports' })).toBe(
      "Invalid topic. Must be 'general', 'news', or 'finance'",
    );
    expect(await search('mills', {}, 'tvly-wrong')).toBe('Unauthorized: missing or invalid API key.');
    const many = Array.from({ length: 21 }, (_, index) => `https://mill.example/${index}`);
    expect(await messageOf(client()['extract']?.(many) ?? Promise.resolve())).toBe(
      'Max 20 URLs are allowed.',
    );
  });

  test('a spent plan is 432 with its reason', async () => {
    const poor = await gateway.newKey({ tier: 'free' });
    for (let index = 0; index < 10; index += 1)
      await client(poor.key)['search']?.(`mills ${index}`, { provider: 'tavily' });
    expect(
      await messageOf(client(poor.key)['search']?.('one more', { provider: 'tavily' }) ?? Promise.resolve()),
    ).toContain('Limit reached: 10 of 10 calls');
  });

  test('a base URL with a slash at its end', async () => {
    expect((await client(apiKey, `${url}/`)['search']?.('tidal mills'))?.results).toHaveLength(5);
  });
});

describe.skipIf(clientFolder('tavily-ai-sdk') === undefined)('@tavily/ai-sdk', () => {
  test('its four tools, which leak their options into the body', async () => {
    const sdk = await load('tavily-ai-sdk', '@tavily/ai-sdk');
    const run = (name: string, input: object): Promise<Answer> => {
      const tool = (sdk[name] as unknown as (options: object) => { execute: Method })({
        apiKey,
        apiBaseURL: url,
      });
      return tool.execute(input, { toolCallId: '1', messages: [] });
    };
    expect((await run('tavilySearch', { query: 'tidal mills' })).results).toHaveLength(5);
    expect((await run('tavilyExtract', { urls: ['https://mill.example/'] })).results).toHaveLength(1);
    expect(
      (await run('tavilyCrawl', { url: 'https://mill.example/', maxDepth: 1 })).results.length,
    ).toBeGreaterThan(0);
    expect((await run('tavilyMap', { url: 'https://mill.example/' })).results.length).toBeGreaterThan(0);
    await expect(run('tavilySearch', { query: 'q' })).rejects.toThrow('Query is too short');
  });
});

describe.skipIf(clientFolder('langchain-tavily') === undefined)('@langchain/tavily', () => {
  test('its tools, and errors as values', async () => {
    const langchain = await load('langchain-tavily', '@langchain/tavily');
    const run = (name: string, input: object, key = apiKey): Promise<Answer> => {
      const Tool = langchain[name] as unknown as new (options: object) => { invoke: Method };
      return new Tool({ tavilyApiKey: key, apiBaseUrl: url }).invoke(input);
    };
    expect((await run('TavilySearch', { query: 'tidal mills' })).results).toHaveLength(5);
    expect((await run('TavilyExtract', { urls: ['https://mill.example/'] })).results).toHaveLength(1);
    expect((await run('TavilyCrawl', { url: 'https://mill.example/' })).results.length).toBeGreaterThan(0);
    expect((await run('TavilyMap', { url: 'https://mill.example/' })).results.length).toBeGreaterThan(0);
    const taken = (await run('TavilyResearch', { input: 'tidal mills', model: 'mini' })) as Record<
      string,
      unknown
    >;
    expect(taken).toMatchObject({ status: 'pending' });
    expect(await run('TavilyGetResearch', { requestId: taken['request_id'] })).toHaveProperty('status');
    expect(await run('TavilySearch', { query: 'tidal mills' }, 'tvly-wrong')).toEqual({
      error: 'Error 401: Unauthorized: missing or invalid API key.',
    });
    expect(await run('TavilySearch', { query: 'q' })).toEqual({
      error: 'Error 400: Query is too short. Min query length is 2 characters.',
    });
  });
});

describe.skipIf(clientFolder('tavily-mcp') === undefined)('tavily-mcp', () => {
  test('its tools, through a preload that reroutes its fixed address', async () => {
    const folder = clientFolder('tavily-mcp') ?? '';
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [
        '--require',
        join(import.meta.dirname, 'reroute-tavily.cjs'),
        join(folder, 'node_modules/tavily-mcp/build/index.js'),
      ],
      env: { PATH: process.env['PATH'] ?? '', TAVILY_API_KEY: apiKey, HEADGATE_TEST_GATEWAY: url },
      stderr: 'ignore',
    });
    await client.connect(transport);
    const run = async (
      name: string,
      input: Record<string, unknown>,
    ): Promise<{ text: string; isError: boolean }> => {
      const result = (await client.callTool({ name, arguments: input })) as {
        content: { text: string }[];
        isError?: boolean;
      };
      return { text: result.content[0]?.text ?? '', isError: result.isError === true };
    };
    try {
      const found = await run('tavily_search', {
        query: 'tidal mills',
        max_results: 5,
        include_images: true,
      });
      expect(found).toMatchObject({
        isError: false,
        text: expect.stringContaining('Detailed Results:') as string,
      });
      expect((await run('tavily_extract', { urls: ['https://mill.example/'] })).text).toContain('1742');
      expect((await run('tavily_crawl', { url: 'https://mill.example/' })).text).toContain('mill.example');
      expect((await run('tavily_map', { url: 'https://mill.example/' })).text).toContain(
        'https://mill.example/more',
      );
      const researched = await run('tavily_research', { input: 'tidal mills', model: 'mini' });
      expect(researched).toMatchObject({
        isError: false,
        text: expect.stringContaining('tidal mills') as string,
      });
      const refused = await run('tavily_search', { query: 'q' });
      expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('too short') as string });
    } finally {
      await client.close();
    }
  });
});
