// What the gateway adds to a call: /search with keys and metering against a bare node:http proxy to the same simulated
// upstream, in one run, interleaved. Needs the build (`npm run build`). Prints JSON. `OTHER=/path/to/dist/main.cjs` measures another
// version beside this one.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, request as httpRequest } from 'node:http';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChildren, GATEWAY_ENV, keyOf, MAIN } from './children.ts';
import { load, quantile, target, type Target } from './load.ts';

const SECONDS = Number(process.env['SECONDS'] ?? 2);
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const CONNECTIONS = Number(process.env['CONNECTIONS'] ?? 16);
const OTHER = process.env['OTHER'];

async function main(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'headgate-benchmark-'));
  const { run, end } = createChildren();
  try {
    const [sim, proxy, gateway, cached, other] = [19_801, 19_802, 19_803, 19_804, 19_805];
    await run([MAIN, 'sim', '--port', String(sim)], {}, 'Simulated');
    await run(
      [...process.execArgv, import.meta.filename, 'proxy', String(proxy), String(sim)],
      {},
      'proxy ready',
    );
    const start = async (port: number, cache: string, main = MAIN): Promise<string> => {
      await run(
        [main, 'serve'],
        {
          ...GATEWAY_ENV,
          HEADGATE_PROVIDERS__TAVILY__BASE_URL: `http://127.0.0.1:${sim}/tavily`,
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
    if (OTHER !== undefined) {
      const otherKey = await start(other, 'false', OTHER);
      targets.push(target('gateway of OTHER', `http://127.0.0.1:${other}/search`, otherKey, true));
    }
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
    await end();
    rmSync(home, { recursive: true, force: true });
  }
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
  const overhead = (index: number, share: number): number =>
    Math.round((quantile(alone[index] ?? [], share) - quantile(alone[0] ?? [], share)) * 1_000) / 1_000;
  return targets.map((one, index) => ({
    name: one.name,
    calls: (alone[index]?.length ?? 0) + (crowd[index]?.ms.length ?? 0),
    failed: crowd[index]?.failed,
    one_at_a_time: {
      p10_ms: quantile(alone[index] ?? [], 0.1),
      p50_ms: quantile(alone[index] ?? [], 0.5),
      p99_ms: quantile(alone[index] ?? [], 0.99),
    },
    overhead_p50_ms: overhead(index, 0.5),
    /** Among the calls that nothing else on the machine delayed. */
    overhead_p10_ms: overhead(index, 0.1),
    together: {
      rps_median: quantile(crowd[index]?.rps ?? [], 0.5),
      p50_ms: quantile(crowd[index]?.ms ?? [], 0.5),
      p99_ms: quantile(crowd[index]?.ms ?? [], 0.99),
    },
  }));
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

if (process.argv[2] === 'proxy') await runProxy(Number(process.argv[3]), Number(process.argv[4]));
else await main();
