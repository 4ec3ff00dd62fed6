/**
 * Runs where there is no network: brings up the loopback interface, starts a gateway in a project, and asks it over HTTP and MCP. What it saw is
 * printed as JSON.
 *
 *   node --import tsx offline-driver.ts MAIN PROJECT HOME
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [main = '', project = '', home = ''] = process.argv.slice(2);
spawnSync('ip', ['link', 'set', 'lo', 'up']);

const env = {
  ...process.env,
  HEADGATE_HOME: home,
  HEADGATE_SERVER__PORT: '8787',
  HEADGATE_SEARCH__RETRIES: '0',
};
const started = performance.now();
const gateway = spawn(process.execPath, [main, 'serve'], { cwd: project, env });
let said = '';
gateway.stderr.on('data', (data: Buffer) => (said += data.toString()));
const until = async (words: string): Promise<number> => {
  while (!said.includes(words)) await once(gateway.stderr, 'data');
  return performance.now() - started;
};

const url = 'http://127.0.0.1:8787';
await until('Headgate is ready');
const servedFirst = !said.includes('of documentation indexed');
if (process.env['EXPECT_INDEXING'] === 'yes') await until('of documentation indexed');

const post = (more: object): Promise<Response> =>
  fetch(`${url}/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'raise the level of a river', ...more }),
  });
const asked = performance.now();
const search: unknown = await (await post({ library: 'also' })).json();
const searchMs = performance.now() - asked;
const failed = await post({});
const plain = { status: failed.status, body: (await failed.json()) as unknown };

const client = new Client({ name: 'offline', version: '1' });
await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
const answer = await client.callTool({
  name: 'web_search',
  arguments: { query: 'raise the level of a river' },
});
await client.close();

gateway.kill('SIGTERM');
await once(gateway, 'exit');
console.log(JSON.stringify({ servedFirst, said, plain, search, searchMs, mcp: answer.content }));
