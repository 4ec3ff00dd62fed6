// What the gateway adds to a call: /search with keys and metering against a bare node:http proxy to the same simulated
// upstream, in one run, interleaved. Beside it what two commits of the same ledger take, alone and in that proxy: less than those no
// gateway can add that records each call durably. Needs the build (`npm run build`). Prints JSON. `OTHER=/path/to/dist/main.cjs` measures another version beside this one.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/core/clock.ts';
import { openSqlite } from '../../src/store/sqlite/sqlite.ts';
import { holdOf, settleOf } from '../../tests/support/ledger/workload.ts';
import { cpuMsOf, createChildren, GATEWAY_ENV, keyOf, MAIN } from './children.ts';
import { load, quantile, target, type Target } from './load.ts';

const SECONDS = Number(process.env['SECONDS'] ?? 2);
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const CONNECTIONS = Number(process.env['CONNECTIONS'] ?? 16);
const OTHER = process.env['OTHER'];

interface Measured extends Target {
  process: ChildProcess;
  alone: number[];
  crowd: { ms: number[]; rps: number[]; cpuMs: number[]; failed: number };
}

async function main(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'headgate-benchmark-'));
  const { run, end } = createChildren();
  try {
    const [sim, proxy, gateway, cached, other, booking] = [19_801, 19_802, 19_803, 19_804, 19_805, 19_806];
    await run([MAIN, 'sim', '--port', String(sim)], {}, 'Simulated');
    const startProxy = async (name: string, port: number, ...store: string[]): Promise<Measured> => {
      const args = [...process.execArgv, import.meta.filename, 'proxy', String(port), String(sim), ...store];
      const child = await run(args, {}, 'proxy ready');
      return measured(target(name, `http://127.0.0.1:${port}/search`, 'tvly-benchmark', true), child);
    };
    const start = async (name: string, port: number, isCached: boolean, main = MAIN): Promise<Measured> => {
      const child = await run(
        [main, 'serve'],
        {
          ...GATEWAY_ENV,
          HEADGATE_PROVIDERS__TAVILY__BASE_URL: `http://127.0.0.1:${sim}/tavily`,
          HEADGATE_HOME: join(home, String(port)),
          HEADGATE_SERVER__PORT: String(port),
          HEADGATE_CACHE__ENABLED: String(isCached),
        },
        'ready on',
      );
      const url = `http://127.0.0.1:${port}`;
      return measured(target(name, `${url}/search`, await keyOf(url), !isCached), child);
    };
    const targets = [
      await startProxy('bare proxy', proxy),
      await startProxy('bare proxy that holds and settles', booking, join(home, 'proxy.db')),
      await start('gateway, keys and metering', gateway, false),
      await start('gateway, from memory', cached, true),
      ...(OTHER === undefined ? [] : [await start('gateway of OTHER', other, false, OTHER)]),
    ];
    const commits = await createCommits(join(home, 'commits.db'));
    const table = await measure(targets, commits);
    const about = { node: process.version, cores: cpus().length, load: loadavg()[0] };
    const two_commits_p50_ms = quantile(commits.ms, 0.5);
    console.log(
      JSON.stringify({ ...about, SECONDS, ROUNDS, CONNECTIONS, two_commits_p50_ms, table }, null, 2),
    );
    await commits.close();
  } finally {
    await end();
    rmSync(home, { recursive: true, force: true });
  }
}

const measured = (one: Target, child: ChildProcess): Measured => ({
  ...one,
  process: child,
  alone: [],
  crowd: { ms: [], rps: [], cpuMs: [], failed: 0 },
});

/** A ledger with one account, whose calls each wait for two commits. */
async function openBooks(path: string) {
  const database = openSqlite({ path, clock: systemClock, exclusive: true, deadlineMs: 60_000 });
  await database.write([
    {
      sql: "INSERT INTO subscriptions (id, name, tier, balance, created) VALUES ('account', 'account', 'pro', 1000000000000, 0)",
      values: [],
    },
  ]);
  let last = 0;
  return {
    /** Returns what settles the call. */
    hold: async () => {
      const id = `h${String(++last).padStart(12, '0')}`;
      await database.book(holdOf(id, 'account'));
      return () => database.book(settleOf(id, 'account', 1, Date.now()));
    },
    close: () => database.close(),
  };
}

