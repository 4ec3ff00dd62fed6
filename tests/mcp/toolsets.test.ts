import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolsets } from '../../src/toolsets/index.ts';
import { fullEnvironment, MAIN, startBuiltSim } from '../support/mcp/built.ts';
import { sized } from '../support/sized.ts';

/** Every toolset through a real client and the built server, down to the simulated upstreams. */

interface Answer {
  text: string;
  isError: boolean;
  meta: Record<string, unknown>;
}
type CallTool = (name: string, input: Record<string, unknown>) => Promise<Answer>;

let sim: Awaited<ReturnType<typeof startBuiltSim>>;
let standard: Awaited<ReturnType<typeof connect>>;
const clients: Client[] = [];
beforeAll(async () => {
  sim = await startBuiltSim();
  standard = await connect([]);
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await sim.stop();
});

async function connect(args: string[], key?: string): Promise<{ client: Client; call: CallTool }> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const env = fullEnvironment(sim.url, key);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'mcp', ...args],
      env,
      stderr: 'ignore',
    }),
  );
  clients.push(client);
  const call: CallTool = async (name, input) => {
    const result = (await client.callTool({ name, arguments: input })) as {
      content: { text: string }[];
      isError?: boolean;
      _meta?: Record<string, Record<string, unknown>>;
    };
    return {
      text: result.content.map(({ text }) => text).join('\n'),
      isError: result.isError === true,
      meta: result._meta?.['headgate/result'] ?? {},
    };
  };
  return { client, call };
}

const river = (): string => `${sim.url}/web/river`;

test('`headgate mcp` serves the default tools, which search, read and answer', async () => {
  const { client, call } = standard;
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['web_search', 'fetch_url', 'instant_answer', 'research']);
  expect(client.getServerVersion()?.name).toBe('headgate');

  const found = await call('web_search', { q: 'tidal mills', limit: '2' });
  expect(found.isError).toBe(false);
  expect(found.text).toMatch(
    /<web-([0-9a-f]{16})>\n1\. [\s\S]+\n2\. [\s\S]+<\/web-\1>\n\n2 results from Tavily\./,
  );
  expect(found.meta).toMatchObject({
    outcome: 'ok',
    trust: 'untrusted_web',
    cost: { credits: 1 },
  });

  const page = await call('fetch_url', { url: river() });
  expect(page.text).toContain('The river rises at 1,830 metres');
  expect(page.text).toMatch(/<web-([0-9a-f]{16})>\nTitle: The River\nURL: \S+\n[\s\S]+\n<\/web-\1>/);

  const gone = await call('fetch_url', { url: `${sim.url}/web/broken-link` });
  expect(gone).toMatchObject({ isError: true });
  expect(gone.text).toMatch(/web_search/);

  expect((await call('instant_answer', { query: 'tidal mill' })).text).toContain('### ');
});

test('fetch_url does not reach what the operator did not allow', async () => {
  const { call } = standard;
  for (const url of [
    'http://169.254.169.254/latest/meta-data/',
    'http://localhost:1/',
    'http://[::1]/',
    'http://10.0.0.1/',
  ]) {
    const answer = await call('fetch_url', { url });
    expect(answer.isError).toBe(true);
    expect(answer.text).toMatch(/Only public web addresses|port/i);
  }
});

