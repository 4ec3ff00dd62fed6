import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemsOf } from '../../src/bridge/schema-check.ts';
import { sharedPath } from '../shared.ts';
import { createTestGateway, type TestGateway } from './gateway.ts';

/** Requests that real clients sent, byte for byte, against the gateway. They lie beside some checkouts only. */
interface Recorded {
  case: string;
  requests?: { method: string; url: string; headers: Record<string, string>; rawBody?: string }[];
}

const folder = sharedPath('fixtures/client-recordings');
const openapi = sharedPath('fixtures/tavily/openapi.json');
const recordings =
  folder === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith('.requests.json'));
const cases = recordings.flatMap((name) =>
  (JSON.parse(readFileSync(join(folder ?? '', name), 'utf8')) as Recorded[]).flatMap((recorded) =>
    (recorded.requests ?? []).map((request, index) => ({
      name: `${name.replace('.requests.json', '')}: ${recorded.case} #${index + 1} ${request.method} ${request.url}`,
      ...request,
    })),
  ),
);

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await createTestGateway({
    config: { 'providers.tavily.api_key': 'tvly-operator', 'search.provider': 'tavily' },
  });
});
afterAll(() => gateway.close());

describe.skipIf(cases.length === 0)('recorded requests of real clients', () => {
  test('there are many of them', () => expect(cases.length).toBeGreaterThan(70));

  test.each(cases)('$name', async ({ method, url, headers, rawBody }) => {
    const { Host: _host, host: _lower, ...rest } = headers;
    const response = await gateway.app.request(`http://127.0.0.1${url}`, {
      method,
      headers: rest,
      ...(rawBody === undefined || rawBody === '' ? {} : { body: rawBody }),
    });
    const isStream = response.headers.get('content-type') === 'text/event-stream';
    const text = await response.text();
    const body = isStream ? { stream: text.slice(-12) } : (JSON.parse(text) as Record<string, unknown>);
    const expected = expectedOf(method, url, rawBody ?? '');
    expect([response.status, body]).toMatchObject([expected.status, expected.shape]);
    expect(response.status === 200 ? problems(url, method, body) : []).toEqual([]);
  });
});

/** What the real service would answer to this request. */
function expectedOf(method: string, url: string, rawBody: string): { status: number; shape: object } {
  const path = url.replace(/^\/+/, '/').split('?')[0] ?? '';
  const known = gateway.parts.operations.map((operation) => `/${operation.contract.name}`);
  if (path === '/feedback') return { status: 200, shape: { success: true } };
  if (method === 'GET' && path.startsWith('/research/') && known.includes('/research'))
    return { status: 404, shape: { detail: { error: 'Research task not found' } } };
  if (!known.includes(path)) return { status: 404, shape: { detail: 'Not Found' } };
  const sent = JSON.parse(rawBody) as Record<string, unknown>;
  const invalid = mistake(sent);
  if (path === '/search' && invalid !== undefined)
    return { status: 400, shape: { detail: { error: invalid } } };
  return { status: 200, shape: shapeOf(path, sent) };
}

/** Some recordings were made against a server that checked nothing. */
function mistake({
  query,
  time_range: range,
  start_date: start,
}: Record<string, unknown>): string | undefined {
  if (typeof query === 'string' && query.length < 2)
    return 'Query is too short. Min query length is 2 characters.';
  if (range !== undefined && start !== undefined)
    return 'When time_range is set, start_date or end_date cannot be set';
  return undefined;
}

function shapeOf(path: string, sent: Record<string, unknown>): object {
  const common = { request_id: expect.any(String) as string, response_time: expect.any(Number) as number };
  const list = expect.any(Array) as unknown[];
  const usage = sent['include_usage'] === true ? { usage: { credits: expect.any(Number) as number } } : {};
  if (path === '/search')
    return {
      query: sent['query'],
      follow_up_questions: null,
      images: list,
      results: list,
      ...common,
      ...usage,
    };
  if (path === '/extract') return { results: list, failed_results: list, ...common, ...usage };
  if (path === '/research')
    return sent['stream'] === true
      ? { stream: '\nevent: done' }
      : { request_id: expect.any(String) as string, status: 'pending', input: sent['input'] };
  return { base_url: sent['url'], results: list, ...common, ...usage };
}

/** Holds an answer to Tavily's own OpenAPI document, where it agrees with Tavily's real answers. */
function problems(url: string, method: string, body: unknown): unknown[] {
  if (openapi === undefined) return [];
  const document = JSON.parse(readFileSync(openapi, 'utf8')) as {
    paths: Record<string, Record<string, { responses: Record<string, { content: never }> }>>;
  };
  const path = url.replace(/^\/+/, '/').split('?')[0] ?? '';
  const content = document.paths[path]?.[method.toLowerCase()]?.responses['200']?.content as
    | { 'application/json'?: { schema: Record<string, unknown> } }
    | undefined;
  const schema = content?.['application/json']?.schema;
  return schema === undefined ? [] : problemsOf({ ...document, ...real(schema) }, body);
}

/** The document calls fields strings that are null when nobody asked for them, and images objects that are strings. */
function real(schema: unknown, name = ''): Record<string, unknown> {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema as never;
  const { example: _example, ...rest } = schema as Record<string, unknown>;
  const mended = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, real(value, key)]));
  if (name === 'answer' || name === 'raw_content') return { ...mended, type: ['string', 'null'] };
  if (name === 'images') return { type: 'array', items: { type: ['string', 'object'] } };
  return mended;
}
