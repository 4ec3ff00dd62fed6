// An MCP client over stdio, written out: what a host does with `headgate mcp`.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { bin, startWorld } from './world.ts';

const world = await startWorld();
const server = spawn(process.execPath, [bin, 'mcp'], {
  env: { ...process.env, ...world.env },
  stdio: ['pipe', 'pipe', 'inherit'],
});
const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
let id = 0;
async function ask<Result>(method: string, params: object = {}): Promise<Result> {
  id += 1;
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  for (;;) {
    const line = await lines.next();
    if (line.done === true) throw new Error('The server ended.');
    const message = JSON.parse(line.value) as { id?: number; result: Result };
    if (message.id === id) return message.result;
  }
}
try {
  const clientInfo = { name: 'example', version: '1.0.0' };
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);

  const { tools } = await ask<{ tools: { name: string }[] }>('tools/list');
  console.log(tools.map((tool) => tool.name).join(', '));
  assert.ok(tools.some((tool) => tool.name === 'web_search'));

  const input = { name: 'web_search', arguments: { query: 'rust programming', max_results: 2 } };
  const { content } = await ask<{ content: { text: string }[] }>('tools/call', input);
  console.log(content[0]?.text);
  // What comes from the web stands between marks that no page can forge.
  assert.match(content[0]?.text ?? '', /<web-[0-9a-f]+>/);
} finally {
  server.stdin.end();
  await world.end();
}
