import { afterAll, beforeAll, expect, test } from 'vitest';
import { calendarPeriod } from '../../src/store/ledger/calendar.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  const config = {
    'providers.tavily.api_key': 'tvly-test',
    'search.provider': 'tavily',
    'cache.enabled': false,
    'tiers.pro.calls_free': 1_000,
  };
  gateway = await createTestGateway({ config });
});
afterAll(() => gateway.close());

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const ask = (key: string, query: string) => gateway.post('/search', { query }, bearer(key));
const budgetHeaders = (response: Response): (string | null)[] =>
  ['remaining', 'limit', 'unit'].map((name) => response.headers.get(`x-headgate-budget-${name}`));

async function callTool(key: string, path: string, name: string, query: string) {
  const response = await gateway.post(
    path,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: { query } } },
    { ...bearer(key), accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
  );
  const text = await response.text();
  const line = text.split('\n').find((one) => one.startsWith('data:'));
  return (JSON.parse(line === undefined ? text : line.slice(5)) as { result: Record<string, unknown> })
    .result;
}

test('a key stops at its budget: HTTP and MCP say what is left, and the refusal says which budget and until when', async () => {
  const { key, id, workspace } = await gateway.newKey({
    tier: 'pro',
    scopes: ['search', 'extract', 'admin:read', 'admin:write'],
  });
  const body = { workspace, level: 'key', subject: id, amount: 3, period: 'month', zone: 'Asia/Tokyo' };
  expect((await gateway.admin('POST', '/budgets', body)).body).toMatchObject({ left: 3, hard: true });
  await gateway.admin('POST', '/budgets', { workspace, unit: 'money', amount: 80_000, period: '7d' });

  const first = await ask(key, 'weirs');
  expect([first.status, ...budgetHeaders(first)]).toEqual([200, '2', '3', 'credits']);
  expect(Number(first.headers.get('x-headgate-budget-reset'))).toBeGreaterThan(0);
  const told = await callTool(key, '/mcp', 'web_search', 'weirs of old');
  expect(JSON.stringify(told['_meta'])).toContain(
    `"budget":{"level":"key","subject":"${id}","unit":"credits","left":1,"amount":3,`,
  );
  await ask(key, 'weirs again');

  const refused = await ask(key, 'one too many');
  expect([refused.status, ...budgetHeaders(refused)]).toEqual([432, '0', '3', 'credits']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  const { detail } = (await refused.json()) as { detail: { error: string; code: string } };
  expect(detail.code).toBe('limit_reached');
  expect(detail.error).toMatch(
    new RegExp(
      `^Budget used up: 3 of 3 credits used this month by the key ${id}; this call needs up to 1 credit. It renews at \\S+T15:00:00.000Z`,
    ),
  );
  expect(detail.error).toContain('ask the operator to raise the budget');
  const japanese = JSON.stringify(await callTool(key, '/mcp?tools=tavily-ja', 'tavily_search', '予算'));
  expect(japanese).toMatch(/使用 3 \/ 上限 3、キーの予算、次の空き/);

  // A key sees the budgets of its workspace and changes none, whatever its scopes are.
  const own = await gateway.post('/admin/budgets', { ...body, amount: 1_000 }, bearer(key));
  expect(own.status).toBe(403);
  const { body: list } = await gateway.admin('GET', `/budgets?workspace=${workspace}`);
  expect(list['budgets']).toMatchObject([
    { used: 3, left: 0 },
    { unit: 'money', used: 24_000 },
  ]);
  const [{ id: budget }] = list['budgets'] as [{ id: string }];
  await gateway.admin('DELETE', `/budgets/${budget}`);
  expect(budgetHeaders(await ask(key, 'weirs for ever'))).toEqual(['48000', '80000', 'usd-millionths']);
});

test('a budget says what it comes to at this rate, once there is enough to tell', async () => {
  const { workspace } = await gateway.newKey({ tier: 'pro' });
  const { database } = gateway.store;
  const budget = await gateway.store.budgets.set({
    workspace,
    level: 'workspace',
    unit: 'credits',
    amount: 100,
    period: 'month',
  });
  const { start, end } = calendarPeriod('month', 'UTC', Date.now());
  const since = async (created: number, settled: number, held: number) => {
    const use = { [budget.id]: [[[start, settled, held]], end, [start, 0, 0]] };
    await database.write([
      { sql: 'UPDATE budgets SET created = ? WHERE id = ?', values: [created, budget.id] },
      {
        sql: 'UPDATE subscriptions SET budget_use = ? WHERE id = (SELECT subscription FROM workspaces WHERE id = ?)',
        values: [JSON.stringify(use), workspace],
      },
    ]);
    return gateway.store.budgets.get(budget.id);
  };
  // Nothing was spent, or it is too early.
  expect(await since(start, 0, 3)).toMatchObject({ used: 3, reserved: 3, left: 97, forecast: null });
  expect(await since(Date.now() - 60_000, 40, 0)).toMatchObject({ used: 40, reserved: 0, forecast: null });
  const elapsed = Date.now() - start;
  const { forecast } = await since(start, 40, 2);
  const expected = elapsed > 0.05 * (end - start) ? (40 * (end - start)) / elapsed : null;
  expect([forecast === null, Math.abs(Number(forecast) - Number(expected)) < 1]).toEqual([
    expected === null,
    true,
  ]);
});

test.each([
  [{ period: 'week' }, 'is not a period'],
  [{ period: '91d' }, 'is not a period'],
  [{ zone: 'Mars/Olympus' }, 'is not a time zone'],
  [{ level: 'agent', subject: 'nobody' }, 'There is no agent'],
  [{ level: 'person' }, 'person: one line'],
  [{ workspace: 'nobody' }, 'There is no workspace'],
])('a budget that makes no sense is refused: %o', async (wrong, message) => {
  const { workspace } = await gateway.newKey();
  const { status, body } = await gateway.admin('POST', '/budgets', {
    workspace,
    amount: 1,
    period: 'day',
    ...wrong,
  });
  expect(status).toBeGreaterThanOrEqual(400);
  expect(JSON.stringify(body)).toContain(message);
});
