import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import requests from '../support/gateway/wire-requests.json' with { type: 'json' };

/**
 * How applications ask, by their public sources, and what their code reads of the answer. Each reader does as
 * its application does, and throws or returns wrong values where that would.
 */
type Row = Record<string, unknown>;
interface Found {
  title: string;
  url: string;
  text: string;
}

const hostOf = (url: unknown): string => new URL(String(url)).hostname;
const rowsOf = (value: unknown): Row[] => {
  if (!Array.isArray(value)) throw new Error('There is no list.');
  return value as Row[];
};
const plain = ({ title, url, content }: Row): Found => ({ title, url, text: content }) as never;
const isPictures = (path: string): boolean => /images/.test(path);

function firecrawlPage({ data }: Row): Found[] {
  const { markdown, metadata } = data as { markdown: string; metadata: Row };
  expect(markdown.trim()).not.toBe('');
  return [{ title: metadata['title'], url: metadata['sourceURL'], text: markdown } as Found];
}

const READERS: Record<string, (body: Row, path: string) => Found[]> = {
  'mcp-searxng 2.4': (body) => {
    for (const field of ['answers', 'corrections', 'suggestions', 'infoboxes']) rowsOf(body[field]);
    return rowsOf(body['results'])
      .filter(({ score }) => typeof score === 'number')
      .map(plain);
  },
  LobeChat: (body) => {
    expect(body['number_of_results']).toBeTypeOf('number');
    return rowsOf(body['results']).map((item) => {
      expect(item).toMatchObject({ category: expect.any(String), score: expect.any(Number) });
      expect(rowsOf(item['engines']).length).toBeGreaterThan(0);
      expect([hostOf(item['url']), item['publishedDate'] ?? undefined]).not.toContain('');
      return plain(item);
    });
  },
  LibreChat: (body, path) => {
    rowsOf(body['suggestions']);
    const results = rowsOf(body['results']);
    const pictures = results.filter((item) => Boolean(item['img_src']));
    for (const item of pictures) expect(hostOf(item['url'])).not.toBe('');
    return (isPictures(path) ? pictures : results.slice(0, 8)).map(plain);
  },
  'Open WebUI': (body) => {
    const results = rowsOf(body['results']).sort((a, b) => Number(b['score']) - Number(a['score']));
    return results.slice(0, 3).map(plain);
  },
  Perplexica: (body, path) => {
    rowsOf(body['suggestions']);
    const results = rowsOf(body['results']);
    const wanted = isPictures(path) ? results.filter((item) => Boolean(item['img_src'])) : results;
    return wanted.map((item) => ({ ...plain(item), text: (item['content'] || item['title']) as string }));
  },
  'Open WebUI, external search': (body) =>
    rowsOf(body).map(({ link, title, snippet }) => ({ url: link, title, text: snippet }) as never),
  'Open WebUI, external loader': (body) => {
    const pages = rowsOf(body).map(({ page_content: text, metadata }) => {
      const { source, title, error } = metadata as Row;
      return { url: source, title: title ?? error, text } as Found;
    });
    expect(pages.map(({ text }) => text === '')).toEqual([false, true]);
    return pages;
  },
  'Open WebUI, Firecrawl search': ({ data }) =>
    rowsOf((data as Row)['web']).map(
      ({ url, title, description }) => ({ url, title, text: description }) as never,
    ),
  'Open WebUI, Firecrawl loader': firecrawlPage,
  'LibreChat, Firecrawl': (body) => {
    expect(body['success']).toBe(true);
    return firecrawlPage(body);
  },
  LiteLLM: (body) =>
    rowsOf(body['results']).map((item) => {
      expect(item['publishedDate'] ?? item['pubdate'] ?? '').toBeTypeOf('string');
      return plain(item);
    }),
};

let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  const config = {
    'providers.tavily.api_key': 'tvly-operator',
    'search.provider': 'tavily',
    'server.key_in_path': true,
  };
  gateway = await createTestGateway({ config });
  key = (await gateway.newKey({ tier: 'pro' })).key;
});
afterAll(() => gateway.close());

const filled = (text: string): string =>
  text.replace('{key}', key).replace('{basic}', Buffer.from(`headgate:${key}`).toString('base64'));

test.each(requests)('$client: $case', async ({ client, method, path, headers, body }) => {
  const response = await gateway.app.request(`http://127.0.0.1${filled(path)}`, {
    method,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)])),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  const found = READERS[client]?.((await response.json()) as Row, path) ?? [];
  expect(found.length).toBeGreaterThan(0);
  for (const { title, url, text } of found) {
    expect([title, text].map((value) => typeof value)).toEqual(['string', 'string']);
    expect([title, hostOf(url)]).not.toContain('');
  }
});
