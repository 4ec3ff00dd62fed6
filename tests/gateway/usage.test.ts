import { afterAll, beforeAll, expect, test } from 'vitest';
import { createModelSim } from '../../src/sim/model.ts';
import { startSim, type Sim } from '../../src/sim/server.ts';
import { USAGE_GROUPS, type UsageRow } from '../../src/store/reports.ts';
import { runHeadgate } from '../support/cli.ts';
import { ADMIN, createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { createMovableClock } from '../support/movable-clock.ts';

const DAY_MS = 86_400_000;
const clock = createMovableClock();
let gateway: TestGateway;
let model: Sim;
let caller: Awaited<ReturnType<TestGateway['newKey']>>;
beforeAll(async () => {
  model = await startSim({ upstreams: [createModelSim()] });
  gateway = await createTestGateway({
    clock,
    config: (sim) => ({
      'providers.brave.api_key': 'BSA-test',
      'providers.brave.base_url': `${sim}/brave`,
      'providers.brave.credit_price': 8_000,
      'cache.enabled': false,
      'tiers.pro.calls_free': 0,
      'model.provider': 'openai',
      'model.base_url': `${model.url}/model/v1`,
      'model.api_key': 'sk-test-key-1234567890',
      'model.model': 'sim-1',
      'model.input_price': 2_000_000,
      'model.output_price': 8_000_000,
    }),
  });
  caller = await gateway.newKey({ tier: 'pro' });
  await gateway.store.accounts.topUp({ subscription: caller.subscription, amount: 1_000_000 });
  for (const [path, body] of [
    ['/search', { query: 'mills' }],
    ['/search', { query: 'rust programming', include_answer: true }],
    ['/extract', { urls: ['https://mill.example/'] }],
  ] as const)
    await gateway.post(path, body, { authorization: `Bearer ${caller.key}` });
  await gateway.engine.meter?.flush();
});
afterAll(async () => {
  await gateway.close();
  await model.close();
});

const get = (path: string) =>
  gateway.app.request(`http://127.0.0.1/admin${path}`, { headers: { authorization: `Bearer ${ADMIN}` } });
const usage = async (query: string): Promise<UsageRow[]> =>
  ((await (await get(`/usage?${query}`)).json()) as { usage: UsageRow[] }).usage;

test('usage has every grouping, with the tokens of the model and their price beside the credits', async () => {
  const [total] = await usage('');
  expect(total).toMatchObject({ calls: 3, credits: 2, charged: 16_000 });
  const { tokensIn = 0, tokensOut = 0, modelCost } = total ?? {};
  expect([tokensIn > 0, tokensOut > 0]).toEqual([true, true]);
  expect(modelCost).toBe(Math.round(tokensIn * 2 + tokensOut * 8));
  for (const group of USAGE_GROUPS) {
    const rows = await usage(`by=${group}`);
    expect(rows.map((row) => Object.keys(row.group))).toEqual(rows.map(() => [group]));
    for (const field of ['calls', 'credits', 'charged', 'tokensIn', 'modelCost'] as const)
      expect([group, field, rows.reduce((sum, row) => sum + row[field], 0)]).toEqual([
        group,
        field,
        total?.[field],
      ]);
  }
  expect((await usage('by=operation')).map(({ group }) => group.operation)).toEqual([
    'fetch',
    'model',
    'search',
  ]);
  expect(await usage('by=provider&operation=model')).toMatchObject([
    { group: { provider: 'sim-1' }, calls: 0 },
  ]);
  const { body } = await gateway.admin('GET', `/calls?tokens=1`);
  expect(body['calls']).toMatchObject([{ operation: 'search', tokens: tokensIn + tokensOut }]);
});

test('the API exports pages of CSV, and CloudEvents of days that are over', async () => {
  const lines: string[] = [];
  let next = '';
  do {
    const page = await get(`/usage/export?limit=1${next === '' ? '' : `&after=${next}`}`);
    expect(page.headers.get('content-type')).toContain('text/csv');
    lines.push(...(await page.text()).trim().split('\r\n'));
    next = page.headers.get('x-headgate-next') ?? '';
  } while (next !== '');
  expect(lines[0]).toMatch(/^day,subscription,workspace,agent,key,person,provider,operation,calls,/);
  expect(lines).toHaveLength(4);
  expect(lines.find((line) => line.includes(',brave,search,'))).toContain(',search,2,0,2,16000,0,0,0,0');
  expect(await (await get('/usage/export?format=cloudevents')).json()).toEqual([]);
  clock.move(DAY_MS);
  const batch = await get(`/usage/export?format=cloudevents&workspace=${caller.workspace}`);
  expect(batch.headers.get('content-type')).toBe('application/cloudevents-batch+json');
  const events = (await batch.json()) as { id: string; data: Record<string, unknown> }[];
  expect(events).toHaveLength(3);
  expect(events).toContainEqual({
    specversion: '1.0',
    id: expect.stringMatching(/^use_[0-9a-f]{32}$/),
    source: `/headgate/workspaces/${caller.workspace}`,
    type: 'headgate.usage',
    subject: caller.workspace,
    time: expect.stringMatching(/T00:00:00\.000Z$/),
    datacontenttype: 'application/json',
    data: expect.objectContaining({
      provider: 'brave',
      operation: 'search',
      key: caller.id,
      charged: 16_000,
    }),
  });
  expect((await get('/usage/export?after=nonsense')).status).toBe(400);
});

test('the command line shows and exports the same', async () => {
  const { home } = gateway;
  const shown = await runHeadgate(['usage', '--by', 'operation,day'], { home });
  expect(shown.out).toMatch(/operation +day +calls .*tokens in +tokens out +model cost/);
  expect(shown.out).toMatch(/search +\d{4}-\d\d-\d\d +2 +0 +2 +0 +\$0\.016/);
  const csv = await runHeadgate(['usage', 'export'], { home });
  expect(csv.out).toBe(await (await get('/usage/export')).text());
  const to = new Date(clock.now() + 3 * DAY_MS).toISOString().slice(0, 10);
  const events = await runHeadgate(['usage', 'export', '--format', 'cloudevents', '--to', to], { home });
  // The machine's own day is not over.
  expect(events).toMatchObject({ code: 0, out: '' });
  expect((await runHeadgate(['usage', 'export', '--format', 'xml'], { home })).err).toContain('not one of');
  expect((await runHeadgate(['usage', '--by', 'colour'], { home })).err).toContain('operation, day, hour');
});
