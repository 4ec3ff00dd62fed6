import { setTimeout as wait } from 'node:timers/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sentenceOf } from '../../src/meter/webhook-message.ts';
import { EVENT_KINDS, listEvents, type EventKind } from '../../src/store/events.ts';
import { createTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { createMovableClock } from '../support/movable-clock.ts';
import { until } from '../support/until.ts';

/** What the receiver got: each message by its ID, as often as it came. */
interface Message {
  id: string;
  type: string;
  subject: string;
  source: string;
  data: Record<string, unknown>;
}

const HOUR_MS = 3_600_000;
const PRICE = 8_000;
const clock = createMovableClock();
const received: Message[] = [];
const never = new AbortController().signal;
let gateway: TestGateway;
let receiver: Server;
let webhook = '';

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      received.push(JSON.parse(body) as Message);
      response.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  gateway = await createTestGateway({
    clock,
    config: {
      'guard.allow': ['127.0.0.1'],
      'guard.ports': [port],
      'providers.tavily.api_key': ['tvly-quota', 'tvly-test'],
      'providers.duckduckgo.enabled': false,
      'search.provider': 'tavily',
      'cache.enabled': false,
      'tiers.pro.calls_free': 0,
      'tiers.starter.calls_free': 1_000,
    },
  });
  const made = await gateway.admin('POST', '/webhooks', { url: `http://127.0.0.1:${port}/` });
  webhook = (made.body['webhook'] as { id: string }).id;
});
afterAll(async () => {
  await gateway.close();
  receiver.closeAllConnections();
  receiver.close();
});

const post = (path: string, body: object, key: string) =>
  gateway.post(path, body, { authorization: `Bearer ${key}` });
let queries = 0;
const search = (key: string) => post('/search', { query: `mills ${(queries += 1)}` }, key);
const failing = async (key: string, times: number): Promise<void> => {
  gateway.sim.script(
    '/tavily',
    Array.from({ length: 2 * times }, () => ({ kind: 'status', status: 503 })),
  );
  for (let call = 0; call < times; call += 1) await search(key);
  gateway.sim.reset();
};
const newKey = async (workspace: string, more: object = {}): Promise<{ id: string }> => {
  const { body } = await gateway.admin('POST', '/keys', { workspace, label: 'of the test', ...more });
  return body['record'] as { id: string };
};
const paying = async (amount: number) => {
  const caller = await gateway.newKey({ tier: 'pro' });
  await gateway.admin('POST', `/subscriptions/${caller.subscription}/top-up`, { amount });
  await search(caller.key);
  return caller.subscription;
};
const budgeted = async (amount: number, calls: number) => {
  const { key, workspace } = await gateway.newKey({ tier: 'starter' });
  const { body } = await gateway.admin('POST', '/budgets', { workspace, amount, period: 'day' });
  for (let call = 0; call < calls; call += 1) await search(key);
  return body['id'] as string;
};

/** How somebody who uses the gateway makes each kind of event happen; the answer is its subject. */
const HOW: Record<EventKind, () => Promise<string>> = {
  'budget.threshold': () => budgeted(2, 1),
  'budget.exhausted': () => budgeted(1, 2),
  'balance.exhausted': () => paying(PRICE),
  'balance.days_left': async () => {
    const subscription = await paying(5 * PRICE);
    clock.move(HOUR_MS);
    return subscription;
  },
  'key.created': async () => (await newKey((await gateway.newKey()).workspace)).id,
  'key.revoked': async () => {
    const { id } = await newKey((await gateway.newKey()).workspace);
    await gateway.admin('DELETE', `/keys/${id}`);
    return id;
  },
  'key.expiring': async () => {
    const expires = Math.floor(clock.now()) + 72 * HOUR_MS;
    const { id } = await newKey((await gateway.newKey()).workspace, { expires });
    clock.move(HOUR_MS);
    return id;
  },
  'provider.down': async () => {
    await failing((await gateway.newKey({ tier: 'starter' })).key, 6);
    return 'tavily';
  },
  'provider.up': async () => {
    clock.move(HOUR_MS);
    await search((await gateway.newKey({ tier: 'starter' })).key);
    return 'tavily';
  },
  'provider.key_exhausted': async () => {
    await search((await gateway.newKey({ tier: 'starter' })).key);
    return 'tavily key 1';
  },
  'calls.failing': async () => {
    const { key, workspace } = await gateway.newKey({ tier: 'starter' });
    await failing(key, 20);
    clock.move(HOUR_MS / 60);
    return workspace;
  },
  'policy.denied': async () => {
    const { key, workspace } = await gateway.newKey({ tier: 'starter' });
    const rules = { operations: ['search'], deny: ['mill.example'] };
    await gateway.admin('POST', '/policies', { workspace, rules });
    clock.move(1_001);
    for (const url of ['https://mill.example/', 'https://weir.example/'])
      await post('/extract', { urls: [url] }, key);
    clock.move(HOUR_MS + 300_000);
    return workspace;
  },
  'research.done': async () => {
    const { key } = await gateway.newKey({ tier: 'starter' });
    const answer = await post(
      '/research',
      { input: 'When was the noresult mill built?', model: 'mini' },
      key,
    );
    return ((await answer.json()) as { request_id: string }).request_id;
  },
  'crawl.done': async () => {
    const { key } = await gateway.newKey({ tier: 'starter' });
    const answer = await post('/crawl', { url: 'https://mill.example/' }, key);
    return ((await answer.json()) as { request_id: string }).request_id;
  },
  'webhook.test': async () => {
    await gateway.admin('POST', `/webhooks/${webhook}/test`);
    return webhook;
  },
};

