import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/sim/faults.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { createRealTime, openToolsets, type ToolsetWorld } from '../support/toolset-world.ts';

let sim: Sim;
let world: ToolsetWorld;
beforeAll(async () => {
  sim = await startSim({ upstreams: simUpstreams });
});
beforeEach(() => sim.reset());
afterEach(() => world.close());
afterAll(() => sim.close());

const answer = (value: unknown): Fault => ({
  kind: 'status',
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});
const tavilyWorld = () => openToolsets(sim, { tavily: 'tvly-works' });

/** A page of numbered sentences, so that nothing can be missing or twice without being seen. */
const longText = (name: string, sentences: number): string =>
  Array.from({ length: sentences }, (_, index) => `${name} sentence number ${index} is here.`).join('\n\n');

describe('tavily_extract shares its room', () => {
  const urls = ['https://a.example/', 'https://b.example/', 'https://c.example/', 'https://d.example/'];
  const texts = [longText('Alpha', 3_000), longText('Beta', 20), longText('Gamma', 3_000)];
  const pages = answer({
    results: texts.map((raw_content, index) => ({ url: urls[index], raw_content })),
    failed_results: [{ url: urls[3], error: 'Failed to fetch url' }],
  });

  test.each([
    [
      'tavily-ja',
      /^### URL: (\S+)\n/m,
      /cursor に "([^"]+)" を指定/g,
      /## 失敗したURL\n- https:\/\/d\.example\/: コンテンツを抽出できませんでした$/m,
    ],
    ['tavily', /^URL: (\S+)\n/m, /and cursor "([^"]+)"/g, /Failed:\n- https:\/\/d\.example\/: /],
  ])(
    '%s: the failures stand, every page has its share, and a cursor leads on',
    async (toolset, page, cursors, failures) => {
      world = tavilyWorld();
      sim.script('/tavily/extract', [pages]);
      const { text, meta } = await world.call(toolset, 'tavily_extract', { urls });
      expect(meta).toMatchObject({ outcome: 'partial' });
      expect(text.length).toBeLessThanOrEqual(48_000);
      expect(text.length).toBeGreaterThan(40_000);
      expect(text).toMatch(failures);
      expect(text).toMatch(page);
      expect(text).toContain(texts[1]);
      for (const name of ['Alpha', 'Gamma'])
        expect(text.match(new RegExp(`${name} sentence`, 'g'))?.length).toBeGreaterThan(400);

      const [first = ''] = [...text.matchAll(cursors)].map((match) => match[1] ?? '');
      sim.script('/tavily/extract', [answer({ results: [{ url: urls[0], raw_content: texts[0] }] })]);
      const rest = await world.call(toolset, 'tavily_extract', { urls: [urls[0]], cursor: first });
      const last = Number(/Alpha sentence number (\d+) is here\.(?![\s\S]*Alpha sentence)/.exec(text)?.[1]);
      expect(rest.text).toContain(`Alpha sentence number ${last + 1} is here.`);
      expect(rest.text).not.toContain(`Alpha sentence number ${last} is here.`);
    },
  );

  test('agent: a page that is cut says so', async () => {
    world = openToolsets(sim, { clock: createRealTime() });
    const body = `<article><h1>Tides</h1>${longText('Alpha', 3_000).replaceAll(/^.+$/gm, '<p>$&</p>')}</article>`;
    sim.script('/web', [{ kind: 'status', status: 200, headers: { 'content-type': 'text/html' }, body }]);
    const { text } = await world.call('agent', 'fetch_url', { url: `${sim.url}/web/river` });
    expect(text.length).toBeLessThanOrEqual(48_000);
    expect(text).toMatch(
      /Note: The page is longer than an answer may be; about \d+ more tokens are not shown\.$/,
    );
  });
});

test('URLs that are no URLs make the outcome partial', async () => {
  world = openToolsets(sim, { tavily: 'tvly-works', clock: createRealTime() });
  const urls = ['https://a.example/page', 'example.com'];
  const japanese = await world.call('tavily-ja', 'tavily_extract', { urls });
  expect(japanese.meta).toMatchObject({ outcome: 'partial' });
  const research = await world.call('research', 'research', {
    action: 'extract',
    urls: [`${sim.url}/web/river`, 'example.com'],
  });
  expect(research.meta).toMatchObject({ outcome: 'partial' });
});

test('white space of titles and queries is kept', async () => {
  world = tavilyWorld();
  const title = '東京\u3000天気\u00A0予報  二つ';
  sim.script('/tavily/search', [
    answer({ results: [{ url: 'https://a.example/', title, content: '晴れ', score: 0.5 }] }),
  ]);
  const { text } = await world.call('tavily-ja', 'tavily_search', { query: '東京\u3000天気  明日' });
  expect(text).toBe(
    `## 検索結果: 東京\u3000天気  明日\n\n### 1. ${title}\nURL: https://a.example/\nスコア: 0.50\n晴れ`,
  );
});

