import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countCpu } from '../support/cpu-time.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await createTestGateway();
});
afterAll(() => gateway.close());

const ask = async (path: string, body: object): Promise<[number, Record<string, unknown>]> => {
  const response = await gateway.post(path, body);
  return [response.status, (await response.json()) as Record<string, unknown>];
};

describe('POST /extract', () => {
  test('answers with Tavily’s fields in Tavily’s order, and ours after them', async () => {
    const [status, body] = await ask('/extract', { urls: ['https://mill.example/'], include_usage: true });
    expect(status).toBe(200);
    expect(Object.keys(body).slice(0, 5)).toEqual([
      'results',
      'failed_results',
      'response_time',
      'usage',
      'request_id',
    ]);
    const [page] = body['results'] as Record<string, unknown>[];
    expect(Object.keys(page ?? {}).slice(0, 4)).toEqual(['url', 'title', 'raw_content', 'images']);
    expect(page).toMatchObject({ url: 'https://mill.example/', images: [] });
  });

  test.each([
    ['one address as text', { urls: 'https://mill.example/' }],
    ['an address without a scheme', { urls: 'mill.example' }],
    ['chunks without a query', { urls: ['https://mill.example/'], chunks_per_source: 3 }],
    ['the timeout that tavily-python always sends', { urls: ['https://mill.example/'], timeout: 30 }],
    ['an empty query', { urls: ['https://mill.example/'], query: '' }],
  ])('accepts %s', async (_name, body) => {
    const [status, answer] = await ask('/extract', body);
    expect(status).toBe(200);
    expect(answer['results']).toHaveLength(1);
  });

  test('stays 200 when every address fails, and says why for each', async () => {
    const [status, body] = await ask('/extract', {
      urls: ['https://gone.example/a', 'https://gone.other.example/'],
    });
    expect([status, body]).toMatchObject([200, { results: [], outcome: 'failed' }]);
    expect(body['failed_results']).toMatchObject([
      { url: 'https://gone.example/a', error: expect.any(String) as string },
      { url: 'https://gone.other.example/', error: expect.any(String) as string },
    ]);
  });

  test.each([
    ['no addresses', {}, 'No URLs provided.'],
    ['an empty list', { urls: [] }, 'No URLs provided.'],
    [
      '21 addresses',
      { urls: Array.from({ length: 21 }, (_, i) => `https://a.example/${i}`) },
      'Max 20 URLs are allowed.',
    ],
    ['numbers', { urls: [7] }, 'urls must be a string or a list of strings.'],
  ])('refuses %s', async (_name, body, error) => {
    expect(await ask('/extract', body)).toMatchObject([400, { detail: { error } }]);
  });
});

describe('POST /crawl and /map', () => {
  test('echo the URL as it was given and list what was found', async () => {
    const [status, crawled] = await ask('/crawl', { url: 'mill.example', limit: 2, select_paths: [] });
    expect([status, crawled]).toMatchObject([200, { base_url: 'mill.example' }]);
    expect(Object.keys((crawled['results'] as object[])[0] ?? {}).slice(0, 3)).toEqual([
      'url',
      'raw_content',
      'images',
    ]);
    const [, mapped] = await ask('/map', { url: 'mill.example' });
    expect(mapped['results']).toContain('https://mill.example/more');
  });

  test.each(['/crawl', '/map'])(
    '%s refuses a pattern that explodes, and the gateway goes on',
    async (path) => {
      const cpuMs = countCpu();
      const long = `https://mill.example/${'a'.repeat(60)}`;
      expect(await ask(path, { url: long, select_paths: ['^(/|[a-z]+)+!$'] })).toMatchObject([
        400,
        { detail: { error: expect.stringContaining('select_paths: matching took too long.') as string } },
      ]);
      expect(cpuMs()).toBeLessThan(3_000);
    },
  );

  test.each(['/crawl', '/map'])('%s refuses a call without a start', async (path) => {
    expect(await ask(path, {})).toMatchObject([400, { detail: { error: '[400] No starting url provided' } }]);
    expect(await ask(path, { url: '' })).toMatchObject([400, {}]);
  });
});
