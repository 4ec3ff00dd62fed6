// Start-up as the user feels it, beside bare `node -e 0` and other search servers, in interleaved rounds of one run: spawn → answer to
// `tools/list` over stdio; spawn → answer to the first search, asked at once or after a second of idling; commands of the CLI and the
// import; and what the tools cost a model's context. Usage: npm run benchmark -- startup
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { VERSION } from '../../src/core/version.ts';
import { countTokens } from '../../src/rank/tokens.ts';
import { simUpstreams } from '../../src/sim/index.ts';
import { startSim } from '../../src/sim/server.ts';
import { median, report } from '../report.ts';
import { installPeers, SIM, SIM_PORT, weigh, type Contender } from './peers.ts';

const ROUNDS = 9;
const START_MS_MAX = 20_000;
const IDLE_MS = 1_000;
const dist = join(import.meta.dirname, '../../dist');
const folder = mkdtempSync(join(tmpdir(), 'headgate-startup-'));
// Certificates and options of the surroundings cost Node 20 tens of milliseconds and hide the difference.
const { NODE_EXTRA_CA_CERTS: _certificates, NODE_OPTIONS: _options, ...surroundings } = process.env;
const env = {
  ...surroundings,
  HEADGATE_HOME: folder,
  HEADGATE_PROVIDERS__DUCKDUCKGO__BASE_URL: `${SIM}/duckduckgo`,
  HEADGATE_PROVIDERS__DUCKDUCKGO__PACE_MS: '0',
};

interface Answer {
  id?: number;
  result?: { tools?: unknown[]; isError?: boolean };
}

type Figures = Record<string, number>;

/** A server that is spoken to over stdio. */
function open({ name, args, env: own }: Contender) {
  const started = performance.now();
  const server = spawn(process.execPath, args, {
    env: { ...env, ...own },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const late = setTimeout(() => server.kill('SIGKILL'), START_MS_MAX);
  const waiting = new Map<number, (answer: Answer) => void>();
  createInterface({ input: server.stdout }).on('line', (line) => {
    const answer = answerIn(line);
    if (answer?.id !== undefined) waiting.get(answer.id)?.(answer);
  });
  const send = (message: object): void =>
    void server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let id = 0;
  const ask = async (method: string, params?: object): Promise<NonNullable<Answer['result']>> => {
    id += 1;
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    send({ id, method, ...(params === undefined ? {} : { params }) });
    const gone = once(server, 'exit').then((): Answer => ({}));
    const { result } = await Promise.race([answered, gone]);
    if (result === undefined || result.isError === true) throw new Error(`${name} did not answer ${method}.`);
    return result;
  };
  return {
    ask,
    send,
    elapsed: () => performance.now() - started,
    used: () => usageOf(server.pid),
    close: async () => {
      clearTimeout(late);
      server.stdin.end();
      server.kill('SIGTERM');
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    },
  };
}

type Opened = ReturnType<typeof open>;

async function listTools({ ask, send }: Opened): Promise<unknown[]> {
  const clientInfo = { name: 'benchmark', version: '1' };
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  send({ method: 'notifications/initialized' });
  return (await ask('tools/list')).tools ?? [];
}

/** Spawn → `tools/list`, and → the first search, asked at once. */
async function start(contender: Contender): Promise<{ figures: Figures; tools: unknown[] }> {
  const server = open(contender);
  try {
    const tools = await listTools(server);
    const { cpuMs: cpu_ms, peakMb: memory_mb } = server.used();
    const figures: Figures = { wall_ms: server.elapsed(), cpu_ms, memory_mb };
    if (contender.search !== undefined) {
      await server.ask('tools/call', contender.search);
      figures['first_ms'] = server.elapsed();
      figures['first_cpu_ms'] = server.used().cpuMs;
    }
    return { figures, tools };
  } finally {
    await server.close();
  }
}

/** How much longer the first search takes than the second, when the client idled before it. */
async function idle(contender: Contender): Promise<Figures> {
  if (contender.search === undefined) return {};
  const server = open(contender);
  try {
    await listTools(server);
    await sleep(IDLE_MS);
    const idle_mb = server.used().nowMb;
    const begun = server.elapsed();
    await server.ask('tools/call', contender.search);
    const first = server.elapsed();
    await server.ask('tools/call', contender.search);
    return { idle_mb, idle_first_more_ms: first - begun - (server.elapsed() - first) };
  } finally {
    await server.close();
  }
}

/** Some servers greet people on standard output before they speak the protocol. */
function answerIn(line: string): Answer | undefined {
  try {
    return JSON.parse(line) as Answer;
  } catch {
    return undefined;
  }
}

/** Processor time and memory, as Linux counts them; elsewhere nothing. */
function usageOf(pid: number | undefined): { cpuMs: number; peakMb: number; nowMb: number } {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const ran = threads.map((one) =>
      Number(readFileSync(`/proc/${pid}/task/${one}/schedstat`, 'utf8').split(' ')[0]),
    );
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const megabytes = (name: string) =>
      Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
    return {
      cpuMs: Math.round(ran.reduce((sum, one) => sum + one, 0) / 1e6),
      peakMb: megabytes('VmHWM'),
      nowMb: megabytes('VmRSS'),
    };
  } catch {
    return { cpuMs: 0, peakMb: 0, nowMb: 0 };
  }
}

/** Runs a program to its end: wall time, and the processor time that it reports itself. */
async function run(args: string[]): Promise<Figures> {
  const cpu = join(folder, 'cpu.json');
  const hook = join(folder, 'hook.cjs');
  writeFileSync(
    hook,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(cpu)}, JSON.stringify(process.cpuUsage())));`,
  );
  const started = performance.now();
  const child: ChildProcess = spawn(process.execPath, ['--require', hook, ...args], { env, stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`\`node ${args.join(' ')}\` failed.`);
  const { user, system } = JSON.parse(readFileSync(cpu, 'utf8')) as { user: number; system: number };
  return { wall_ms: performance.now() - started, cpu_ms: (user + system) / 1_000 };
}