test('tavily-ja answers in Japanese, from Tavily', async () => {
  const { client, call } = await connect(['--tools', 'tavily-ja']);
  expect(client.getServerVersion()?.name).toBe('pydantic_tools');
  const found = await call('tavily_search', { query: '潮汐', max_results: 2 });
  expect(found.text).toMatch(/^## 検索結果: 潮汐\n\n### 1\. .+\nURL: https:\S+\nスコア: \d\.\d\d\n/);
  const pages = await call('tavily_extract', {
    urls: ['https://a.example/page', 'example.com', 'https://gone.example/'],
  });
  expect(pages.text).toMatch(/^## コンテンツ抽出結果\n\n### URL: https:\/\/a\.example\/page\n/);
  expect(pages.text).toMatch(
    /\n\n---\n\n## 失敗したURL\n- https:\/\/gone\.example\/: .+\n- example\.com: 無効なURL形式です/,
  );
  const inside = await call('tavily_extract', { urls: ['http://10.0.0.1/', 'http://localhost/admin'] });
  expect(inside.text).toMatch(/^## コンテンツ抽出結果\n\nすべてのURLから/);
  const context = await call('tavily_context', { query: '潮汐', max_tokens: 200 });
  expect(JSON.parse(context.text.split('\n\n')[1] ?? '')).toBeInstanceOf(Array);
});

const REFUSALS: [key: string, type: string, message: string][] = [
  ['tvly-bad', 'AUTH_ERROR', 'Tavily API認証に失敗しました。APIキーを確認してください。'],
  [
    'tvly-429',
    'RATE_LIMIT_ERROR',
    'Tavily APIレート制限に達しました。しばらく待ってから再試行してください。',
  ],
  ['tvly-500', 'SERVER_ERROR', 'Tavily APIサーバーエラー (HTTP 500)'],
  ['tvly-503', 'SERVICE_UNAVAILABLE', 'Tavily APIサービスが一時的に利用できません。'],
];
// src/toolsets/compat tests them all; each has a process of its own here.
const refusals = sized('refusals of Tavily through a process', { small: 1, large: 4, full: 4 });
test.each(REFUSALS.slice(0, refusals))(
  'tavily-ja: a key that Tavily answers as %s is an %s',
  async (key, type, message) => {
    const { call } = await connect(['--tools', 'tavily-ja'], key);
    expect(await call('tavily_search', { query: 'q' })).toMatchObject({
      isError: true,
      text: `Tavily API エラー: ${message}\nエラータイプ: ${type}`,
    });
  },
);

test('agent: search_web and fetch_url', async () => {
  const { call } = await connect(['--tools', 'agent']);
  expect((await call('search_web', { query: 'tides', max_results: 1 })).text).toMatch(
    /^Found 1 search result\(s\) for "tides":\n\nBetween the <(web-[0-9a-f]{16})> marks .+\n\n<\1>\n1\. \*\*.+\*\*\n {3}URL: https:\S+\n {3}.+\n {3}\(Relevance score: \d\.\d\d\)\n\n\*\*Summary Answer:\*\*\n.+\n<\/\1>$/,
  );
  expect((await call('fetch_url', { url: river() })).text).toMatch(
    /^\*\*Content extracted from URL:\*\*\n\nBetween the <(web-[0-9a-f]{16})> marks .+\n\n<\1>\n\*\*Title:\*\* The River\n\n\*\*Content:\*\*\n/,
  );
});

describe('research', () => {
  test('extract and search answer with envelopes', async () => {
    const { call } = await connect(['--tools', 'research']);
    const extracted = JSON.parse(
      (await call('research', { action: 'EXTRACT', urls: [river(), 'http://10.0.0.1/'] })).text,
    ) as unknown;
    expect(extracted).toMatchObject({
      success: true,
      data: {
        action: 'extract',
        sources: [
          {
            url: river(),
            title: 'Page /web/river',
            source_type: 'web',
            metadata: { chunk_count: 1, truncated: false },
          },
        ],
        stats: { requested: 2, succeeded: 1, failed: 1 },
        failed_urls: [{ url: 'http://10.0.0.1/', error_code: 'BLOCKED_HOST' }],
      },
      error: null,
      meta: { version: 'response-v2', warnings: ['Failed to extract 1 of 2 URLs'] },
    });
    const searched = JSON.parse(
      (await call('research', { action: 'search', query: 'tides', max_results: 3 })).text,
    ) as unknown;
    expect(searched).toMatchObject({ success: true, data: { action: 'search', stats: { succeeded: 3 } } });
  });
});

test('tavily: the original’s tools, over our engine', async () => {
  const { call } = await connect(['--tools', 'tavily']);
  expect((await call('tavily_search', { query: 'tides' })).text).toMatch(
    /^Detailed Results:\n\nTitle: .+\nURL: https:\S+\nContent: /,
  );
  const report = await call('tavily_research', { input: 'How are tides computed?', model: 'mini' });
  expect(report).toMatchObject({ isError: false });
  expect(report.text).toMatch(/^# /m);
  const start = `${sim.url}/web/`;
  expect((await call('tavily_map', { url: start, allow_external: false })).text).toContain(`URL: ${river()}`);
  expect((await call('tavily_crawl', { url: start, limit: 3 })).text).toMatch(
    /^Crawl Results:\nBase URL: .+\n\nCrawled Pages:\n\n\[1\] URL: /,
  );
});

test('every toolset is named by the usage text', () => {
  expect(toolsets.map(({ id }) => id)).toEqual([
    'default',
    'websearch',
    'tavily-ja',
    'agent',
    'research',
    'tavily',
    'chatgpt',
  ]);
});
