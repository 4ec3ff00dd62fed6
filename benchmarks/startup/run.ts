// Start-up as the user feels it: spawn → `initialize` → answer to `tools/list` over stdio, versus bare `node -e 0`, in
// interleaved rounds of one run. Usage: npm run benchmark:startup
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { report } from '../report.ts';

const ROUNDS = 15;
const bin = join(import.meta.dirname, '../../dist/main.cjs');
// Certificates and options of the surroundings cost Node 20 tens of milliseconds and hide the difference.
const { NODE_EXTRA_CA_CERTS: _certificates, NODE_OPTIONS: _options, ...env } = process.env;

async function floor(): Promise<number> {
  const started = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { env, stdio: 'ignore' }), 'exit');
  return performance.now() - started;
}

async function list(toolset: string): Promise<number> {
  const started = performance.now();
  const server = spawn(process.execPath, [bin, 'mcp', '--tools', toolset], {
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const send = (message: object): void =>
    void server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'benchmark', version: '1' },
  };
  send({ id: 1, method: 'initialize', params });
  for await (const line of createInterface({ input: server.stdout })) {
    const { id } = JSON.parse(line) as { id: number };
    if (id === 1) {
      send({ method: 'notifications/initialized' });
      send({ id: 2, method: 'tools/list' });
    } else break;
  }
  const took = performance.now() - started;
  server.stdin.end();
  await once(server, 'exit');
  return took;
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const times: Record<string, number[]> = { floor: [], websearch: [], default: [] };
for (let round = -1; round < ROUNDS; round += 1) {
  for (const [name, values] of Object.entries(times)) {
    const took = name === 'floor' ? await floor() : await list(name);
    if (round >= 0) values.push(took);
  }
}
const base = median(times['floor'] ?? []);
report('startup', {
  rounds: ROUNDS,
  node_ms: base,
  websearch_ms: median(times['websearch'] ?? []),
  websearch_ratio: median(times['websearch'] ?? []) / base,
  default_ms: median(times['default'] ?? []),
  default_ratio: median(times['default'] ?? []) / base,
});
