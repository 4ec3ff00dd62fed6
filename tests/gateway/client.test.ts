import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, HeadgateError } from '../../src/client.ts';
import { FAILURES } from '../../src/core/errors.ts';
import { errorResponse } from '../../src/gateway/door/error-response.ts';
import { langChainTools } from '../../src/tools.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

let gateway: TestGateway;
let apiKey: string;
beforeAll(async () => {
  gateway = await createTestGateway();
  apiKey = (await gateway.newKey()).key;
});
afterAll(() => gateway.close());

/** The gateway without a socket: `fetch` is a setting. */
const direct: typeof fetch = async (input, init) => gateway.app.request(input, init);
const web = (more: object = {}) =>
  createClient({ baseUrl: 'http://127.0.0.1/', apiKey, fetch: direct, ...more });

describe('the client', () => {
  test('searches, reads, walks, looks up and counts', async () => {
    const found = await web().search({ query: 'tidal mills', max_results: 2, include_usage: true });
    expect(found.results).toHaveLength(2);
    expect(found).toMatchObject({ outcome: 'ok', usage: { credits: 0 } });
    const read = await web().extract({ urls: 'https://mill.example/' });
    expect(read.results[0]?.raw_content).toContain('1742');
    expect((await web().map({ url: 'mill.example', allow_external: false })).results).toContain(
      'https://mill.example/more',
    );
    expect((await web().crawl({ url: 'mill.example', limit: 2 })).results.length).toBeGreaterThan(0);
    expect(await web().usage()).toMatchObject({ key: { usage: 0 }, account: { current_plan: 'free' } });
  });

  test('does not read an answer without an end', async () => {
    let sent = 0;
    const pull = (controller: ReadableStreamDefaultController): void => {
      sent += 1;
      controller.enqueue(new Uint8Array(5_000_000).fill(32));
    };
    const endless: typeof fetch = async () => new Response(new ReadableStream({ pull }));
    await expect(web({ fetch: endless }).usage()).rejects.toThrow(
      'What answers at http://127.0.0.1/ sent more than 100 MB.',
    );
    expect(sent).toBeLessThan(30);
  });

  test('begins a research and asks for its state', async () => {
    const taken = await web().research({ input: 'tidal mills', model: 'mini' });
    expect(taken).toMatchObject({ status: 'pending', input: 'tidal mills' });
    expect(['pending', 'in_progress', 'completed']).toContain(
      (await web().researchState(taken.request_id)).status,
    );
    await expect(web().researchState('nothing')).rejects.toThrow('Research task not found');
  });

  test('its tools are those of MCP clients, run by the gateway; a failure says what to do', async () => {
    const tools = await langChainTools(web(), (run, { name }) => ({ name, run }));
    expect(tools.map(({ name }) => name)).toEqual(['web_search', 'fetch_url', 'instant_answer', 'research']);
    const [search, read] = tools;
    expect(await search?.run({ query: 'tidal mills' })).toMatch(/<web-[0-9a-f]{16}>\n1\. /);
    expect(await search?.run({ query: '' })).toMatch(/^query: is blank\. .*\nRetryable: no\.$/);
    expect(await read?.run({ url: 'https://gone.example/' })).toContain('web_search');
    await expect(web().agentTools('nothing')).rejects.toMatchObject({ code: 'not_found' });
    await expect(web({ apiKey: 'wrong' }).agentTools()).rejects.toMatchObject({ status: 401 });
    // A key that is revoked while an agent runs: the model reads why.
    const keys = [apiKey, 'hg_live_revoked'];
    const later: typeof fetch = (input, init) =>
      direct(input, {
        ...init,
        headers: { ...(init?.headers as object), authorization: `Bearer ${keys.shift()}` },
      });
    const [first] = await langChainTools(web({ fetch: later }), (run) => run);
    expect(await first?.({ query: 'tidal mills' })).toMatch(/key.*\nRetryable: no\.$/s);
  });

  test('throws what the gateway says, with its code and status', async () => {
    const error = await web()
      .search({ query: 'q' })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HeadgateError);
    expect(error).toMatchObject({
      status: 400,
      code: 'invalid_request',
      message: 'Query is too short. Min query length is 2 characters.',
      retryable: false,
    });
    await expect(web({ apiKey: 'wrong' }).search({ query: 'mills' })).rejects.toMatchObject({ status: 401 });
  });

  test('repeats what may succeed later, after the wait that it is told', async () => {
    const answers = [
      new Response('{"detail":{"error":"slow","code":"rate_limited"}}', {
        status: 429,
        headers: { 'retry-after': '0' },
      }),
      Response.json({ results: [] }),
    ];
    const fetch = async (): Promise<Response> => answers.shift() ?? Response.error();
    expect(await web({ fetch }).search({ query: 'mills' })).toEqual({ results: [] });
  });

  test('does not wait longer than it was allowed to, and does not repeat a spent plan', async () => {
    const asked: number[] = [];
    const refusing = (status: number, retryAfter: string) => async (): Promise<Response> => {
      asked.push(status);
      return Response.json({ detail: { error: 'no' } }, { status, headers: { 'retry-after': retryAfter } });
    };
    await expect(web({ fetch: refusing(429, '3600') }).search({ query: 'mills' })).rejects.toMatchObject({
      retryAfterMs: 3_600_000,
    });
    await expect(web({ fetch: refusing(432, '1') }).search({ query: 'mills' })).rejects.toThrow('no');
    expect(asked).toEqual([429, 432]);
  });

  test('stops with your signal, and in time without one', async () => {
    const hanging: typeof fetch = (_input, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
      });
    const stop = new AbortController();
    const call = web({ fetch: hanging }).search({ query: 'mills' }, { signal: stop.signal });
    stop.abort(new Error('never mind'));
    await expect(call).rejects.toThrow('never mind');
    await expect(web({ fetch: hanging, timeoutMs: 10 }).search({ query: 'mills' })).rejects.toMatchObject({
      code: 'deadline_exceeded',
      status: 0,
    });
  });

  test.each([
    ['a page instead of JSON', () => new Response('<html>', { status: 200 }), 502],
    ['an error without a body', () => new Response('', { status: 500 }), 500],
    ['a detail that is text', () => Response.json({ detail: 'Not Found' }, { status: 404 }), 404],
  ])('survives %s', async (_name, answer, status) => {
    const error = web({ fetch: async () => answer() }).search({ query: 'mills' });
    await expect(error).rejects.toMatchObject({ status });
  });

  test('is told apart from a gateway that is not there', async () => {
    const fetch = async (): Promise<Response> => {
      throw new TypeError('fetch failed');
    };
    await expect(web({ fetch, retries: 0 }).search({ query: 'mills' })).rejects.toMatchObject({
      code: 'network_error',
      retryable: true,
      remediation: 'Check baseUrl, and that the gateway is running.',
    });
  });

  test('throws every failure as the engine did: code, type, retryable, remediation and the same words', async () => {
    const codes = Object.keys(FAILURES) as (keyof typeof FAILURES)[];
    for (const code of codes) {
      const inside = new HeadgateError(code, 'It failed', { remediation: 'Wait.', retryAfterMs: 60_000 });
      const fetch = async (): Promise<Response> => errorResponse(inside, 'id');
      const outside = (await web({ fetch })
        .search({ query: 'mills' })
        .catch((thrown: unknown) => thrown)) as HeadgateError;
      expect(outside).toBeInstanceOf(HeadgateError);
      const { type, retryable, remediation, retryAfterMs } = inside;
      expect(outside).toMatchObject({ code, type, retryable, remediation, retryAfterMs, requestId: 'id' });
      // Tavily's programs compare some messages, so those stay Tavily's; none has the remediation twice.
      expect(outside.explanation.match(/Wait\./g)).toHaveLength(1);
    }
    expect(codes.length).toBeGreaterThan(30);
  });

  test('a base address that is none is named when the client is created', () => {
    for (const baseUrl of ['nonsense', '', 'ftp://gateway.example', '127.0.0.1:8787'])
      expect(() => web({ baseUrl })).toThrow(`"${baseUrl}" is not an http(s) address`);
  });
});
