import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { createTestClock } from '../support/clock.ts';
import type { LedgerOperation } from '../../src/store/ledger/types.ts';
import { unavailable } from '../../src/store/ledger/batch-queue.ts';
import { until } from '../support/until.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

/** What was asked of a priced provider is booked, whatever becomes of the caller, the provider, the store or the process. */
const CREDIT = 8_000;
const CONFIG = {
  'providers.tavily.api_key': 'tvly-test',
  'search.provider': 'tavily',
  'cache.enabled': false,
  'tiers.pro.calls_free': 0,
};

let gateway: TestGateway;
let url: string;
/** One gateway for the tests that leave it as it was. */
let shared: { gateway: TestGateway; url: string } | undefined;
afterEach(async () => {
  if (gateway === shared?.gateway) gateway.sim.reset();
  else await gateway.close();
});
afterAll(() => shared?.gateway.close());

/** A new tenant, of the shared gateway or of one with a clock, a configuration or a store of its own. */
async function start(options: {
  tier?: string;
  balance?: number;
  config?: Record<string, unknown>;
  clock?: ReturnType<typeof createTestClock>;
  ownStore?: boolean;
}): Promise<{ authorization: string; subscription: string; workspace: string }> {
  const { tier = 'pro', balance = 0, config, clock, ownStore = false } = options;
  const open = async () => {
    const made = await createTestGateway({
      config: { ...CONFIG, ...config },
      ...(clock === undefined ? {} : { clock }),
    });
    return { gateway: made, url: (await made.listen()).url };
  };
  const isShared = config === undefined && clock === undefined && !ownStore;
  ({ gateway, url } = isShared ? (shared ??= await open()) : await open());
  const { key, subscription, workspace } = await gateway.newKey({ tier });
  if (balance > 0) await gateway.store.accounts.topUp({ subscription, amount: balance });
  return { authorization: `Bearer ${key}`, subscription, workspace };
}

const asked = (path = '/tavily/search'): number =>
  gateway.sim.requests.filter((request) => request.url.pathname === path).length;
const balanceOf = async (subscription: string): Promise<number> =>
  (await gateway.store.accounts.subscription(subscription)).balance;
const statesOf = async (subscription: string): Promise<Record<string, number>> => {
  const rows = await gateway.store.database.read(
    'SELECT state, count(*) AS holds FROM holds WHERE subscription = ? GROUP BY state',
    subscription,
  );
  return Object.fromEntries(rows.map((row) => [String(row.state), Number(row.holds)]));
};
const usageOf = async (subscription: string) => (await gateway.store.reports.usage({ subscription }, []))[0];
const body = async (response: Response): Promise<Record<string, unknown>> =>
  (await response.json()) as Record<string, unknown>;

/** A Tavily answer that says so many credits were used, or nothing about it. */
const answerOf = (credits: number | undefined): string =>
  JSON.stringify({
    query: 'mills',
    results: [{ title: 'Mill', url: 'https://mill.example/', content: 'A mill.', score: 0.9 }],
    response_time: 0.1,
    ...(credits === undefined ? {} : { usage: { credits } }),
  });
const reports = (credits: number | undefined, times: number | 'always' = 1) =>
  gateway.sim.script('/tavily/search', [
    {
      kind: 'status',
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: answerOf(credits),
      times,
    },
  ]);

/** Takes the store away as a disk that is gone does, and puts it back. */
function moveStore(from: string, to: string): void {
  for (const end of ['', '-wal', '-shm', '.mark'])
    if (existsSync(from + end)) renameSync(from + end, to + end);
}

