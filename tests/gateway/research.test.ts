import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

let gateway: TestGateway;
let url: string;
let key: string;
beforeAll(async () => {
  gateway = await createTestGateway();
  url = (await gateway.listen()).url;
  key = (await gateway.newKey()).key;
});
afterAll(() => gateway.close());

const bearer = (one = key) => ({ authorization: `Bearer ${one}` });

const ask = (body: object, signal?: AbortSignal): Promise<Response> =>
  fetch(`${url}/research`, {
    method: 'POST',
    headers: bearer(),
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });

const state = async (id: string, one = key, query = ''): Promise<[number, Record<string, unknown>]> => {
  const response = await fetch(`${url}/research/${id}${query}`, { headers: bearer(one) });
  return [response.status, (await response.json()) as Record<string, unknown>];
};

async function finished(id: string): Promise<[number, Record<string, unknown>]> {
  for (let tries = 0; tries < 300; tries += 1) {
    const [status, body] = await state(id, key, '?include_usage=true');
    if (status !== 202) return [status, body];
    expect(['pending', 'in_progress']).toContain(body['status']);
    await wait(50);
  }
  throw new Error('The research did not end within 15 s.');
}

describe('research over HTTP', () => {
  test('is taken on with 200, can be polled, and ends with a report and its sources', async () => {
    const response = await ask({
      input: 'tidal mills',
      model: 'mini',
      stream: false,
      citation_format: 'numbered',
    });
    expect(response.status).toBe(200);
    const taken = (await response.json()) as Record<string, string>;
    expect(taken).toMatchObject({ status: 'pending', input: 'tidal mills', model: 'mini', warnings: [] });
    const [status, body] = await finished(taken['request_id'] ?? '');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      request_id: taken['request_id'],
      status: 'completed',
      content: expect.stringContaining('tidal mills') as string,
      usage: { credits: 0 },
    });
    expect((body['sources'] as unknown[]).length).toBeGreaterThan(0);
    const stranger = await gateway.newKey();
    expect(await state(taken['request_id'] ?? '', stranger.key)).toMatchObject([404, {}]);
  });

  test('runs under the rules of the call, and what was found is not handed over under stricter ones', async () => {
    const start = async (headers: Record<string, string> = {}) => {
      const response = await fetch(`${url}/research`, {
        method: 'POST',
        headers: { ...bearer(), ...headers },
        body: JSON.stringify({ input: 'tidal mills', model: 'mini' }),
      });
      const { request_id: id } = (await response.json()) as { request_id: string };
      const [, body] = await finished(id);
      return { id, hosts: (body['sources'] as { url: string }[]).map((one) => new URL(one.url).hostname) };
    };
    const free = await start();
    const [host = ''] = free.hosts;
    const without = { 'x-headgate-policy': JSON.stringify({ deny: [host] }) };
    const narrowed = await start(without);
    expect(narrowed.hosts.length).toBeGreaterThan(0);
    expect(narrowed.hosts).not.toContain(host);
    const read = async (id: string) =>
      (await fetch(`${url}/research/${id}`, { headers: { ...bearer(), ...without } })).status;
    expect([await read(free.id), await read(narrowed.id)]).toEqual([403, 200]);
  });

  test('an unknown id is 404 in Tavily’s words', async () => {
    expect(await state('5555')).toMatchObject([404, { detail: { error: 'Research task not found' } }]);
  });

  test.each([
    ['no input', {}, 'Input is missing.'],
    ['an unknown model', { input: 'mills', model: 'huge' }, 'Invalid model. Must be one of: mini, pro, auto'],
    [
      '21 domains',
      { input: 'mills', include_domains: Array.from({ length: 21 }, (_, index) => `a${index}.com`) },
      'Invalid value for include_domains. Max 20 domains are allowed.',
    ],
  ])('refuses %s', async (_name, body, error) => {
    const response = await ask(body);
    expect([response.status, await response.json()]).toMatchObject([400, { detail: { error } }]);
  });

  test('streams what it does, the report and its sources, and ends as Tavily’s server ends', async () => {
    const response = await ask({ input: 'water wheels', model: 'mini', stream: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('x-request-id')).toMatch(/\w+/);
    const text = await response.text();
    expect(text.endsWith('\n\nevent: done')).toBe(true);
    const deltas = [...text.matchAll(/^event: chat\.completion\.chunk\ndata: (.+)$/gm)].map(
      (match) =>
        (JSON.parse(match[1] ?? '') as { choices: { delta: Record<string, unknown> }[] }).choices[0]?.delta ??
        {},
    );
    const content = deltas.map((delta) => (delta['content'] ?? '') as string).join('');
    expect(content).toContain('water wheels');
    expect(JSON.stringify(deltas)).toContain('"name":"WebSearch"');
    expect(deltas.at(-1)).toHaveProperty('sources');
  });

  test('a client that hangs up ends the research', async () => {
    gateway.sim.script('/duckduckgo', [{ kind: 'hang', times: 'always' }]);
    const stop = new AbortController();
    const response = await ask({ input: 'slow mills', model: 'mini', stream: true }, stop.signal);
    const id = response.headers.get('x-request-id') ?? '';
    stop.abort();
    const [status, body] = await finished(id);
    expect([status, body]).toMatchObject([200, { status: 'failed' }]);
    gateway.sim.reset();
  });
});
