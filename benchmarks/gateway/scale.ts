// One gateway and two on one PostgreSQL, on one machine: throughput while the gateways wait for a slow upstream, and what a call
// costs in processor time when they do not. Needs the build. Prints JSON.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../tests/support/postgres.ts';
import { findProgram, startOnePort } from '../../tests/support/proxy.ts';
import { cpuMsOf, createChildren, GATEWAY_ENV, keyOf, MAIN } from './children.ts';
import { load, quantile, target, type Target } from './load.ts';

const SECONDS = Number(process.env['SECONDS'] ?? 3);
const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
const [FAST, SLOW, ONE_PORT] = [19_811, 19_812, 19_815];
/** Per gateway. With the slow upstream this is what each may have in flight, so a second gateway should double the throughput. */
const CONNECTIONS = 8;
const SLOW_MS = 60;

interface Gateway extends Target {
  process: ChildProcess;
}

async function main(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'headgate-scale-'));
  const server = await startPostgres();
  if (server === undefined) throw new Error('This benchmark needs PostgreSQL.');
  const { run, end } = createChildren();
  try {
    for (const [port, delayMs] of [
      [FAST, 0],
      [SLOW, SLOW_MS],
    ])
      await run(
        [...process.execArgv, import.meta.filename, 'upstream', String(port), String(delayMs)],
        {},
        'upstream ready',
      );
    const start = async (port: number, upstream: number, url: string): Promise<Gateway> => {
      const env = {
        ...GATEWAY_ENV,
        HEADGATE_PROVIDERS__TAVILY__BASE_URL: `http://127.0.0.1:${upstream}`,
        HEADGATE_STORE__URL: url,
        HEADGATE_HOME: join(home, String(port)),
        HEADGATE_SERVER__PORT: String(port),
        HEADGATE_CACHE__ENABLED: 'false',
      };
      const child = await run([MAIN, 'serve'], env, 'ready on');
      const address = `http://127.0.0.1:${port}`;
      return { ...target(address, `${address}/search`, await keyOf(address), true), process: child };
    };
    const pair = async (upstream: number): Promise<[Gateway, Gateway]> => {
      const url = await server.freshUrl();
      return [await start(upstream + 10, upstream, url), await start(upstream + 20, upstream, url)];
    };
    const slow = await pair(SLOW);
    const waiting = await measure(slow);
    const onePort = await measureOnePort(slow, home);
    const busy = await measure(await pair(FAST));
    const report = {
      node: process.version,
      cores: cpus().length,
      load: loadavg()[0],
      SECONDS,
      ROUNDS,
      [`upstream takes ${SLOW_MS} ms, ${CONNECTIONS} calls at a time per gateway`]: {
        ...waiting,
        scale: ratio(waiting.two.rps, waiting.one.rps),
        ...(onePort === undefined ? {} : { scale_on_one_port: onePort }),
      },
      'upstream answers at once; all share these cores': {
        ...busy,
        scale: ratio(busy.two.rps, busy.one.rps),
        /** What two gateways would do for one if each had a core of its own, as far as their own work goes. */
        scale_by_gateway_cpu: ratio(2 * busy.one.cpu_ms_per_call, busy.two.cpu_ms_per_call),
      },
    };
    console.log(JSON.stringify(report, null, 2));
  } finally {
    await end();
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** One and two take turns, so that a busy machine is busy for both. */
async function measure([first, second]: [Gateway, Gateway]) {
  const rounds = { one: [] as Round[], two: [] as Round[] };
  await Promise.all([load(first, CONNECTIONS, 1), load(second, CONNECTIONS, 1)]);
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.one.push(await measureRound([first]));
    rounds.two.push(await measureRound([first, second]));
  }
  return { one: summary(rounds.one), two: summary(rounds.two) };
}

/** Two gateways behind one port of nginx, as docs/scale.md says, beside one of them alone; undefined without nginx. */
async function measureOnePort(gateways: [Gateway, Gateway], folder: string): Promise<number | undefined> {
  const program = findProgram('nginx');
  if (program === undefined) return undefined;
  const [first, second] = gateways;
  const portOf = ({ url }: Gateway): number => Number(new URL(url).port);
  const place = { folder, port: ONE_PORT, gateways: [portOf(first), portOf(second)] as const };
  const proxy = startOnePort(program, place);
  try {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const both = { ...first, url: `http://127.0.0.1:${ONE_PORT}/search` };
    const rates = { one: [] as number[], both: [] as number[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      rates.one.push((await load(first, CONNECTIONS, SECONDS)).ms.length);
      const { ms, failed } = await load(both, 2 * CONNECTIONS, SECONDS);
      if (failed > 0) throw new Error(`${failed} calls through nginx failed.`);
      rates.both.push(ms.length);
    }
    return ratio(quantile(rates.both, 0.5), quantile(rates.one, 0.5));
  } finally {
    await proxy.stop();
  }
}

interface Round {
  ms: number[];
  failed: number;
  cpuMs: number;
}

async function measureRound(gateways: Gateway[]): Promise<Round> {
  const cpu = (): number => gateways.reduce((sum, gateway) => sum + cpuMsOf(gateway.process), 0);
  const before = cpu();
  const loads = await Promise.all(gateways.map((gateway) => load(gateway, CONNECTIONS, SECONDS)));
  return {
    ms: loads.flatMap((one) => one.ms),
    failed: loads.reduce((sum, one) => sum + one.failed, 0),
    cpuMs: cpu() - before,
  };
}

const summary = (rounds: Round[]) => ({
  rps: quantile(
    rounds.map((round) => round.ms.length / SECONDS),
    0.5,
  ),
  p50_ms: quantile(
    rounds.flatMap((round) => round.ms),
    0.5,
  ),
  p99_ms: quantile(
    rounds.flatMap((round) => round.ms),
    0.99,
  ),
  cpu_ms_per_call: quantile(
    rounds.map((round) => round.cpuMs / Math.max(1, round.ms.length)),
    0.5,
  ),
  failed: rounds.reduce((sum, round) => sum + round.failed, 0),
});

const ratio = (two: number, one: number): number => Math.round((two / one) * 100) / 100;

/** Answers every search with the same page, after a while. */
async function runUpstream(port: number, delayMs: number): Promise<void> {
  const results = Array.from({ length: 5 }, (_, index) => ({
    url: `https://example.com/${index}`,
    title: `Page ${index}`,
    content: 'Tidal mills grind grain with the power of the tide. '.repeat(10),
    score: 0.9,
    raw_content: null,
  }));
  const body = JSON.stringify({ query: 'q', results, images: [], response_time: 0.1, usage: { credits: 1 } });
  const server = createServer((incoming, outgoing) => {
    incoming.resume();
    const answer = (): void => {
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end(body);
    };
    incoming.once('end', () => (delayMs === 0 ? answer() : setTimeout(answer, delayMs)));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  console.log('upstream ready');
  await once(process, 'SIGTERM');
  process.exit(0);
}

if (process.argv[2] === 'upstream') await runUpstream(Number(process.argv[3]), Number(process.argv[4]));
else await main();