describe('F6: a caller that hangs up', () => {
  test('after the provider was asked pays and is counted for what it asked', async () => {
    const { authorization, subscription } = await start({ tier: 'free' });
    gateway.sim.script('/tavily/search', [{ kind: 'delay', ms: 60, times: 'always' }]);
    const statuses: (number | string)[] = [];
    for (let call = 0; call < 14; call += 1) {
      const before = asked();
      const leaving = new AbortController();
      const answered = fetch(`${url}/search`, {
        method: 'POST',
        headers: { authorization },
        body: JSON.stringify({ query: `mill ${call}` }),
        signal: leaving.signal,
      }).then(
        (response) => response.status,
        () => 'gone',
      );
      await Promise.race([answered, until(() => asked() > before, 20_000)]);
      leaving.abort();
      statuses.push(await answered);
    }
    expect(statuses).toEqual([...Array<string>(10).fill('gone'), 432, 432, 432, 432]);
    await until(async () => (await statesOf(subscription))['settled'] === 10);
    expect({ asked: asked(), usage: await usageOf(subscription) }).toMatchObject({
      asked: 10,
      usage: { calls: 10, counted: 10, credits: 10 },
    });
  });

  test('under an idempotency key comes back for the answer, and is charged once', async () => {
    const { authorization, subscription } = await start({ balance: 10 * CREDIT });
    gateway.sim.script('/tavily/search', [{ kind: 'delay', ms: 60 }]);
    const headers = { authorization, 'idempotency-key': 'k' };
    const search = (signal?: AbortSignal): Promise<Response> =>
      fetch(`${url}/search`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ query: 'tidal mills' }),
        ...(signal === undefined ? {} : { signal }),
      });
    const leaving = new AbortController();
    const gone = search(leaving.signal).catch(() => 'gone');
    await until(() => asked() === 1);
    leaving.abort();
    expect(await gone).toBe('gone');
    await until(async () => (await search()).status === 200);
    expect((await body(await search()))['results']).not.toEqual([]);
    expect({ asked: asked(), balance: await balanceOf(subscription) }).toEqual({
      asked: 1,
      balance: 9 * CREDIT,
    });
  });

  test('with its own shorter timeout is answered in time, and what it asked is charged', async () => {
    const { authorization, subscription } = await start({ balance: 10 * CREDIT });
    gateway.sim.script('/tavily/extract', [{ kind: 'delay', ms: 1_300 }]);
    const response = await gateway.post(
      '/extract',
      { urls: ['https://mill.example/'], provider: 'tavily', timeout: 1 },
      { authorization },
    );
    expect(JSON.stringify(await body(response))).toMatch(/ran out of time|did not answer/);
    expect(await statesOf(subscription)).toEqual({ open: 1 });
    await until(async () => (await statesOf(subscription))['settled'] === 1);
    expect(await balanceOf(subscription)).toBe(9 * CREDIT);
  });
});

