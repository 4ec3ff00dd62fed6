// The official suite's scenarios for authorization servers, against a gateway with a person who consents at once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createSignInWorld } from '../support/gateway/sign-in.ts';

const [suite = ''] = process.argv.slice(2);
const free = createServer().listen(0, '127.0.0.1');
await once(free, 'listening');
const { port } = free.address() as { port: number };
await new Promise((resolve) => free.close(resolve));

const world = await createSignInWorld({
  'auth.clients': [`conformance=http://127.0.0.1:${port}/callback`],
});
const child = spawn(
  process.execPath,
  [
    suite,
    'authorization',
    '--url',
    world.url,
    '--client-id',
    'conformance',
    '--resource',
    `${world.url}/mcp`,
    '--port',
    String(port),
  ],
  { stdio: ['ignore', 'pipe', 'inherit'], timeout: 120_000 },
);
let output = '';
let isSent = false;
child.stdout.on('data', (chunk: Buffer) => {
  output += chunk.toString();
  const url = /^http\S+\/oauth\/authorize\?\S+$/m.exec(output)?.[0];
  if (url === undefined || isSent) return;
  isSent = true;
  void consent(url);
});
await once(child, 'exit');
await world.close();
process.stdout.write(output);
process.exitCode = isSent && /^Total: [1-9]\d* passed, 0 failed$/m.test(output) ? 0 : 1;

async function consent(url: string): Promise<void> {
  const browser = await world.browser();
  const begun = await browser.begin(url);
  if ('refused' in begun) throw new Error(await begun.refused.text());
  const back = await browser.decide(begun.id, { allow: true, workspace: world.workspace });
  await fetch(back);
}