test('white space of a title that DuckDuckGo found is kept', async () => {
  world = openToolsets(sim);
  const { text } = await world.call('websearch', 'web_search', { query: '潮\u3000汐', max_results: 1 });
  expect(text).toMatch(/^## Web Search Results for "潮\u3000汐"\n/);
});

describe('Japanese texts contain no English sentence', () => {
  const ENGLISH = /[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}/;

  test.each<[string, string, Fault, Record<string, unknown>]>([
    ['a condensed query', '/tavily', { kind: 'pass' }, { query: `${'潮汐の 仕組み '.repeat(80)} tides` }],
    ['a refused key', '/tavily', { kind: 'status', status: 401, times: 'always' }, { query: '潮汐' }],
    [
      'a bad request',
      '/tavily',
      {
        kind: 'status',
        status: 400,
        body: '{"detail":{"error":"Invalid topic. Must be one of these."}}',
      },
      { query: '潮汐' },
    ],
    ['an unexpected status', '/tavily', { kind: 'status', status: 418 }, { query: '潮汐' }],
    ['a cut connection', '/tavily', { kind: 'reset', times: 'always' }, { query: '潮汐' }],
  ])('%s', async (_name, path, fault, input) => {
    world = tavilyWorld();
    sim.script(path, [fault]);
    const { text } = await world.call('tavily-ja', 'tavily_search', input);
    expect(text.replaceAll(/^(### |URL: ).*$|^.*Part 1\..*$/gm, '')).not.toMatch(ENGLISH);
  });

  test('pages that could not be read', async () => {
    world = openToolsets(sim, { clock: createRealTime() });
    const urls = [`${sim.url}/web/broken-link`, 'http://10.0.0.1/', 'ftp://x/', `${sim.url}/web/river`];
    const { text } = await world.call('tavily-ja', 'tavily_extract', { urls });
    const list = /## 失敗したURL\n([\s\S]*)$/.exec(text)?.[1] ?? '';
    expect(list.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(3);
    expect(list).not.toMatch(ENGLISH);
  });
});

test('a context that was cut says so', async () => {
  world = tavilyWorld();
  const content = '潮は月に引かれて満ち引きする。'.repeat(30);
  const results = [1, 2, 3, 4, 5].map((index) => ({
    url: `https://a.example/${index}`,
    title: 'T',
    content,
    score: 0.5,
  }));
  sim.script('/tavily/search', [answer({ results })]);
  const { text } = await world.call('tavily-ja', 'tavily_context', { query: '潮汐', max_tokens: 1_000 });
  const count = (JSON.parse(text.split('\n\n')[1] ?? '') as unknown[]).length;
  expect(count).toBeLessThan(5);
  expect(text).toContain(`> 警告: max_tokens (1000) に収めるため、5件中${count}件のみを含めました。`);
});

test('a result of DuckDuckGo has no score, and none of Tavily’s', async () => {
  world = openToolsets(sim);
  const input = { query: 'tides', max_results: 2 };
  expect((await world.call('tavily-ja', 'tavily_search', input)).text).not.toMatch(/スコア/);
  expect((await world.call('agent', 'search_web', input)).text).not.toMatch(/score/i);
  const { text } = await world.call('research', 'research', { action: 'search', ...input });
  const { data } = JSON.parse(text) as { data: { sources: { metadata: Record<string, unknown> }[] } };
  expect(data.sources).toHaveLength(2);
  for (const { metadata } of data.sources) {
    expect(metadata).toMatchObject({ provider: 'duckduckgo' });
    expect(metadata).not.toHaveProperty('tavily_score');
    expect(metadata).not.toHaveProperty('score');
  }
});

test('a result of Tavily keeps its score', async () => {
  world = tavilyWorld();
  const { text } = await world.call('research', 'research', {
    action: 'search',
    query: 'tides',
    max_results: 1,
  });
  const { data } = JSON.parse(text) as { data: { sources: { metadata: Record<string, unknown> }[] } };
  expect(data.sources[0]?.metadata).toMatchObject({ tavily_score: 0.95, score: 0.95 });
});

test('without a key the Japanese tools say who answered', async () => {
  world = openToolsets(sim, { clock: createRealTime() });
  const line = /\n\n> 提供元: DuckDuckGo（TAVILY_API_KEY が設定されていません）$/;
  expect((await world.call('tavily-ja', 'tavily_search', { query: '潮汐' })).text).toMatch(line);
  expect((await world.call('tavily-ja', 'tavily_search', { query: 'noresult' })).text).toMatch(line);
  expect((await world.call('tavily-ja', 'tavily_context', { query: '潮汐' })).text).toMatch(line);
  const page = await world.call('tavily-ja', 'tavily_extract', { urls: [`${sim.url}/web/river`] });
  expect(page.text).toMatch(/\n\n> 提供元: Headgate（TAVILY_API_KEY が設定されていません）$/);
  sim.script('/duckduckgo', [{ kind: 'status', status: 403 }]);
  const blocked = await world.call('tavily-ja', 'tavily_search', { query: '潮汐' });
  expect(blocked.text).toMatch(/^Tavily API エラー: DuckDuckGoエラー .*ロボット確認/);
});

test.each([
  ['research', 'research', { action: 'search', query: 'tides', country: 'Atlantis' }],
  ['tavily', 'tavily_search', { query: 'tides', country: 'Atlantis' }],
])('%s refuses an unknown country', async (toolset, tool, input) => {
  world = tavilyWorld();
  const { text, isError, meta } = await world.call(toolset, tool, input);
  expect(isError).toBe(true);
  expect(meta).toMatchObject({ outcome: 'invalid' });
  expect(text).toMatch(/country.*is not a country/);
  expect(sim.requests).toHaveLength(0);
});
