import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMovableClock } from '../support/movable-clock.ts';
import { recordScripted } from '../support/recording.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1, 12);
const PAGE = 'https://valley.example/mill';
const folder = mkdtempSync(join(tmpdir(), 'webs-'));
const clock = createMovableClock();
let gateway: TestGateway;
let own: { key: string; workspace: string };
let other: { key: string; workspace: string };

const html = (text: string): string =>
  `<html><head><title>The Mill</title></head><body><main><h1>The Mill</h1>${`<p>${text} It stands on the river and is open to visitors on every day of the week.</p>`.repeat(3)}</main></body></html>`;
const result = (text: string) => [{ url: PAGE, title: 'The tidal mill', content: text }];

beforeAll(async () => {
  gateway = await createTestGateway({
    web: 'guarded',
    clock,
    config: { 'web.folder': folder, 'providers.tavily.api_key': 'tvly-test', 'search.provider': 'tavily' },
  });
  const base = `${gateway.sim.url}/tavily`;
  await recordScripted(
    join(folder, 'valley.wacz'),
    [
      { at: START, page: PAGE, html: html('The mill was run by Aldana.') },
      { at: START, query: 'who runs the tidal mill', results: result('The tidal mill is run by Aldana.') },
      { at: START + 30 * DAY, page: PAGE, html: html('The mill is run by Berger.') },
      {
        at: START + 30 * DAY,
        query: 'who runs the tidal mill',
        results: result('The tidal mill is run by Berger.'),
      },
    ],
    base,
  );
  own = await gateway.newKey({ tier: 'pro' });
  other = await gateway.newKey({ tier: 'pro' });
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

const ask = async (
  { key }: { key: string },
  path: string,
  body: object,
): Promise<[number, Record<string, unknown>]> => {
  const response = await gateway.post(path, body, { authorization: `Bearer ${key}` });
  return [response.status, (await response.json()) as Record<string, unknown>];
};
/** What is set applies after a second. */
const set = async (body: object, id = own.workspace) => {
  const answer = await gateway.admin('PATCH', `/workspaces/${id}`, body);
  clock.move(1_001);
  return answer;
};
const tool = async ({ key }: { key: string }): Promise<string> => {
  const call = { name: 'fetch_url', arguments: { url: PAGE } };
  const response = await gateway.app.request('http://127.0.0.1/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${key}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
  });
  return response.text();
};
const QUERY = { query: 'who runs the tidal mill' };

test('calls of a workspace are answered from its snapshot, over HTTP and MCP; others are not', async () => {
  const before = gateway.sim.requests.length;
  const { status, body } = await set({ web: 'valley.wacz' });
  expect([status, body]).toMatchObject([200, { web: 'valley.wacz', asOf: null }]);
  const [found, { results }] = await ask(own, '/search', QUERY);
  expect([found, JSON.stringify(results)]).toEqual([200, expect.stringContaining('Aldana')]);
  const [, read] = await ask(own, '/extract', { urls: [PAGE] });
  expect(JSON.stringify(read['results'])).toContain('Aldana');
  const [, reworded] = await ask(own, '/search', { query: 'the family running that tidal mill' });
  expect(reworded['attempts']).toMatchObject([{ provider: 'tavily', replayed: 'frozen' }]);
  expect(await tool(own)).toContain('Aldana');
  expect(gateway.sim.requests.length).toBe(before);
  const [missed, why] = await ask(own, '/search', { query: 'quantum chromodynamics lattice' });
  expect([missed, JSON.stringify(why)]).toEqual([
    expect.any(Number),
    expect.stringContaining('not_recorded'),
  ]);
  expect(gateway.sim.requests.length).toBe(before);

  expect((await ask(other, '/search', QUERY))[0]).toBe(200);
  expect(gateway.sim.requests.length).toBe(before + 1);
  expect(await tool(other)).not.toContain('Aldana');
});

test('a workspace sees its date, or an earlier one, and no later one', async () => {
  await set({ web: 'valley.wacz', as_of: '2026-01-15' });
  const [, { results }] = await ask(own, '/search', QUERY);
  expect(JSON.stringify(results)).toContain('Aldana');
  expect(await tool(own)).toContain('Aldana');
  for (const later of ['2026-03-01', '2026-01-16T00:00:00Z']) {
    const [status, body] = await ask(own, '/search', { ...QUERY, as_of: later });
    expect([status, JSON.stringify(body)]).toEqual([
      400,
      expect.stringContaining('this workspace sees the web as of 2026-01-15T23:59:59.999Z at the latest'),
    ]);
  }
  expect((await ask(own, '/search', { ...QUERY, as_of: '2026-01-02' }))[0]).toBe(200);
  const [status] = await ask(own, '/search', { ...QUERY, as_of: '2025-12-24' });
  expect(status).not.toBe(200);
  const [refused, why] = await ask(other, '/search', { ...QUERY, as_of: '2026-01-15' });
  expect([refused, JSON.stringify(why)]).toEqual([400, expect.stringContaining('there is no snapshot')]);
});

test('two runs of the same calls give the same bytes, each after its web was set', async () => {
  const run = async (): Promise<string[]> => {
    await set({ web: 'valley.wacz', as_of: null });
    const answers = [
      await ask(own, '/search', QUERY),
      await ask(own, '/search', QUERY),
      await ask(own, '/extract', { urls: [PAGE] }),
    ];
    return [...answers.map(([, { cost: _cost, ...answer }]) => JSON.stringify(answer)), await tool(own)];
  };
  const first = await run();
  expect(new Set(first).size).toBe(first.length);
  expect(await run()).toEqual(first);
});

test('only files of the folder can be named, and a date needs a snapshot', async () => {
  writeFileSync(join(folder, 'secret.txt'), 'no snapshot');
  for (const web of ['../valley.wacz', '/etc/passwd', 'secret.txt', 'none.wacz', '.wacz', 'a/b.wacz', ','])
    expect(await gateway.admin('PATCH', `/workspaces/${other.workspace}`, { web })).toMatchObject({
      status: 400,
    });
  const { status, body } = await gateway.admin('PATCH', `/workspaces/${other.workspace}`, {
    as_of: '2026-01-15',
  });
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('no snapshot to look back')]);
  expect(await gateway.admin('PATCH', `/workspaces/${own.workspace}`, { as_of: 'soon' })).toMatchObject({
    status: 400,
  });
  const { body: shown } = await gateway.admin('GET', `/workspaces/${other.workspace}`);
  expect(shown).toMatchObject({ web: null, asOf: null });
});

test('a workspace whose snapshot cannot be used is refused, and gets the web when it is set to it', async () => {
  writeFileSync(join(folder, 'broken.wacz'), 'PK no archive');
  await set({ web: 'broken.wacz' });
  const before = gateway.sim.requests.length;
  const [status, body] = await ask(own, '/search', QUERY);
  expect([status, JSON.stringify(body)]).toEqual([
    503,
    expect.stringContaining('broken.wacz of this workspace'),
  ]);
  expect(JSON.stringify(body)).not.toContain(folder);
  expect(await tool(own)).toContain('broken.wacz of this workspace');
  expect(gateway.sim.requests.length).toBe(before);
  rmSync(join(folder, 'broken.wacz'));
  expect((await ask(own, '/search', QUERY))[0]).toBe(503);

  expect(await set({ web: null })).toMatchObject({ body: { web: null, asOf: null } });
  expect((await ask(own, '/search', QUERY))[0]).toBe(200);
  expect(gateway.sim.requests.length).toBe(before + 1);
});