const delivered = (kind: string, subject: string): Message[] =>
  received.filter((one) => one.type === `headgate.${kind}` && one.subject === subject);
const round = async (): Promise<void> => {
  await gateway.engine.services.meter?.calls?.flush();
  await gateway.engine.alerts?.deliver(never);
};

test.each(Object.keys(EVENT_KINDS) as EventKind[])(
  '%s is raised through the gateway, and delivered',
  async (kind) => {
    const subject = await HOW[kind]();
    await until(async () => {
      await round();
      if (delivered(kind, subject).length > 0) return true;
      // Only a research takes time.
      await wait(50);
      return false;
    });
    const [event] = (await listEvents(gateway.store.database)).filter(
      (one) => one.kind === kind && one.subject === subject,
    );
    const sentence = event === undefined ? kind : sentenceOf(event);
    expect(sentence).toMatch(/^[A-Z\d].{20,}\.( \(workspace \S+\))?$/);
    expect(sentence).not.toMatch(/ {2}|\( ?\)|undefined|null/);
  },
  30_000,
);

test('what lasts is reported once in its period, and nothing twice', async () => {
  const again: EventKind[] = ['provider.key_exhausted', 'calls.failing'];
  const before = received.length;
  await HOW['provider.key_exhausted']();
  clock.move(HOUR_MS / 60);
  for (let time = 0; time < 3; time += 1) await round();
  const told = received.slice(before).map(({ type }) => type);
  expect(again.filter((kind) => told.includes(`headgate.${kind}`))).toEqual([]);
  expect(new Set(received.map(({ id }) => id)).size).toBe(received.length);
});

test('the digest of the policy counts the calls of one hour by rule, once, and only for who had any', async () => {
  const digests = async (workspace: string) =>
    (await listEvents(gateway.store.database, workspace))
      .filter(({ kind }) => kind === 'policy.denied')
      .map(({ data }) => data)
      .toReversed();
  const [one, quiet] = [await gateway.newKey({ tier: 'starter' }), await gateway.newKey({ tier: 'starter' })];
  const allow = (rules: object) => gateway.admin('POST', '/policies', { workspace: one.workspace, rules });
  const ask = (url: string, key = one.key) => post('/extract', { urls: [url], provider: 'tavily' }, key);
  const nextHour = async (): Promise<void> => {
    clock.move(HOUR_MS - (clock.now() % HOUR_MS) + 1_001);
    await round();
  };
  await nextHour();
  await allow({ deny: ['mill.example'] });
  clock.move(1_001);
  for (const page of [1, 2, 3]) await ask(`https://mill.example/${page}`);
  await allow({ mode: 'report', deny: ['mill.example'] });
  clock.move(1_001);
  for (const key of [one.key, quiet.key]) await ask('https://mill.example/', key);
  await nextHour();
  expect(await digests(one.workspace)).toEqual([]);
  await allow({ operations: ['search'] });
  clock.move(1_001);
  await ask('https://mill.example/');
  clock.move(300_000);
  for (let time = 0; time < 3; time += 1) await round();
  const first = { calls: 4, refused: 0, rules: { 'workspace.deny': 3, 'workspace.deny (reported)': 1 } };
  expect(await digests(one.workspace)).toMatchObject([first]);
  await nextHour();
  clock.move(300_000);
  await round();
  const second = { calls: 1, refused: 1, rules: { 'workspace.operations': 1 } };
  expect(await digests(one.workspace)).toMatchObject([first, second]);
  expect(await digests(quiet.workspace)).toEqual([]);
  const metrics = await (await gateway.app.request('http://127.0.0.1/metrics')).text();
  const counted = 'headgate_policy_decisions_total{level="workspace",rule="deny",decision';
  expect(metrics).toContain(`${counted}="denied"} 3`);
  expect(metrics).toContain(`${counted}="reported"} 1`);
});
