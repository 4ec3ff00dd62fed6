// What the gateway adds to a call: /search with keys and metering against a bare node:http proxy to the same simulated
// upstream, in one run, interleaved. Needs the build (`npm run build`). Prints JSON.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, request as httpRequest } from 'node:http';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';

const SECONDS = Number(process.env['SECONDS'] ?? 2);
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const CONNECTIONS = Number(process.env['CONNECTIONS'] ?? 16);
const ADMIN = 'benchmark-admin-token';
const MAIN = join(import.meta.dirname, '../../dist/main.cjs');

interface Target {
  name: string;
  url: string;
  headers: Record<string, string>;
  body(index: number): string;
}

async function main(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'headgate-benchmark-'));
  const children: ChildProcess[] = [];
  const run = async (args: string[], env: Record<string, string>, ready: string): Promise<void> => {
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    for (let tries = 0; !text.includes(ready); tries += 1) {
      if (tries > 200) throw new Error(`Not ready: ${text}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  try {
    const [sim, proxy, gateway, cached] = [19_801, 19_802, 19_803, 19_804];
    await run([MAIN, 'sim', '--port', String(sim)], {}, 'Simulated');
    await run(
      [...process.execArgv, import.meta.filename, 'proxy', String(proxy), String(sim)],
      {},
      'proxy ready',
    );
    const env = {
      HEADGATE_PROVIDERS__TAVILY__BASE_URL: `http://127.0.0.1:${sim}/tavily`,
      TAVILY_API_KEY: 'tvly-benchmark',
      HEADGATE_SEARCH__PROVIDER: 'tavily',
      HEADGATE_SERVER__ADMIN_TOKEN: ADMIN,
      HEADGATE_SERVER__REQUESTS_PER_MINUTE: '1000000',
    };
    const start = async (port: number, cache: string): Promise<string> => {
      await run(
        [MAIN, 'serve'],
        {
          ...env,
          HEADGATE_HOME: join(home, String(port)),
          HEADGATE_SERVER__PORT: String(port),
          HEADGATE_CACHE__ENABLED: cache,
        },
        'ready on',
      );
      return keyOf(`http://127.0.0.1:${port}`);
    };
    const key = await start(gateway, 'false');
    const cachedKey = await start(cached, 'true');
    const targets: Target[] = [
      target('bare proxy', `http://127.0.0.1:${proxy}/search`, 'tvly-benchmark', true),
      target('gateway, keys and metering', `http://127.0.0.1:${gateway}/search`, key, true),
      target('gateway, from memory', `http://127.0.0.1:${cached}/search`, cachedKey, false),
    ];
    const table = await measure(targets);
    console.log(
      JSON.stringify(
        {
          node: process.version,
          cores: cpus().length,
          load: loadavg()[0],
          SECONDS,
          ROUNDS,
          CONNECTIONS,
          table,
        },
        null,
        2,
      ),
    );
  } finally {
    for (const child of children) child.kill('SIGTERM');
    await Promise.all(
      children.filter((child) => child.exitCode === null).map((child) => once(child, 'exit')),
    );
    rmSync(home, { recursive: true, force: true });
  }
}

function target(name: string, url: string, key: string, isFresh: boolean): Target {
  return {
    name,
    url,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: (index) =>
      JSON.stringify({ query: isFresh ? `tidal mills ${index}` : 'tidal mills', max_results: 5 }),
  };
}

/** Rounds take turns, so that a busy machine is busy for everybody. */
async function measure(targets: Target[]) {
  const alone = targets.map(() => [] as number[]);
  const crowd = targets.map(() => ({ ms: [] as number[], rps: [] as number[], failed: 0 }));
  for (const one of targets) await load(one, 1, 0.5);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, one] of targets.entries()) {
      alone[index]?.push(...(await load(one, 1, SECONDS)).ms);
      const many = await load(one, CONNECTIONS, SECONDS);
      crowd[index]?.ms.push(...many.ms);
      crowd[index]?.rps.push(many.ms.length / SECONDS);
      const sum = crowd[index];
      if (sum !== undefined) sum.failed += many.failed;
    }
  }
  const base = quantile(alone[0] ?? [], 0.5);
  return targets.map((one, index) => ({
    name: one.name,
    calls: (alone[index]?.length ?? 0) + (crowd[index]?.ms.length ?? 0),
    failed: crowd[index]?.failed,
    one_at_a_time: { p50_ms: quantile(alone[index] ?? [], 0.5), p99_ms: quantile(alone[index] ?? [], 0.99) },
    overhead_p50_ms: Math.round((quantile(alone[index] ?? [], 0.5) - base) * 1_000) / 1_000,
    together: {
      rps_median: quantile(crowd[index]?.rps ?? [], 0.5),
      p50_ms: quantile(crowd[index]?.ms ?? [], 0.5),
      p99_ms: quantile(crowd[index]?.ms ?? [], 0.99),
    },
  }));
}

let asked = 0;

async function load(
  one: Target,
  connections: number,
  seconds: number,
): Promise<{ ms: number[]; failed: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const end = performance.now() + seconds * 1_000;
  const ms: number[] = [];
  let failed = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() < end) {
      const started = performance.now();
      const status = await post(one, agent, (asked += 1));
      ms.push(performance.now() - started);
      if (status !== 200) failed += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  agent.destroy();
  return { ms, failed };
}

function post(one: Target, agent: Agent, index: number): Promise<number> {
  const body = one.body(index);
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      one.url,
      { method: 'POST', agent, headers: { ...one.headers, 'content-length': Buffer.byteLength(body) } },
      (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode ?? 0));
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

async function keyOf(url: string): Promise<string> {
  const admin = async (path: string, body: object): Promise<Record<string, string>> => {
    const response = await fetch(`${url}/admin${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN}` },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Record<string, string>;
  };
  const workspace = await admin('/workspaces', { name: 'Benchmark', tier: 'pro' });
  await admin(`/subscriptions/${workspace['subscription']}/top-up`, { amount: 1_000_000_000_000 });
  const made = await admin('/keys', { workspace: workspace['id'], label: 'benchmark' });
  return made['key'] ?? '';
}

/** The least that a proxy can do: pass the bytes on, over connections that stay open. */
async function runProxy(port: number, upstream: number): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, host: `127.0.0.1:${upstream}` };
    const onward = httpRequest(
      { port: upstream, path: `/tavily${incoming.url}`, method: 'POST', headers, agent },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      },
    );
    incoming.pipe(onward);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  console.log('proxy ready');
  await once(process, 'SIGTERM');
  process.exit(0);
}

function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) * 1_000) / 1_000;
}

if (process.argv[2] === 'proxy') await runProxy(Number(process.argv[3]), Number(process.argv[4]));
else await main();
