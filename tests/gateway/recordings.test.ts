import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problemsOf } from '../../src/bridge/schema/check.ts';
import { HeadgateError, type FailureCode } from '../../src/core/errors.ts';
import { errorResponse } from '../../src/gateway/door/error-response.ts';
import { sharedPath } from '../support/shared.ts';
import { until } from '../support/until.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

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
    expect(isStream ? [] : problems(url, method, response.status, body)).toEqual([]);
  });
});

describe.skipIf(openapi === undefined)('Tavily’s OpenAPI document', () => {
  const asked = async (
    method: string,
    path: string,
    body?: object,
  ): Promise<[number, unknown[], unknown]> => {
    const response = await gateway.app.request(`http://127.0.0.1${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    return [response.status, problems(path, method, response.status, answer), answer];
  };

  test('describes our answers to research, from the first to the last', async () => {
    const [status, wrong, taken] = await asked('POST', '/research', { input: 'tidal mills', model: 'mini' });
    expect([status, wrong]).toEqual([200, []]);
    const id = (taken as { request_id: string }).request_id;
    const seen = new Set<number>();
    await until(async () => {
      const [code, problem] = await asked('GET', `/research/${id}`);
      expect(problem).toEqual([]);
      seen.add(code);
      return code === 200;
    }, 20_000);
    expect([...seen]).toEqual([202, 200]);
  });

  test('describes our usage and our refusals', async () => {
    expect((await asked('GET', '/usage')).slice(0, 2)).toEqual([200, []]);
    expect((await asked('POST', '/search', { query: '' })).slice(0, 2)).toEqual([400, []]);
    expect((await asked('POST', '/map', {})).slice(0, 2)).toEqual([400, []]);
    expect((await asked('GET', '/research/5555')).slice(0, 2)).toEqual([404, []]);
  });

  test('would tell an answer that is wrong', () => {
    expect(problems('/search', 'POST', 200, { query: 7, results: 'none' })).not.toEqual([]);
    expect(problems('/research/1', 'GET', 202, { status: 'lost' })).not.toEqual([]);
  });
});

/** What real clients made of a server's refusals: ours must be of the same kind. */
const refusals = ['tavily-core-0.7.13', 'langchain-tavily-1.2.0'].flatMap((name) => {
  const path = sharedPath(`fixtures/client-recordings/${name}.errors.json`);
  if (path === undefined) return [];
  const recorded = JSON.parse(readFileSync(path, 'utf8')) as {
    case: string;
    server?: { status: number; json?: unknown };
  }[];
  return recorded.flatMap(({ case: about, server }) =>
    server === undefined ? [] : [{ name: `${name}: ${about}`, server }],
  );
});
const OURS: Record<number, FailureCode> = {
  401: 'unauthenticated',
  403: 'forbidden',
  429: 'rate_limited',
  432: 'limit_reached',
  500: 'internal',
};
/** Programs compare these texts. */
const FIXED = new Set([401, 429]);

describe.skipIf(refusals.length === 0)('recorded refusals', () => {
  test.each(refusals.filter(({ server }) => server.status in OURS && isDetail(server.json)))(
    '$name: ours has the same status and shape',
    async ({ server }) => {
      const code = OURS[server.status];
      if (code === undefined) throw new Error('There is one.');
      const response = errorResponse(new HeadgateError(code, 'No.'));
      const body = (await response.json()) as { detail: { error: string }; error?: unknown };
      expect([response.status, typeof body.detail.error]).toEqual([server.status, 'string']);
      // A text `error.code` beside `detail` makes the client think of callers without a key.
      expect(body.error).toBeUndefined();
      const { error } = (server.json as { detail: { error: string } }).detail;
      expect(FIXED.has(server.status) ? body.detail.error : error).toBe(error);
    },
  );
});

const isDetail = (json: unknown): boolean =>
  typeof (json as { detail?: { error?: unknown } } | undefined)?.detail?.error === 'string';

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
function problems(url: string, method: string, status: number, body: unknown): unknown[] {
  if (openapi === undefined) return [];
  const document = JSON.parse(readFileSync(openapi, 'utf8')) as {
    paths: Record<string, Record<string, { responses: Record<string, { content: never }> }>>;
  };
  const path = (url.replace(/^\/+/, '/').split('?')[0] ?? '').replace(
    /^\/research\/.+/,
    '/research/{request_id}',
  );
  // Documented as 201, but tavily-python takes 200 only.
  const documented = path === '/research' && status === 200 ? 201 : status;
  const content = document.paths[path]?.[method.toLowerCase()]?.responses[documented]?.content as
    | { 'application/json'?: { schema: Record<string, unknown> } }
    | undefined;
  const schema = content?.['application/json']?.schema;
  return schema === undefined ? [] : problemsOf(real({ ...document, ...schema }), body);
}

/** The document calls fields strings that are null when nobody asked for them, and images objects that are strings. */
function real(schema: unknown, name = ''): Record<string, unknown> {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema as never;
  const { example: _example, ...rest } = schema as Record<string, unknown>;
  const mended = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, real(value, key)]));
  if (name === 'answer' || name === 'raw_content') return { ...mended, type: ['string', 'null'] };
  // Without a limit the real service answers null.
  if (['limit', 'current_plan', 'plan_limit', 'paygo_limit'].includes(name))
    return { ...mended, type: [mended['type'], 'null'] };
  // Documented as whole numbers, with a fraction as the example.
  if (name === 'response_time') return { type: 'number' };
  if (name === 'images') return { type: 'array', items: { type: ['string', 'object'] } };
  return mended;
}