const own = (toolset: string, search?: Contender['search']): Contender => ({
  name: `headgate, ${toolset}`,
  version: VERSION,
  args: [join(dist, 'main.cjs'), 'mcp', '--tools', toolset],
  env: {},
  ...(search === undefined ? {} : { search }),
  packages: 1,
  megabytes: weigh(dist).megabytes,
});

const page = join(folder, 'page.html');
const paragraph = '<p>A gate lets water into a canal, and somebody opens it in the morning.</p>';
writeFileSync(page, `<title>Gates</title><main><h1>Gates</h1>${paragraph.repeat(10)}</main>`);
const PROGRAMS: Record<string, string[]> = {
  'node -e 0': ['-e', '0'],
  'headgate search': [join(dist, 'main.cjs'), 'search', 'rust'],
  'headgate extract': [join(dist, 'main.cjs'), 'extract', page],
  "import 'headgate'": ['--input-type=module', '--eval', `import ${JSON.stringify(join(dist, 'index.js'))}`],
};

const sim = await startSim({ upstreams: simUpstreams, port: SIM_PORT });
const contenders = [
  own('default', { name: 'web_search', arguments: { query: 'rust' } }),
  own('websearch'),
  own('tavily'),
  ...installPeers(),
];
const starts = new Map(contenders.map((one) => [one, { figures: [] as Figures[], tools: [] as unknown[] }]));
const programs = new Map(Object.keys(PROGRAMS).map((name) => [name, [] as Figures[]]));
for (let round = 0; round <= ROUNDS; round += 1) {
  for (const [name, done] of programs) {
    done.push(await run(PROGRAMS[name] ?? []));
  }
  for (const [contender, done] of starts) {
    try {
      const { figures, tools } = await start(contender);
      done.tools = tools;
      done.figures.push({ ...figures, ...(await idle(contender)) });
    } catch (thrown) {
      console.error(`LEFT OUT: ${String(thrown)}`);
      starts.delete(contender);
    }
  }
}
await sim.close();
rmSync(folder, { recursive: true, force: true });

/** The median of every figure, in whole units; the first round only warms the machine's caches. */
const medians = ([, ...all]: Figures[]): Figures =>
  Object.fromEntries(
    Object.keys(all[0] ?? {}).map((name) => [name, Math.round(median(all.map((one) => one[name] ?? 0)))]),
  );
const [, ...bare] = programs.get('node -e 0') ?? [];
const nodeMs = median(bare.map((one) => one['wall_ms'] ?? 0));
const nodeCpuMs = median(bare.map((one) => one['cpu_ms'] ?? 0));
const times = (value: number | undefined, unit: number): number =>
  Math.round(((value ?? 0) / unit) * 100) / 100;
const servers = await Promise.all(
  [...starts].map(async ([{ name, version, packages, megabytes, search }, { figures, tools }]) => {
    const list = JSON.stringify(tools);
    const middle = medians(figures);
    return {
      name,
      version,
      ...middle,
      times_node: times(middle['wall_ms'], nodeMs),
      ...(search === undefined
        ? {}
        : {
            first_times_node: times(middle['first_ms'], nodeMs),
            first_cpu_times_node: times(middle['first_cpu_ms'], nodeCpuMs),
          }),
      tools: tools.length,
      list_bytes: list.length,
      list_tokens: await countTokens(list),
      packages,
      megabytes,
    };
  }),
);
const commands = [...programs].map(([name, all]) => {
  const middle = medians(all);
  return {
    name,
    ...middle,
    times_node: times(middle['wall_ms'], nodeMs),
    cpu_times_node: times(middle['cpu_ms'], nodeCpuMs),
  };
});
report('startup', { rounds: ROUNDS, node_ms: nodeMs, node_cpu_ms: nodeCpuMs, servers, commands });