describe('a provider', () => {
  test('that reports a million credits is charged four times the reservation, and the operator is told the rest', async () => {
    const { authorization, subscription } = await start({ balance: 10 * CREDIT });
    reports(1_000_000);
    const answer = await body(await gateway.post('/search', { query: 'mills' }, { authorization }));
    expect(answer['cost']).toMatchObject({ credits: 4, charged: 4 * CREDIT, balance_after: 6 * CREDIT });
    expect(await balanceOf(subscription)).toBe(6 * CREDIT);
    const { body: told } = await gateway.admin('GET', `/ledger?subscription=${subscription}`);
    expect(JSON.stringify(told)).toContain('the provider reported 1000000 credits, 4 were charged');
  });

  test('that is asked by 64 callers at once with credit for 3 is asked 3 times', async () => {
    const { authorization, subscription } = await start({ balance: 5_000 * CREDIT });
    const search = (query: string): Promise<Response> =>
      gateway.post('/search', { query }, { authorization });
    // An account that had plenty a moment ago.
    expect((await search('first')).status).toBe(200);
    const left = await balanceOf(subscription);
    await gateway.store.accounts.topUp({ subscription, amount: 3 * CREDIT - left });
    const statuses = await Promise.all(
      Array.from({ length: 64 }, async (_, index) => (await search(`mill ${index}`)).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect(asked()).toBe(1 + 3);
    expect(await balanceOf(subscription)).toBe(0);
  });

  test.each([
    ['times out', { kind: 'hang' }],
    ['breaks the connection', { kind: 'reset' }],
  ] as const)(
    'that %s leaves a request in doubt: the tenant pays nothing, the operator sees it',
    async (_name, fault) => {
      const clock = createTestClock();
      const { authorization, subscription } = await start({ balance: 10 * CREDIT, clock });
      gateway.sim.script('/tavily/search', [fault]);
      const { services } = gateway.parts;
      const upstream = services.upstream;
      // The provider's own time is short, so that the test need not wait for it.
      services.upstream = {
        send: (request, options) => upstream.send(request, { ...options, timeoutMs: 500 }),
      };
      const response = await gateway.post('/search', { query: 'mills' }, { authorization });
      expect(response.status).toBeGreaterThanOrEqual(500);
      expect(await statesOf(subscription)).toEqual({ doubt: 1 });
      expect(await balanceOf(subscription)).toBe(10 * CREDIT);
      const { body: listed } = await gateway.admin('GET', '/in-doubt');
      expect(listed).toMatchObject({ requests: [{ subscription, provider: 'tavily', credits: 1 }] });
      const [{ id }] = listed['requests'] as [{ id: string }];
      const resolved = await gateway.admin('POST', `/in-doubt/${id}`, { billed: true, credits: 1 });
      expect(resolved).toMatchObject({ status: 200, body: { verdict: 'billed', billed: 1 } });
      expect((await gateway.admin('GET', '/in-doubt')).body).toEqual({ requests: [] });
    },
  );

  test('that refuses or sends what nobody can read is not charged, and nothing is in doubt', async () => {
    const { authorization, subscription } = await start({ balance: 10 * CREDIT });
    gateway.sim.script('/tavily/search', [
      { kind: 'status', status: 400 },
      { kind: 'status', status: 503 },
      { kind: 'empty' },
    ]);
    for (let call = 0; call < 3; call += 1)
      await gateway.post('/search', { query: `mill ${call}` }, { authorization });
    expect({ asked: asked(), states: await statesOf(subscription) }).toEqual({
      asked: 3,
      states: { released: 3 },
    });
  });
});

describe('a store that is gone', () => {
  test('while calls are at the provider: none is delivered free, all are in doubt', async () => {
    const { authorization, subscription } = await start({ balance: 100 * CREDIT, ownStore: true });
    gateway.sim.script('/tavily/search', [{ kind: 'delay', ms: 400, times: 'always' }]);
    const calls = Array.from({ length: 8 }, (_, index) =>
      gateway.post('/search', { query: `mill ${index}` }, { authorization }),
    );
    await until(() => asked() === 8);
    const path = join(gateway.home, 'headgate.db');
    moveStore(path, `${path}.away`);
    const statuses = (await Promise.all(calls)).map((response) => response.status);
    expect(new Set(statuses)).toEqual(new Set([503]));
    const before = asked();
    expect((await gateway.post('/search', { query: 'more' }, { authorization })).status).toBe(503);
    expect(asked()).toBe(before);
    moveStore(`${path}.away`, path);
    await gateway.engine.meter?.sweep();
    expect(await statesOf(subscription)).toEqual({ doubt: 8 });
    expect(await gateway.store.accounts.subscription(subscription)).toMatchObject({
      balance: 100 * CREDIT,
      reserved: 0,
    });
  });

  test('because its disk is full: the gateway is not ready, and the provider is not blamed', async () => {
    const { authorization } = await start({ balance: 1_000 * CREDIT, ownStore: true });
    const { database } = gateway.store;
    const pages = async (most: number) =>
      void (await database.write([{ sql: `PRAGMA max_page_count = ${most}` }]));
    const ready = async (): Promise<number> => (await gateway.app.request('http://127.0.0.1/readyz')).status;
    const search = async (query: string): Promise<number> =>
      (await gateway.post('/search', { query }, { authorization })).status;
    expect(await ready()).toBe(200);
    await pages(1);
    let failed = 0;
    for (let call = 0; call < 300 && failed < 12; call += 1)
      if ((await search(`full ${call}`)) === 503) failed += 1;
    expect(failed).toBe(12);
    await until(async () => (await ready()) === 503);
    await pages(1_000_000);
    await until(async () => (await ready()) === 200);
    expect(await search('room again')).toBe(200);
  });
});

describe('a gateway that dies', () => {
  test('at any write: one idempotency key is charged once, and what was asked is charged, released or in doubt', async () => {
    const clock = createTestClock();
    const { authorization, subscription } = await start({ balance: 1_000 * CREDIT, clock });
    let sound = 0;
    for (let survives = 0; survives < 8; survives += 1) {
      const key = `key-${survives}`;
      const before = asked();
      const charged = async (): Promise<number> => {
        const rows = await gateway.store.database.read(
          "SELECT count(*) AS charges FROM ledger WHERE kind = 'charge' AND subscription = ?",
          subscription,
        );
        return Number(rows[0]?.charges);
      };
      const chargedBefore = await charged();
      const { database } = gateway.store;
      const { book } = database;
      let written = 0;
      database.book = async (operation: LedgerOperation) => {
        if (written >= survives) throw unavailable('it is gone');
        written += 1;
        return book(operation);
      };
      const headers = { authorization, 'idempotency-key': key };
      const first = await gateway.post('/search', { query: `mill ${key}` }, headers);
      await gateway.stop();
      gateway = await createTestGateway({
        config: CONFIG,
        clock,
        after: gateway,
      });
      clock.advance(400_000);
      await gateway.engine.meter?.sweep();
      // Whoever got an answer, or none, asks again under the same key.
      const again = await gateway.post('/search', { query: `mill ${key}` }, headers);
      const charges = (await charged()) - chargedBefore;
      expect({ survives, first: first.status, again: again.status, charges }).toMatchObject({
        again: 200,
        charges: 1,
      });
      const states = await statesOf(subscription);
      const ended = Object.entries(states).reduce(
        (sum, [state, holds]) => sum + (state === 'open' ? 0 : holds),
        0,
      );
      expect(states['open'] ?? 0).toBe(0);
      expect(ended).toBeGreaterThanOrEqual(asked() - before);
      sound += 1;
    }
    expect(sound).toBe(8);
  });
});

describe('a clock that is set', () => {
  test('back by five minutes refuses nobody for longer than a minute', async () => {
    const clock = createTestClock();
    const { authorization } = await start({
      balance: 1_000 * CREDIT,
      clock,
      config: { 'server.requests_per_minute': 5 },
    });
    const search = async (query: string): Promise<number> =>
      (await gateway.post('/search', { query }, { authorization })).status;
    for (let call = 0; call < 5; call += 1) expect(await search(`mill ${call}`)).toBe(200);
    expect(await search('one too many')).toBe(429);
    clock.advance(-300_000);
    clock.advance(60_000);
    expect(await search('a minute later')).toBe(200);
  });

  test.each([
    ['goes on', false],
    ['is started again', true],
  ])(
    'ten years forward and back, for a gateway that %s, refuses nobody for longer than the window and never reopens it',
    async (_, restarts) => {
      const clock = createTestClock();
      const { authorization } = await start({ tier: 'free', clock });
      const search = async (query: string): Promise<Response> =>
        gateway.post('/search', { query }, { authorization });
      const TEN_YEARS_MS = 3_652 * 86_400_000;
      clock.advance(TEN_YEARS_MS);
      for (let call = 0; call < 10; call += 1) expect((await search(`mill ${call}`)).status).toBe(200);
      clock.advance(-TEN_YEARS_MS);
      if (restarts) {
        await gateway.stop();
        gateway = await createTestGateway({ config: CONFIG, clock, after: gateway });
      }
      const refused = await search('the eleventh');
      expect(refused.status).toBe(432);
      const told = JSON.stringify(await body(refused));
      expect(told).toMatch(
        /10 of 10 calls used in the rolling day, counted by the hour\. The next slot frees at 2026-01-0[12]T/,
      );
      clock.advance(25 * 3_600_000);
      expect((await search('a window later')).status).toBe(200);
    },
  );
});

describe('idempotency keys', () => {
  test('belong to whoever used them: another workspace of the same subscription gets its own answer', async () => {
    const { authorization, subscription } = await start({ balance: 10 * CREDIT });
    const other = await gateway.store.accounts.createWorkspace({ name: 'Other', subscription });
    const { key } = await gateway.store.keys.create({ workspace: other.id, label: 'other' });
    const search = async (who: string) =>
      body(
        await gateway.post('/search', { query: 'mills' }, { authorization: who, 'idempotency-key': 'same' }),
      );
    const first = await search(authorization);
    const theirs = await search(`Bearer ${key}`);
    expect(theirs['request_id']).not.toBe(first['request_id']);
    expect(asked()).toBe(2);
    expect((await search(authorization))['request_id']).toBe(first['request_id']);
  });

  type Sent = (key: string) => { headers?: Record<string, string>; meta?: object };
  test.each<[string, Sent]>([
    ['in the header', (key: string) => ({ headers: { 'idempotency-key': key } })],
    ['in `_meta`', (key: string) => ({ meta: { 'headgate/idempotency-key': key } })],
    [
      'in `_meta` of a request with another one in the header',
      (key: string) => ({
        headers: { 'idempotency-key': crypto.randomUUID() },
        meta: { 'headgate/idempotency-key': key },
      }),
    ],
  ])('%s hold on MCP: the same call is asked and charged once, another one is refused', async (_, sent) => {
    const { authorization, subscription } = await start({ balance: 10 * CREDIT });
    const send = async (query: string, key: string): Promise<string> => {
      const { headers, meta } = sent(key);
      const response = await fetch(`${url}/mcp?tools=tavily`, {
        method: 'POST',
        headers: {
          authorization,
          ...headers,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: {
            name: 'tavily_search',
            arguments: { query },
            ...(meta === undefined ? {} : { _meta: meta }),
          },
        }),
      });
      const text = await response.text();
      return /^data: (.*)$/m.exec(text)?.[1] ?? text;
    };
    type Result = { content: { text: string }[]; _meta: Record<string, unknown> };
    const call = async (query: string) =>
      (JSON.parse(await send(query, 'once')) as { result: Result }).result;
    const first = await call('tidal mills');
    const second = await call('tidal mills');
    expect(second.content).toEqual(first.content);
    expect({ asked: asked(), balance: await balanceOf(subscription) }).toEqual({
      asked: 1,
      balance: 9 * CREDIT,
    });
    expect(first._meta['headgate/result']).toMatchObject({
      cost: { credits: 1, charged: CREDIT, free: false, balance_after: 9 * CREDIT },
    });
    expect(second._meta['headgate/result']).toMatchObject({
      cost: { charged: 0, balance_after: 9 * CREDIT },
    });
    expect(JSON.stringify(await call('another question'))).toContain('idempotency key was used before');
    expect(asked()).toBe(1);
    expect(await send('tidal mills', 'x'.repeat(201))).toMatch(/idempotency.key: (one line|1–200)/i);
    expect(asked()).toBe(1);
  });

  test('make one row in the usage', async () => {
    const { authorization, subscription } = await start({ balance: 10 * CREDIT });
    await gateway.post('/search', { query: 'mills' }, { authorization, 'idempotency-key': 'k' });
    const rows = await gateway.store.reports.usage({ subscription }, ['provider']);
    expect(rows.map((row) => [row.group.provider, row.calls])).toEqual([['tavily', 1]]);
  });
});

describe('what a call is said to cost', () => {
  test('is what was booked: a free call costs nothing', async () => {
    const { authorization, subscription } = await start({ tier: 'starter', balance: 10 * CREDIT });
    const answer = await body(await gateway.post('/search', { query: 'mills' }, { authorization }));
    expect(answer['cost']).toEqual({
      credits: 1,
      charged: 0,
      free: true,
      balance_after: 10 * CREDIT,
      calls_left: 9,
    });
    expect(await balanceOf(subscription)).toBe(10 * CREDIT);
  });

  test('is what was booked: an answer without usage costs its estimate', async () => {
    const { authorization, subscription } = await start({ balance: 10 * CREDIT });
    reports(undefined);
    const asking = { query: 'mills', include_usage: true };
    const answer = await body(await gateway.post('/search', asking, { authorization }));
    expect(answer['usage']).toEqual({ credits: 1 });
    expect(answer['cost']).toMatchObject({ credits: 1, charged: CREDIT, balance_after: 9 * CREDIT });
    expect(await balanceOf(subscription)).toBe(9 * CREDIT);
  });
});

describe('a fetch', () => {
  test('that got no content uses up nothing of the allowance', async () => {
    const { authorization, subscription } = await start({ tier: 'free' });
    const read = (host: string): Promise<Response> =>
      gateway.post('/extract', { urls: [`https://${host}/`], provider: 'tavily' }, { authorization });
    for (let call = 0; call < 12; call += 1) expect((await read(`gone${call}.example`)).status).toBe(200);
    expect(asked('/tavily/extract')).toBe(12);
    expect(await usageOf(subscription)).toMatchObject({ calls: 0, counted: 0, returned: 12 });
    const answer = await body(await read('mill.example'));
    expect(answer).toMatchObject({ outcome: 'ok', cost: { charged: 0, calls_left: 9 } });
  });
});