/** Holds and settles one call after another, as a metered call does, with nothing around it. */
async function createCommits(path: string) {
  const books = await openBooks(path);
  const ms: number[] = [];
  return {
    ms,
    run: async (seconds: number): Promise<void> => {
      for (const end = performance.now() + seconds * 1_000; performance.now() < end;) {
        const started = performance.now();
        await (
          await books.hold()
        )();
        ms.push(performance.now() - started);
      }
    },
    close: () => books.close(),
  };
}

/** Rounds take turns, so that a busy machine is busy for everybody. */
async function measure(targets: Measured[], commits: Awaited<ReturnType<typeof createCommits>>) {
  for (const one of targets) await load(one, CONNECTIONS, 1);
  for (let round = 0; round < ROUNDS; round += 1) {
    await commits.run(SECONDS / 2);
    for (const { alone, crowd, ...one } of targets) {
      alone.push(...(await load(one, 1, SECONDS)).ms);
      const before = cpuMsOf(one.process);
      const many = await load(one, CONNECTIONS, SECONDS);
      crowd.cpuMs.push((cpuMsOf(one.process) - before) / Math.max(1, many.ms.length));
      crowd.ms.push(...many.ms);
      crowd.rps.push(many.ms.length / SECONDS);
      crowd.failed += many.failed;
    }
  }
  const [bare] = targets;
  const overhead = ({ alone }: Measured, share: number): number =>
    Math.round((quantile(alone, share) - quantile(bare?.alone ?? [], share)) * 1_000) / 1_000;
  return targets.map((one) => ({
    name: one.name,
    calls: one.alone.length + one.crowd.ms.length,
    failed: one.crowd.failed,
    one_at_a_time: {
      p10_ms: quantile(one.alone, 0.1),
      p50_ms: quantile(one.alone, 0.5),
      p99_ms: quantile(one.alone, 0.99),
    },
    overhead_p50_ms: overhead(one, 0.5),
    /** Among the calls that nothing else on the machine delayed. */
    overhead_p10_ms: overhead(one, 0.1),
    together: {
      rps_median: quantile(one.crowd.rps, 0.5),
      p50_ms: quantile(one.crowd.ms, 0.5),
      p99_ms: quantile(one.crowd.ms, 0.99),
      cpu_ms_per_call: quantile(one.crowd.cpuMs, 0.5),
    },
  }));
}

/**
 * The least that a proxy can do: pass the bytes on, over connections that stay open. With a ledger, it holds before it asks and settles
 * before it answers.
 */
async function runProxy(port: number, upstream: number, ledger: string | undefined): Promise<void> {
  const books = ledger === undefined ? undefined : await openBooks(ledger);
  const agent = new Agent({ keepAlive: true });
  const pass = (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    settle?: () => Promise<unknown>,
  ): void => {
    const headers = { ...incoming.headers, host: `127.0.0.1:${upstream}` };
    const onward = httpRequest(
      { port: upstream, path: `/tavily${incoming.url}`, method: 'POST', headers, agent },
      (response) => {
        const answer = (): void => {
          outgoing.writeHead(response.statusCode ?? 502, response.headers);
          response.pipe(outgoing);
        };
        if (settle === undefined) answer();
        else void settle().then(answer);
      },
    );
    incoming.pipe(onward);
  };
  const server = createServer((incoming, outgoing) => {
    if (books === undefined) pass(incoming, outgoing);
    else void books.hold().then((settle) => pass(incoming, outgoing, settle));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  console.log('proxy ready');
  await once(process, 'SIGTERM');
  process.exit(0);
}

if (process.argv[2] === 'proxy')
  await runProxy(Number(process.argv[3]), Number(process.argv[4]), process.argv[5]);
else await main();
