import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { trimCalls, type LoggedCall } from '../../src/store/calls.ts';
import { runHeadgate } from '../support/cli.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { until } from '../support/until.ts';

const CONFIG = {
  'providers.tavily.api_key': 'tvly-test',
  'search.provider': 'tavily',
  'tiers.pro.calls_free': 0,
};

let gateway: TestGateway;
let caller: Awaited<ReturnType<TestGateway['newKey']>>;
beforeAll(async () => {
  gateway = await createTestGateway({ config: CONFIG });
  caller = await gateway.newKey({ tier: 'pro' });
  await gateway.store.accounts.topUp({ subscription: caller.subscription, amount: 1_000_000 });
});
afterAll(() => gateway.close());

const search = (query: unknown, key = caller.key) =>
  gateway.post('/search', { query }, { authorization: `Bearer ${key}` });
const calls = async (query = ''): Promise<LoggedCall[]> =>
  (await gateway.admin('GET', `/calls?${query}`)).body['calls'] as LoggedCall[];

test('every call over HTTP is one row: charged, from memory, and refused', async () => {
  await search('mills of the log');
  await search('mills of the log');
  await search('');
  const common = { surface: 'http', workspace: caller.workspace, key: caller.id, query: null, answer: null };
  expect(await calls()).toMatchObject([
    { ...common, operation: 'search', outcome: 'invalid', code: 'invalid_request', credits: 0 },
    { ...common, operation: 'search', outcome: 'ok', cached: true, credits: 0, charged: 0 },
    {
      ...common,
      operation: 'search',
      outcome: 'ok',
      cached: false,
      provider: 'tavily',
      credits: 1,
      charged: 8_000,
      attempts: [{ provider: 'tavily', outcome: 'ok' }],
    },
  ]);
  // Who has no key is refused at the door, and is only counted.
  await gateway.post('/search', { query: 'nobody' });
  expect(await calls('limit=500')).toHaveLength(3);
});

test('the attempts of a call say when they began', async () => {
  gateway.sim.script('/tavily', [{ kind: 'status', status: 503, times: 'always' }]);
  const answer = await gateway.post(
    '/search',
    { query: 'weirs of the log', provider: ['tavily', 'duckduckgo'] },
    { authorization: `Bearer ${caller.key}` },
  );
  gateway.sim.reset();
  const [call] = await calls('limit=1');
  const [first, second] = call?.attempts ?? [];
  expect([first?.provider, second?.provider]).toEqual(['tavily', 'duckduckgo']);
  expect(first?.at).toBeGreaterThanOrEqual(0);
  expect(second?.at).toBeGreaterThanOrEqual((first?.at ?? 0) + (first?.ms ?? 0));
  expect((second?.at ?? 0) + (second?.ms ?? 0)).toBeLessThanOrEqual((call?.ms ?? 0) + 1);
  // What a caller gets has no times of the gateway.
  const { attempts: told } = (await answer.json()) as { attempts: object[] };
  expect(told.map((one) => 'at' in one)).toEqual([false, false]);
});

test('queries and answers are kept only where a workspace says so, each by itself, and within their bound', async () => {
  const kept = async (change: object): Promise<LoggedCall | undefined> => {
    const other = await gateway.newKey({ tier: 'pro' });
    await gateway.store.accounts.topUp({ subscription: other.subscription, amount: 1_000_000 });
    const path = `/workspaces/${other.workspace}`;
    expect((await gateway.admin('PATCH', path, change)).status).toBe(200);
    await search(`mills ${JSON.stringify(change)} sk-ant-api03-${'a'.repeat(40)}`, other.key);
    return (await calls(`workspace=${other.workspace}&limit=1`))[0];
  };
  expect(await kept({ keep_queries: true })).toMatchObject({
    query: expect.stringMatching(/^mills .*keep_queries(?!.*sk-ant)/),
    answer: null,
  });
  expect(await calls('text=KEEP_queries')).toHaveLength(1);
  expect(await calls('text=elsewhere')).toEqual([]);
  const answered = await kept({ keep_answers: true });
  expect(answered?.query).toBeNull();
  expect(JSON.parse(answered?.answer ?? '')).toMatchObject({ results: expect.any(Array), outcome: 'ok' });
  const both = await kept({ keep_queries: true, keep_answers: true });
  expect([typeof both?.query, typeof both?.answer]).toEqual(['string', 'string']);
  // What is more than the operator wants goes, the oldest first; the rows stay.
  const rows = (await calls('limit=500')).length;
  const textBytes = Buffer.byteLength(`${both?.query}${both?.answer}`);
  await trimCalls(gateway.store.database, { days: 30, rows: 1_000, textBytes }, Date.now());
  const left = await calls('limit=500');
  expect(left).toHaveLength(rows);
  expect(left.filter(({ query, answer }) => query !== null || answer !== null)).toEqual([both]);
});

test('a workspace key reads the calls of its own workspace only', async () => {
  const admin = await gateway.newKey({ scopes: ['admin:read', 'search'] });
  await search('its own', admin.key);
  const read = (query: string) =>
    gateway.app.request(`http://127.0.0.1/admin/calls?${query}`, {
      headers: { authorization: `Bearer ${admin.key}` },
    });
  const own = (await (await read('')).json()) as { calls: LoggedCall[] };
  expect(own.calls.map(({ workspace }) => workspace)).toEqual([admin.workspace]);
  expect((await read(`workspace=${caller.workspace}`)).status).toBe(403);
});

test('the command line follows the log, by name and by filter', async () => {
  const home = gateway.home;
  const stop = new AbortController();
  let printed = '';
  const heard = (out: string): void => void (printed = out);
  const following = runHeadgate(['calls', '--follow', '--filter', 'outcome=ok'], {
    home,
    heard,
    signal: stop.signal,
  });
  await until(async () => {
    // The first ones may be asked before it listens.
    await search('mills of the log');
    await search('');
    await wait(100);
    return printed !== '';
  });
  stop.abort();
  const { code, out } = await following;
  expect(code).toBe(0);
  for (const line of out.trim().split('\n')) expect(line).toMatch(/  http  Test  search  ok/);
  expect(new Set(out.trim().split('\n')).size).toBe(out.trim().split('\n').length);
});

test('the log and the charts survive a restart, and the command line reads them', async () => {
  const before = await calls('limit=500');
  const home = gateway.home;
  await gateway.stop();
  const list = await runHeadgate(
    ['calls', '--filter', `key=${caller.id}`, '--filter', 'credits=1', '--json'],
    {
      home,
    },
  );
  expect(JSON.parse(list.out)).toMatchObject({
    calls: [{ operation: 'search', credits: 1, charged: 8_000 }],
  });
  const shown = await runHeadgate(['calls', '--limit', '2'], { home });
  expect(shown.out).toMatch(/http +Test +search +ok/);
  expect(shown.err).toMatch(/More: --before \d+\.\d+/);
  expect((await runHeadgate(['calls', '--filter', 'colour=red'], { home })).err).toContain('NAME=VALUE');
  gateway = await createTestGateway({ config: CONFIG, after: gateway });
  expect(await calls('limit=500')).toEqual(before);
  const to = Date.now() + 1;
  const { now } = await gateway.world.history.timeline({
    from: to - 3_600_000,
    to,
    by: 'outcome',
    zoneMs: 0,
  });
  expect(now.calls).toBe(before.length);
});
