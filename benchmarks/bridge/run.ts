// What the bridge costs: one call against the bare function, in process and over stdio; converting a thousand tools;
// memory over a hundred thousand calls. Prints one JSON object. Run: node --expose-gc --import tsx benchmarks/bridge/run.ts
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { z } from 'zod';
import {
  callTool,
  convertTool,
  createMcpServerFromTools,
  createToolServer,
  type AgentTool,
  type ToolContext,
} from '../../src/bridge.ts';

const CALLS = 2_000;
const LONG_RUN = 100_000;
const TOOLS = 1_000;

const properties = { query: { type: 'string', minLength: 1 }, max_results: { type: 'integer', maximum: 30 } };
const bare = ({ query, max_results: count }: { query: string; max_results: number }) =>
  `${count} results for ${query}`;
const input = { query: 'tea', max_results: 5 };
const tool: AgentTool = {
  name: 'search',
  inputSchema: { type: 'object', properties, required: ['query'] },
  execute: (given) => bare(given as typeof input),
};
const context: ToolContext = { signal: new AbortController().signal, callId: '1' };
const request = { name: 'search', arguments: input };

if (process.argv.includes('--serve')) {
  const { serveStdio } = await import('../../src/bridge.ts');
  serveStdio(createToolServer({ name: 's', version: '1', tools: [tool] }), {
    input: process.stdin,
    output: process.stdout,
  });
} else {
  console.log(JSON.stringify(await measure(), undefined, 2));
}

async function measure(): Promise<Record<string, unknown>> {
  const inProcess = await connectInProcess();
  const overStdio = await connectOverStdio();
  const converted = await convertTool({ name: 'search', inputSchema: tool.inputSchema, execute: bare });
  const result = {
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim(),
    machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
    node: process.version,
    calls: CALLS,
    microseconds: {
      bareFunction: await timed(async () => bare(input)),
      callTool: await timed(() => callTool(tool, input, context)),
      convertedTool: await timed(() => callTool(converted, input, context)),
      mcpInProcess: await timed(() => inProcess.callTool(request)),
      mcpOverStdio: await timed(() => overStdio.callTool(request)),
    },
    convert: await timeConversions(),
    memory: await watchMemory(inProcess),
  };
  await overStdio.close();
  return result;
}

async function connectInProcess(): Promise<Client> {
  const client = new Client({ name: 'benchmark', version: '1' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await createToolServer({ name: 's', version: '1', tools: [tool] })().connect(far);
  await client.connect(near);
  return client;
}

async function connectOverStdio(): Promise<Client> {
  const client = new Client({ name: 'benchmark', version: '1' });
  const args = ['--import', 'tsx', import.meta.filename, '--serve'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  return client;
}

/** Median and 95th percentile of single calls, one after the other, after a warm-up. */
async function timed(run: () => Promise<unknown>): Promise<{ median: number; p95: number }> {
  const times: number[] = [];
  for (let index = 0; index < CALLS * 1.5; index += 1) {
    const start = performance.now();
    await run();
    if (index >= CALLS / 2) times.push((performance.now() - start) * 1_000);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => Math.round((times[Math.floor(times.length * share)] ?? 0) * 10) / 10;
  return { median: at(0.5), p95: at(0.95) };
}

/** Converts a thousand tools of two kinds and builds their server; the first of five rounds, and the last. */
async function timeConversions(): Promise<Record<string, unknown>> {
  const names = Array.from({ length: TOOLS }, (_, index) => `tool_${index}`);
  const json = names.map((name) => ({
    name,
    description: name,
    inputSchema: tool.inputSchema,
    execute: bare,
  }));
  const schema = () => z.object({ query: z.string().min(1), max_results: z.int().max(30).default(5) });
  const zod = names.map((name) => ({ name, description: name, inputSchema: schema(), execute: bare }));
  const rounds = async (tools: unknown[]) => {
    const times: { wallMs: number; cpuMs: number }[] = [];
    for (let round = 0; round < 5; round += 1) {
      const start = performance.now();
      const used = process.cpuUsage();
      await createMcpServerFromTools({ name: 's', toolsets: tools });
      const { user, system } = process.cpuUsage(used);
      times.push({
        wallMs: Math.round(performance.now() - start),
        cpuMs: Math.round((user + system) / 1_000),
      });
    }
    return { first: times[0], last: times.at(-1) };
  };
  return { tools: TOOLS, jsonSchema: await rounds(json), zod: await rounds(zod) };
}

/** The heap after each fifth of the long run, collected; it must not rise. */
async function watchMemory(client: Client): Promise<Record<string, unknown>> {
  const heapMb: number[] = [];
  for (let fifth = 0; fifth < 5; fifth += 1) {
    for (let call = 0; call < LONG_RUN / 5; call += 1) await client.callTool(request);
    globalThis.gc?.();
    heapMb.push(Math.round((process.memoryUsage().heapUsed / 1024 / 1024) * 10) / 10);
  }
  return { calls: LONG_RUN, heapMb, collected: globalThis.gc !== undefined };
}
