// A budget whose thresholds are reported to Slack: the webhook sends what Slack's incoming webhooks take, `{ "text": … }`.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from 'headgate/client';
import { startWorld } from './world.ts';

const world = await startWorld();
/** Stands for https://hooks.slack.com/services/… */
const messages: { text: string }[] = [];
const slack = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    messages.push(JSON.parse(body) as { text: string });
    response.end('ok');
    slack.emit('message');
  });
}).listen(0, '127.0.0.1');
try {
  await once(slack, 'listening');
  const { port } = slack.address() as AddressInfo;
  // Slack is on the web; this receiver is not, so the guard has to allow it.
  world.env['HEADGATE_GUARD__PORTS'] += `,${port}`;
  const { id: workspace } = JSON.parse(
    world.run('workspace', 'create', 'Team', '--tier', 'pro', '--json'),
  ) as { id: string };
  world.run('credits', 'top-up', workspace, '5');
  world.run('budget', 'set', workspace, '--credits', '2', '--per', 'day');
  world.run(
    'webhook',
    'add',
    `http://127.0.0.1:${port}/`,
    '--format',
    'slack',
    '--kinds',
    'budget.threshold',
  );
  const { key } = JSON.parse(world.run('key', 'create', '--workspace', workspace, '--json')) as {
    key: string;
  };

  const web = createClient({ baseUrl: await world.startGateway(), apiKey: key });
  await web.search({ query: 'tidal mills', provider: 'tavily' });
  const signal = AbortSignal.timeout(20_000);
  while (messages.length === 0) await once(slack, 'message', { signal });
  console.log(messages[0]?.text);
  assert.match(messages[0]?.text ?? '', /The budget of the workspace .* has reached 50 %: 1 of 2 credits/);
} finally {
  slack.close();
  await world.end();
}
