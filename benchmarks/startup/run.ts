// Start-up as the user feels it: spawn → `initialize` → answer to `tools/list` over stdio, beside bare `node -e 0` and other search
// servers, in interleaved rounds of one run; and what their tools cost a model's context. Usage: npm run benchmark:startup
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { VERSION } from '../../src/core/version.ts';
import { countTokens } from '../../src/rank/tokens.ts';
import { median, report } from '../report.ts';
import { installPeers, weigh, type Contender } from './peers.ts';

const ROUNDS = 9;
const START_MS_MAX = 20_000;
const dist = join(import.meta.dirname, '../../dist');
// Certificates and options of the surroundings cost Node 20 tens of milliseconds and hide the difference.
const { NODE_EXTRA_CA_CERTS: _certificates, NODE_OPTIONS: _options, ...surroundings } = process.env;

interface Start {
  wallMs: number;
  cpuMs: number;
  memoryMb: number;
  tools: unknown[];
}

async function floor(): Promise<number> {
  const started = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { env: surroundings, stdio: 'ignore' }), 'exit');
  return performance.now() - started;
}

async function start({ name, args, env }: Contender): Promise<Start> {
  const started = performance.now();
  const server = spawn(process.execPath, args, {
    env: { ...surroundings, ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const late = setTimeout(() => server.kill('SIGKILL'), START_MS_MAX);
  const send = (message: object): void =>
    void server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'benchmark', version: '1' };
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  });
  let tools: unknown[] | undefined;
  for await (const line of createInterface({ input: server.stdout })) {
    const message = answerIn(line);
    if (message?.id === 1) {
      send({ method: 'notifications/initialized' });
      send({ id: 2, method: 'tools/list' });
    } else if (message?.id === 2) {
      tools = message.result?.tools;
      break;
    }
  }
  const wallMs = performance.now() - started;
  const used = usageOf(server.pid);
  clearTimeout(late);
  server.stdin.end();
  server.kill('SIGTERM');
  if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
  if (tools === undefined) throw new Error(`${name} did not list its tools.`);
  return { wallMs, ...used, tools };
}

/** Some servers greet people on standard output before they speak the protocol. */
function answerIn(line: string): { id?: number; result?: { tools?: unknown[] } } | undefined {
  try {
    return JSON.parse(line) as { id?: number };
  } catch {
    return undefined;
  }
}

/** Processor time and peak memory so far, as Linux counts them; elsewhere nothing. */
function usageOf(pid: number | undefined): { cpuMs: number; memoryMb: number } {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return {
      cpuMs: (Number(fields[11]) + Number(fields[12])) * 10,
      memoryMb: Math.round(Number(peak) / 1024),
    };
  } catch {
    return { cpuMs: 0, memoryMb: 0 };
  }
}

const own = (toolset: string): Contender => ({
  name: `headgate, ${toolset}`,
  version: VERSION,
  args: [join(dist, 'main.cjs'), 'mcp', '--tools', toolset],
  env: {},
  packages: 1,
  megabytes: weigh(dist).megabytes,
});
const contenders = [own('default'), own('websearch'), own('tavily'), ...installPeers()];
const floors: number[] = [];
const starts = new Map<Contender, Start[]>(contenders.map((contender) => [contender, []]));
for (let round = -1; round < ROUNDS; round += 1) {
  const bare = await floor();
  if (round >= 0) floors.push(bare);
  for (const [contender, done] of starts) {
    const took = await start(contender).catch((thrown: unknown) => {
      console.error(`LEFT OUT: ${String(thrown)}`);
      starts.delete(contender);
    });
    if (round >= 0 && took !== undefined) done.push(took);
  }
}
const nodeMs = median(floors);
const servers = await Promise.all(
  [...starts].map(async ([{ name, version, packages, megabytes }, done]) => {
    const list = JSON.stringify(done[0]?.tools);
    const wallMs = median(done.map((each) => each.wallMs));
    return {
      name,
      version,
      wall_ms: Math.round(wallMs),
      times_node: Math.round((wallMs / nodeMs) * 100) / 100,
      cpu_ms: median(done.map((each) => each.cpuMs)),
      memory_mb: median(done.map((each) => each.memoryMb)),
      tools: done[0]?.tools.length,
      list_bytes: list.length,
      list_tokens: await countTokens(list),
      packages,
      megabytes,
    };
  }),
);
report('startup', { rounds: ROUNDS, node_ms: nodeMs, servers });
