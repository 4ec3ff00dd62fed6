import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestClock } from '../support/clock.ts';
import { LIMITS } from '../../src/core/limits.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await createTestGateway({ config: { 'providers.tavily.api_key': 'tvly-operator-key' } });
});
afterAll(() => gateway.close());

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe('the admin API', () => {
  test('makes a workspace, an agent, a key and credits, and shows what was used', async () => {
    const workspace = (await gateway.admin('POST', '/workspaces', { name: 'Team', tier: 'pro' })).body;
    const agent = await gateway.admin('POST', '/agents', {
      workspace: workspace['id'],
      name: 'Reader',
      settings: { searchWebProvider: 'tavily', fetchWebProvider: null },
    });
    expect(agent.body).toMatchObject({ settings: { searchWebProvider: 'tavily', fetchWebProvider: null } });
    const made = await gateway.admin('POST', '/keys', {
      workspace: workspace['id'],
      label: 'laptop',
      agent: agent.body['id'],
    });
    const key = made.body['key'] as string;
    const subscription = String(workspace['subscription']);
    const topUp = await gateway.admin('POST', `/subscriptions/${subscription}/top-up`, {
      amount: 1_000_000,
      reference: 'invoice 1',
    });
    expect(topUp.body).toEqual({ balance: 1_000_000, already: false });
    // The first ten calls are free; the eleventh costs a credit.
    for (let index = 0; index < 11; index += 1) {
      const response = await gateway.post('/search', { query: `tidal mills ${index}` }, bearer(key));
      expect(response.status).toBe(200);
    }
    const usage = await gateway.admin('GET', `/usage?by=agent,provider&workspace=${String(workspace['id'])}`);
    expect(usage.body).toMatchObject({
      usage: [
        {
          group: { agent: agent.body['id'], provider: 'tavily' },
          calls: 11,
          free: 10,
          credits: 11,
          charged: 8_000,
        },
      ],
    });
    const ledger = await gateway.admin('GET', `/ledger?subscription=${subscription}`);
    expect(ledger.body['entries']).toMatchObject([
      { kind: 'charge', amount: -8_000, balance: 992_000 },
      { kind: 'grant', amount: 1_000_000 },
    ]);
    expect((await gateway.admin('GET', '/holds')).body).toEqual({ holds: [] });
    const own = await gateway.app.request('http://127.0.0.1/usage', { headers: bearer(key) });
    expect(await own.json()).toMatchObject({
      key: { usage: 11, limit: null, search_usage: 11, extract_usage: 0 },
      account: { current_plan: 'pro', plan_usage: 11, paygo_usage: 1, paygo_limit: 125 },
    });
    const calls = (await gateway.admin('GET', '/calls?limit=1')).body['calls'];
    expect(calls).toMatchObject([
      { operation: 'search', outcome: 'ok', agent: agent.body['id'], credits: 1 },
    ]);
  });

  test('lists and shows what there is, without any secret', async () => {
    const paths = [
      '/subscriptions',
      '/workspaces',
      '/agents',
      '/keys',
      '/providers',
      '/config',
      '/doctor',
      '/status',
    ];
    for (const path of paths) {
      const { status, body } = await gateway.admin('GET', path);
      expect(status).toBe(200);
      const text = JSON.stringify(body);
      expect(text).not.toContain('tvly-operator-key');
      expect(text).not.toMatch(/hg_live_\w{8}_/);
    }
    const { body } = await gateway.admin('GET', '/providers');
    expect(body['providers']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 'tavily', priced: true, keys: 1 }),
        expect.objectContaining({ id: 'local', keys: 0 }),
        expect.objectContaining({ id: 'headgate', keys: 0 }),
      ]),
    );
    const [first] = body['providers'] as { health: { state: string } }[];
    expect(first?.health.state).toBe('ok');
  });

  test('keeps people without the token out', async () => {
    const ask = (headers: Record<string, string>) =>
      gateway.app.request('http://127.0.0.1/admin/keys', { headers });
    expect((await ask({})).status).toBe(401);
    const { key } = await gateway.newKey();
    expect((await ask(bearer(key))).status).toBe(403);
    const reader = await gateway.newKey({ scopes: ['admin:read'] });
    expect((await ask(bearer(reader.key))).status).toBe(200);
    const write = await gateway.post(
      '/admin/keys',
      { workspace: reader.workspace, label: 'X' },
      bearer(reader.key),
    );
    expect(write.status).toBe(403);
  });

  test('wrong tokens never lock out the right one; their refusals come later and later', async () => {
    const clock = createTestClock(Date.now());
    const guessed = await createTestGateway({ clock });
    try {
      const codes = new Set<number>();
      for (let guess = 0; guess < 50; guess += 1)
        codes.add(
          (await guessed.app.request('http://127.0.0.1/admin/keys', { headers: bearer(`guess-${guess}`) }))
            .status,
        );
      expect([...codes]).toEqual([401]);
      expect(clock.slept.at(-1)).toBe(LIMITS.guessDelayMsMax);
      expect((await guessed.admin('GET', '/keys')).status).toBe(200);
    } finally {
      await guessed.close();
    }
  });

  test.each([
    ['an unknown tier', 'POST', '/workspaces', { name: 'X', tier: 'gold' }, 400],
    ['an unknown field', 'POST', '/workspaces', { name: 'X', colour: 'red' }, 400],
    ['a fraction of a millionth', 'POST', '/subscriptions/x/top-up', { amount: 0.5 }, 400],
    ['an unknown workspace', 'GET', '/workspaces/nobody', undefined, 404],
    ['an agent in no workspace', 'POST', '/agents', { name: 'X', workspace: 'nobody' }, 404],
    ['an unknown group', 'GET', '/usage?by=colour', undefined, 400],
  ])('refuses %s', async (_name, method, path, body, expected) => {
    const answer = await gateway.admin(method, path, body);
    expect(answer.status).toBe(expected);
    expect(answer.body).toHaveProperty('detail.error');
  });
});
