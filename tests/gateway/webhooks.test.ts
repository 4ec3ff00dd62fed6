import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestClock } from '../support/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createAlerts, type Alerts } from '../../src/meter/alerts.ts';
import { createGuardedFetch, type GuardedFetch } from '../../src/net/fetch.ts';
import { notPublic, parseAddress } from '../../src/net/address.ts';
import { createGuardPolicy } from '../../src/net/guard.ts';
import type { CorpusLine } from '../../src/net/ssrf-corpus.ts';
import { createMeter } from '../../src/meter/meter.ts';
import { type AlertEvent, listEvents, noteEvent } from '../../src/store/events.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { PRICES, search, temporaryFolder } from '../support/ledger/world.ts';

interface Received {
  headers: Record<string, string>;
  body: string;
}

/** A receiver that answers as it is told, and counts the connections that are open at once. */
class Receiver {
  received: Received[] = [];
  atOnceMax = 0;
  #open = 0;
  #server: Server | undefined;
  readonly answer: (response: ServerResponse, count: number) => void;
  constructor(answer: (response: ServerResponse, count: number) => void) {
    this.answer = answer;
  }
  async start(): Promise<string> {
    this.#server = createServer((request, response) => void this.#take(request, response));
    this.#server.on('connection', (socket) => {
      this.atOnceMax = Math.max(this.atOnceMax, (this.#open += 1));
      socket.on('close', () => (this.#open -= 1));
    });
    await new Promise<void>((resolve) => this.#server?.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/alerts`;
  }
  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    this.received.push({ headers: request.headers as Record<string, string>, body });
    this.answer(response, this.received.length);
  }
  stop(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }
  /** The distinct IDs, in the order in which they came. */
  ids(): string[] {
    return [...new Set(this.received.map(({ headers }) => headers['webhook-id'] ?? ''))];
  }
}

const ok = (response: ServerResponse): void => void response.end('ok');
const clock = createTestClock(Date.now());
const folder = temporaryFolder();
let store: Store;
const opened: { stop(): unknown }[] = [];
const never = new AbortController().signal;

beforeAll(() => {
  store = createStore({ location: `${folder}/headgate.db`, clock, log: silentLogger, exclusive: false });
});
afterAll(async () => {
  for (const one of opened) await one.stop();
  await store.close();
});

/** The delivery of a gateway on the test's clock; its network is real, with a short patience. */
function gateway(ports: number[]): Alerts {
  const policy = createGuardPolicy({ allow: ['127.0.0.1'], ports });
  const guarded = createGuardedFetch({ policy, userAgent: 'headgate-test' });
  opened.push({ stop: () => guarded.close() });
  return alertsOver(guarded.fetch);
}
const alertsOver = (send: GuardedFetch): Alerts =>
  createAlerts({
    database: store.database,
    clock,
    log: silentLogger,
    random: () => 0.5,
    post: (url, { headers, body }, signal) =>
      send(url, {
        signal,
        caller: 'test',
        gate: undefined,
        headers,
        body,
        types: 'any',
        timeoutMs: 2_000,
        bytesMax: 65_536,
      }),
  });

async function receiver(answer: (response: ServerResponse, count: number) => void) {
  const made = new Receiver(answer);
  const url = await made.start();
  opened.push(made);
  return { made, url, port: Number(new URL(url).port) };
}

let events = 0;
const happen = (subject = 'duckduckgo'): Promise<unknown> =>
  store.database.write([
    noteEvent({
      kind: 'provider.down',
      subject,
      period: (events += 1),
      threshold: 0,
      workspace: null,
      data: {},
      at: clock.now(),
    }),
  ]);

describe('deliveries', () => {
  test('are signed CloudEvents that the reference library verifies, also while the secret is replaced', async () => {
    const { made, url, port } = await receiver(ok);
    const first = await store.webhooks.add({ url, kinds: ['provider.down'] });
    const alerts = gateway([port]);
    await happen();
    await alerts.deliver(never);
    const second = await store.webhooks.rotate(first.webhook.id);
    await happen();
    await alerts.deliver(never);
    clock.advance(25 * 3_600_000);
    await happen();
    await alerts.deliver(never);
    expect(made.received).toHaveLength(3);
    const [received] = made.received as [Received];
    expect(new Webhook(first.secret).verify(received.body, received.headers)).toMatchObject({
      type: 'headgate.provider.down',
    });
    // `verify` takes no message of another day; what it compares with is what it signs itself.
    const signs = (secret: string, { headers, body }: Received): boolean => {
      const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
      const signature = new Webhook(secret).sign(headers['webhook-id'] ?? '', at, body);
      return headers['webhook-signature']?.split(' ').includes(signature) === true;
    };
    const signed = made.received.map((one) => [signs(first.secret, one), signs(second.secret, one)]);
    expect(signed).toEqual([
      [true, false],
      [true, true],
      [false, true],
    ]);
    expect(JSON.parse((made.received[0] as Received).body)).toMatchObject({
      specversion: '1.0',
      source: '/headgate',
      subject: 'duckduckgo',
    });
    expect(JSON.stringify(await store.webhooks.list())).not.toContain('whsec_');
    await store.webhooks.remove(first.webhook.id);
  });

  test('a message for Slack is one sentence, without markup of its own', async () => {
    const { made, url, port } = await receiver(ok);
    const { webhook } = await store.webhooks.add({ url, format: 'slack' });
    await happen('<!channel> & co');
    await gateway([port]).deliver(never);
    expect(JSON.parse((made.received[0] as Received).body)).toEqual({
      text: 'The provider &lt;!channel&gt; &amp; co has stopped answering.',
    });
    await store.webhooks.remove(webhook.id);
  });

  const answers: [name: string, answer: (response: ServerResponse, count: number) => void][] = [
    [
      'fails every third time',
      (response, count) => void response.writeHead(count % 3 === 0 ? 500 : 200).end(),
    ],
    ['hangs at first', (response, count) => void (count > 2 && response.end())],
    [
      'drips at first',
      (response, count) =>
        count > 2
          ? ok(response)
          : (response.writeHead(200), void setInterval(() => response.write('.'), 50).unref()),
    ],
    [
      'redirects at first',
      (response, count) =>
        void response.writeHead(count > 2 ? 200 : 302, { location: 'http://127.0.0.1:1/' }).end(),
    ],
    [
      'answers 429 at first',
      (response, count) => void response.writeHead(count > 2 ? 200 : 429, { 'retry-after': '60' }).end(),
    ],
  ];
  test.each(answers)(
    'a receiver that %s gets every event, from two gateways over one connection',
    async (_name, answer) => {
      const { made, url, port } = await receiver(answer);
      const { webhook } = await store.webhooks.add({ url });
      const gateways = [gateway([port]), gateway([port])];
      for (let event = 0; event < 6; event += 1) await happen();
      for (let round = 0; round < 12; round += 1) {
        await Promise.all(gateways.map((one) => one.deliver(never)));
        clock.advance(10 * 60_000);
      }
      const deliveries = await store.webhooks.deliveries(webhook.id);
      expect(deliveries.map(({ state }) => state)).toEqual(Array.from({ length: 6 }, () => 'delivered'));
      expect(made.ids()).toHaveLength(6);
      expect(made.atOnceMax).toBe(1);
      await store.webhooks.remove(webhook.id);
    },
  );

  test('Retry-After is honoured for everything that waits, and 410 switches off until somebody replays', async () => {
    let status = 429;
    const { made, url, port } = await receiver(
      (response) => void response.writeHead(status, { 'retry-after': '3600' }).end(),
    );
    const { webhook } = await store.webhooks.add({ url });
    const alerts = gateway([port]);
    await happen();
    await happen();
    await alerts.deliver(never);
    clock.advance(59 * 60_000);
    await alerts.deliver(never);
    expect(made.received).toHaveLength(1);
    clock.advance(2 * 60_000);
    status = 410;
    await alerts.deliver(never);
    expect(made.received).toHaveLength(2);
    expect(await store.webhooks.get(webhook.id)).toMatchObject({
      reason: 'The receiver answered 410 (gone).',
    });
    clock.advance(48 * 3_600_000);
    await happen();
    await alerts.deliver(never);
    expect(made.received).toHaveLength(2);
    status = 200;
    await store.webhooks.replay(webhook.id);
    await alerts.deliver(never);
    expect(made.ids()).toHaveLength(3);
    await store.webhooks.test(webhook.id);
    await alerts.deliver(never);
    expect((made.received.at(-1) as Received).body).toContain('headgate.webhook.test');
    await store.webhooks.remove(webhook.id);
  });

  test('what never arrives is given up after ten attempts, with the waits of the schedule', async () => {
    const { made, url, port } = await receiver((response) => void response.writeHead(503).end());
    const { webhook } = await store.webhooks.add({ url });
    const alerts = gateway([port]);
    await happen();
    const hours: number[] = [];
    const start = clock.now();
    for (let minute = 0; minute < 100 * 60; minute += 5) {
      const before = made.received.length;
      await alerts.deliver(never);
      if (made.received.length > before) hours.push(Math.round((clock.now() - start) / 3_600_000));
      clock.advance(5 * 60_000);
    }
    expect(hours).toEqual([0, 0, 0, 1, 3, 9, 20, 35, 57, 83]);
    expect((await store.webhooks.deliveries(webhook.id))[0]).toMatchObject({ state: 'failed', attempts: 10 });
    await store.webhooks.remove(webhook.id);
  }, 60_000);
});

test('keys, balances and providers are reported once each', async () => {
  const { id: workspace, subscription } = await store.accounts.createWorkspace({ name: 'Told', tier: 'pro' });
  await store.accounts.topUp({ subscription, amount: 100_000 });
  const tiers = { pro: { callsFree: 0, beyond: 'charge', creditsMax: null } } as const;
  const meter = createMeter({ database: store.database, clock, log: silentLogger, tiers, prices: PRICES });
  await meter.settle(await meter.hold(search(workspace, { credits: 5 })), 5);
  const { record } = await store.keys.create({
    workspace,
    label: 'soon',
    expires: clock.now() + 3 * 86_400_000,
  });
  await store.keys.revoke((await store.keys.create({ workspace, label: 'gone' })).record.id);
  let state = { id: 'tavily', state: 'down', attempts: 2 };
  const watching = () => {
    const options = { database: store.database, clock, log: silentLogger, random: () => 0.5 };
    return createAlerts({ ...options, post: async () => undefined, providers: () => [state] });
  };
  const gateways = [watching(), watching()];
  const round = () => Promise.all(gateways.map((one) => one.deliver(never)));
  await round();
  state = { ...state, attempts: 3 };
  await round();
  await round();
  state = { ...state, state: 'ok' };
  await round();
  // What is left does not cover another credit: told in the commit that charged it.
  await meter.settle(await meter.hold(search(workspace, { credits: 7 })), 7);
  const told = await listEvents(store.database);
  const about = (one: AlertEvent) =>
    [workspace, subscription, 'tavily'].includes(one.workspace ?? one.subject);
  expect(
    told
      .filter(about)
      .map((one) => [one.kind, one.data['label']].filter((part) => typeof part === 'string').join(' '))
      .sort(),
  ).toEqual([
    'balance.days_left',
    'balance.exhausted',
    'key.created gone',
    'key.created soon',
    'key.expiring soon',
    'key.revoked gone',
    'provider.down',
    'provider.up',
  ]);
  expect(told.find(({ kind }) => kind === 'key.expiring')).toMatchObject({ subject: record.id });
  expect(told.find(({ kind }) => kind === 'balance.days_left')?.data).toEqual({ balance: 60_000, days: 1.5 });
});

test('no webhook reaches an address that is not public, whatever its URL, its DNS or its redirects say', async () => {
  const text = readFileSync(join(import.meta.dirname, '../../src/net/fixtures/ssrf.jsonl'), 'utf8');
  const lines = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as CorpusLine);
  const web = await receiver((response) => {
    response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
  });
  const reached: string[] = [];
  let tried = 0;
  const postAs = (line: CorpusLine): GuardedFetch => {
    let lookups = 0;
    const { dns, dns_seq: turns, dns_map: names } = line;
    return createGuardedFetch({
      policy: createGuardPolicy(),
      userAgent: 'headgate-test',
      resolve: async (host) => names?.[host] ?? turns?.[Math.min(lookups++, turns.length - 1)] ?? dns ?? [],
      connect: async ({ address }) => {
        const parsed = parseAddress(address);
        if (parsed === undefined || notPublic(parsed) !== undefined) reached.push(`${line.url} ${address}`);
        const socket = connect(web.port, '127.0.0.1');
        await once(socket, 'connect');
        return { socket, remoteAddress: address };
      },
    }).fetch;
  };
  for (let from = 0; from < lines.length; from += 50) {
    const targets = new Map<string, CorpusLine>();
    for (const line of lines.slice(from, from + 50)) {
      const added = await store.webhooks.add({ url: line.url }).catch(() => undefined);
      if (added !== undefined) targets.set(added.webhook.url, line);
    }
    await happen();
    const fetchAs: GuardedFetch = (url, options) => {
      tried += 1;
      return postAs(targets.get(url) as CorpusLine)(url, options);
    };
    await alertsOver(fetchAs).deliver(never);
    for (const { id } of await store.webhooks.list()) await store.webhooks.remove(id);
  }
  expect(tried).toBeGreaterThan(100);
  expect(reached).toEqual([]);
  // Only receivers on the public web were asked, and a redirect was not followed.
  const blocked = lines.filter(
    ({ verdict, redirect, dns_seq: turns }) => verdict === 'block' && !redirect && !turns,
  );
  expect(web.made.received.length).toBeLessThanOrEqual(lines.length - blocked.length);
}, 60_000);
