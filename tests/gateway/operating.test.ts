import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMetrics } from '../../src/gateway/door/metrics.ts';
import { sized } from '../support/sized.ts';
import { ADMIN, createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await createTestGateway();
});
afterAll(() => gateway.close());

const get = (path: string, headers: Record<string, string> = {}, one = gateway): Promise<Response> =>
  Promise.resolve(one.app.request(`http://127.0.0.1${path}`, { headers }));

describe('/openapi.json', () => {
  test('has every operation with its fields, and every admin route', async () => {
    const document = (await (await get('/openapi.json')).json()) as {
      paths: Record<
        string,
        Record<string, { requestBody?: { content: Record<string, { schema: object }> } }>
      >;
    };
    const paths = Object.keys(document.paths);
    for (const { contract } of gateway.parts.operations) expect(paths).toContain(`/${contract.name}`);
    expect(paths).toContain('/admin/keys/{id}');
    expect(Object.keys(document.paths['/admin/keys'] ?? {})).toEqual(['get', 'post']);
    const search = document.paths['/search']?.['post']?.requestBody?.content['application/json']?.schema;
    expect(search).toMatchObject({
      type: 'object',
      required: ['query'],
      properties: { max_results: { type: 'integer', default: 5, description: expect.any(String) as string } },
    });
  });
});

describe('/metrics', () => {
  test('counts calls, tries, requests and their time', async () => {
    await gateway.post('/search', { query: 'tidal mills' });
    await gateway.post('/search', { query: 'q' });
    const text = await (await get('/metrics')).text();
    expect(text).toContain(
      'headgate_calls_total{operation="search",outcome="ok",cached="false",surface="http"} 1',
    );
    expect(text).toContain('headgate_failures_total{operation="search",code="invalid_request"} 1');
    expect(text).toContain('headgate_attempts_total{provider="duckduckgo",outcome="ok"} 1');
    expect(text).toContain('headgate_attempt_seconds_count{provider="duckduckgo",outcome="ok"} 1');
    expect(text).toMatch(/headgate_http_requests_total\{route="\/search",method="POST",status="200"\} 1/);
    expect(text).toMatch(/headgate_http_request_seconds_bucket\{route="\/search",le="\+Inf"\} 2/);
    expect(text).toMatch(/^# TYPE headgate_requests_running gauge\nheadgate_requests_running \d+$/m);
  });

  test('are for admins only where strangers can reach them', async () => {
    const settings = [
      { 'server.host': '0.0.0.0' },
      // Behind a proxy of the same machine everybody comes from the loopback address.
      { 'server.public_url': 'https://search.example.com' },
      { 'server.behind_proxy': true },
    ];
    for (const config of settings) {
      const open = await createTestGateway({ config });
      expect((await get('/metrics', {}, open)).status).toBe(401);
      expect((await open.post('/search', { query: 'tidal mills' })).status).toBe(401);
      expect((await get('/metrics', { authorization: `Bearer ${ADMIN}` }, open)).status).toBe(200);
      await open.close();
    }
  });

  test('a label cannot break out of its quotes, and series are bounded', () => {
    const metrics = createMetrics();
    metrics.count('odd_total', 'Odd.', { name: 'a"b\\c\nd' });
    expect(metrics.text()).toContain('odd_total{name="a\\"b\\\\c\\nd"} 1');
    for (let index = 0; index < 10_000; index += 1) metrics.count('many_total', 'Many.', { index });
    expect(metrics.text().match(/^many_total\{/gm)).toHaveLength(500);
  });
});

describe('/docs, /llms.txt and /llms-full.txt', () => {
  test('have every route of the OpenAPI document, and its fields', async () => {
    const document = (await (await get('/openapi.json')).json()) as { paths: Record<string, object> };
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(routes.length).toBeGreaterThan(50);
    const [page, index, full] = await Promise.all(
      ['/docs', '/llms.txt', '/llms-full.txt'].map(async (path) => (await get(path)).text()),
    );
    expect(routes.filter((route) => !page?.includes(`<code>${route}</code>`))).toEqual([]);
    expect(routes.filter((route) => !full?.includes(`## ${route}\n`))).toEqual([]);
    expect(full).toMatch(/- `max_results` \(integer, 5\): \S+/);
    expect(page).toContain('<td><code>include_answer</code></td>');
    expect(encode(index ?? '').length).toBeLessThan(2_000);
    for (const [, path = ''] of (index ?? '').matchAll(/\]\(http:\/\/127\.0\.0\.1(\/[^)]+)\)/g))
      expect([path, (await get(path)).status]).toEqual([path, 200]);
  });

  test('the page needs nothing from elsewhere, and no script in it', async () => {
    const response = await get('/docs');
    const page = await response.text();
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(page).not.toMatch(/<script(?! type="module" src="\/console\/)|\son\w+=|style=/);
    const files = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(files.length).toBeGreaterThan(5);
    for (const file of files) expect([file, (await get(file)).status]).toEqual([file, 200]);
  });

  test('the requests that are shown work', async () => {
    const page = await (await get('/docs')).text();
    const shown = [...page.matchAll(/curl http:\/\/127\.0\.0\.1(\/\w+) .*? -d '([^']+)'/g)];
    expect(shown.length).toBeGreaterThanOrEqual(5);
    const all = shown.length;
    const count = sized('requests of /docs that are sent', { small: 1, large: all, full: all });
    for (const [, path = '', body = ''] of shown.slice(0, count)) {
      const { status } = await gateway.post(path, JSON.parse(body));
      expect([path, status < 300]).toEqual([path, true]);
    }
  });

  test('name the public address where there is one', async () => {
    const config = { 'server.public_url': 'https://search.example.com' };
    const behind = await createTestGateway({ config });
    expect(await (await get('/llms.txt', {}, behind)).text()).toContain('https://search.example.com/mcp');
    await behind.close();
  });
});
