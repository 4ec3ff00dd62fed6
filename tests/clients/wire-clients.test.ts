import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { clientFolder, load } from './client-folders.ts';

// Clients of Firecrawl and SearXNG, unmodified, against the gateway: only the address and the key are others.

let gateway: TestGateway;
let url: string;
let apiKey: string;
beforeAll(async () => {
  gateway = await createTestGateway({
    config: { 'providers.tavily.api_key': 'tvly-operator', 'search.provider': 'tavily' },
  });
  url = (await gateway.listen()).url;
  apiKey = (await gateway.newKey({ tier: 'pro' })).key;
});
afterAll(() => gateway.close());

describe.skipIf(clientFolder('firecrawl-js') === undefined)('@mendable/firecrawl-js', () => {
  interface Page {
    markdown?: string;
    metadata?: Record<string, unknown>;
    warning?: string;
  }
  interface FirecrawlClient {
    search(query: string, options?: object): Promise<Record<string, Record<string, unknown>[]>>;
    scrape(url: string, options?: object): Promise<Page>;
  }
  let make: new (options: object) => FirecrawlClient;
  const client = (key = apiKey) => new make({ apiKey: key, apiUrl: url });
  beforeAll(async () => {
    make = (await load('firecrawl-js', '@mendable/firecrawl-js'))['Firecrawl'] as never;
  });

  test('search: plain, news with pages, and every option that it sends', async () => {
    const plain = await client().search('tidal mills', { limit: 3 });
    expect(plain['web']).toHaveLength(3);
    expect(plain['web']?.[0]).toMatchObject({ url: expect.any(String), description: expect.any(String) });
    const news = await client().search('tidal mills', {
      sources: ['news'],
      tbs: 'qdr:w',
      country: 'US',
      location: 'Boston',
      ignoreInvalidURLs: true,
      timeout: 20_000,
      excludeDomains: ['spam.example'],
      scrapeOptions: { formats: ['markdown'], onlyMainContent: true },
    });
    expect(news['news']?.length).toBeGreaterThan(0);
    expect(news['news']?.[0]).toMatchObject({ snippet: expect.any(String) });
  });

  test('scrape: a page, formats that are not served, and a page that is gone', async () => {
    const page = await client().scrape('https://mill.example/');
    expect(page).toMatchObject({
      markdown: expect.stringContaining('1742'),
      metadata: { sourceURL: 'https://mill.example/', statusCode: 200 },
    });
    const both = await client().scrape('https://mill.example/', { formats: ['markdown', 'rawHtml'] });
    expect(both.warning).toContain('rawHtml');
    await expect(client().scrape('https://gone.example/')).rejects.toMatchObject({ status: 422 });
    await expect(client().scrape('https://mill.example/', { formats: ['screenshot'] })).rejects.toThrow(
      'only markdown and images',
    );
  });

  test('a wrong key and a spent plan are errors with their status and reason', async () => {
    await expect(client('fc-wrong').search('tidal mills')).rejects.toMatchObject({ status: 401 });
    const { key, workspace } = await gateway.newKey({ tier: 'pro' });
    await gateway.admin('POST', '/budgets', { workspace, amount: 1, period: 'month' });
    await client(key).search('spent once');
    await expect(client(key).search('spent twice')).rejects.toMatchObject({
      status: 429,
      message: expect.stringContaining('Budget used up'),
    });
  });
});

describe.skipIf(clientFolder('mcp-searxng') === undefined)('mcp-searxng', () => {
  test('searches, pages on, and reports a refusal', async () => {
    const run = async (password: string, input: Record<string, unknown>) => {
      const client = new Client({ name: 'test', version: '1' });
      const address = new URL(url);
      Object.assign(address, { username: 'headgate', password });
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [join(clientFolder('mcp-searxng') ?? '', 'node_modules/mcp-searxng/dist/cli.js')],
        env: { PATH: process.env['PATH'] ?? '', SEARXNG_URL: address.href },
        stderr: 'ignore',
      });
      await client.connect(transport);
      try {
        const answer = await client.callTool({ name: 'searxng_web_search', arguments: input });
        return { ...answer, text: (answer.content as { text: string }[])[0]?.text ?? '' };
      } catch (thrown) {
        return { isError: true, text: (thrown as Error).message };
      } finally {
        await client.close();
      }
    };
    const found = await run(apiKey, { query: 'tidal mills' });
    expect(found).toMatchObject({ text: expect.stringContaining('https://') });
    const next = await run(apiKey, { query: 'tidal mills', pageno: 2, time_range: 'month', language: 'en' });
    expect(next.text).toContain('https://');
    expect(next.text).not.toBe(found.text);
    expect(await run('hg_live_wrong', { query: 'tidal mills' })).toMatchObject({ isError: true });
  }, 60_000);
});
