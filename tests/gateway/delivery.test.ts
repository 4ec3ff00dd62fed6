import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import { createStore } from '../../src/store/store.ts';
import { runHeadgate } from '../support/cli.ts';
import { startGateway, type GatewayProcess } from '../support/gateway/processes.ts';
import { startPostgres } from '../support/postgres.ts';
import { sized } from '../support/sized.ts';
import { until } from '../support/until.ts';

/** Webhooks as users have them: gateways in processes of their own, events from the command line and the API. */

const ADMIN = 'admin-token-of-the-deliveries';
const HOUR_MS = 3_600_000;
const EVENTS = sized('events for two gateways to deliver', { small: 24, large: 200, full: 400 });
const home = mkdtempSync(join(tmpdir(), 'headgate-delivery-'));
const running: GatewayProcess[] = [];
const postgres = await startPostgres();

interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
}
const received: Received[] = [];
/** Answers late, so that an event is on its way for longer than another gateway needs to look for work. */
const receiver = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += String(chunk)));
  request.on('end', () => {
    received.push({ path: request.url ?? '', headers: request.headers as Record<string, string>, body });
    setTimeout(() => response.end(), 20);
  });
});
let receiverUrl = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});
afterAll(async () => {
  for (const { process } of running) process.kill('SIGKILL');
  receiver.closeAllConnections();
  receiver.close();
  await postgres?.stop();
  rmSync(home, { recursive: true, force: true });
});

const at = (path: string): Received[] => received.filter((one) => one.path === path);
const typesAt = (path: string): string[] =>
  at(path).map(({ body }) => (JSON.parse(body) as { type: string }).type);
const settings = (name: string, more: Record<string, string> = {}): Record<string, string> => ({
  HEADGATE_HOME: join(home, name),
  HEADGATE_SERVER__ADMIN_TOKEN: ADMIN,
  HEADGATE_LIBRARY__INDEX_PROJECT: 'false',
  HEADGATE_GUARD__ALLOW: '127.0.0.1',
  HEADGATE_GUARD__PORTS: new URL(receiverUrl).port,
  ...more,
});
const start = async (env: Record<string, string>): Promise<GatewayProcess> => {
  const started = await startGateway(env);
  running.push(started);
  return started;
};
const post = async (url: string, path: string, body: object): Promise<Record<string, unknown>> => {
  const response = await fetch(`${url}/admin${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBeLessThan(300);
  return (await response.json()) as Record<string, unknown>;
};

test('`headgate serve` delivers what happens on the command line, signed with the secret that was printed', async () => {
  const env = settings('one');
  await start(env);
  const run = async (...argv: string[]): Promise<string> => {
    const { code, out, err } = await runHeadgate([...argv, '--json'], { home: join(home, 'one'), env });
    expect([code, err]).toEqual([0, '']);
    return out;
  };
  const { secret } = JSON.parse(await run('webhook', 'add', `${receiverUrl}/one`)) as { secret: string };
  const workspace = JSON.parse(await run('workspace', 'create', 'Mill', '--tier', 'pro')) as { id: string };
  await run('key', 'create', '--workspace', workspace.id);
  await until(() => at('/one').length > 0);
  const [{ headers, body } = { headers: {}, body: '' }] = at('/one');
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({
    type: 'headgate.key.created',
    source: `/headgate/workspaces/${workspace.id}`,
  });
}, 30_000);

test.runIf(postgres !== undefined)(
  'of two gateways on PostgreSQL each event is delivered once, and what happened while none ran is not forgotten',
  async () => {
    const location = (await postgres?.migratedUrl()) ?? '';
    const env = (name: string) => settings(name, { HEADGATE_STORE__URL: location });
    const first = await start(env('left'));
    await post(first.url, '/webhooks', { url: `${receiverUrl}/two` });
    const { id: workspace } = await post(first.url, '/workspaces', { name: 'Mill', tier: 'pro' });

    // The second one finds what the policy refused two hours ago.
    const store = createStore({ location, clock: systemClock, log: silentLogger, exclusive: false });
    const row = {
      at: Math.floor(Date.now()) - 2 * HOUR_MS,
      request: 'r',
      surface: 'http',
      operation: 'extract',
      workspace: String(workspace),
      agent: null,
      key: null,
      person: null,
      provider: null,
      outcome: 'blocked',
      code: 'policy_denied',
      attempts: '[]',
      tries: 0,
      credits: 0,
      charged: 0,
      tokens: 0,
      ms: 1,
      cached: 0,
      policy: 'workspace.deny, agent.operations',
      text_bytes: 0,
      query: null,
      answer: null,
    } as const;
    await store.database.log([row, { ...row, request: 's', code: null, policy: 'workspace.deny' }]);
    await store.close();
    const second = await start(env('right'));
    for (let event = 0; event < EVENTS; event += 1)
      await post((event % 2 === 0 ? first : second).url, '/keys', { workspace, label: `key ${event}` });
    await until(() => at('/two').length > EVENTS, 60_000);
    const digest = at('/two').find(({ body }) => body.includes('policy.denied'));
    expect(JSON.parse(digest?.body ?? '{}')).toMatchObject({
      subject: workspace,
      data: { calls: 2, refused: 1, rules: { 'workspace.deny': 2, 'agent.operations': 1 } },
    });
    const ids = at('/two').map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size]).toEqual([EVENTS + 1, EVENTS + 1]);
    expect(new Set(typesAt('/two'))).toEqual(new Set(['headgate.key.created', 'headgate.policy.denied']));
  },
  120_000,
);
