// Reserve and settle, per second, on one machine: our stores beside naive ones, all in one run.
// node --import tsx benchmarks/ledger/main.ts [--seconds 2] [--rounds 3] [--only SQLite] [--json]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../tests/postgres.ts';
import { type Contender, postgresContenders, sqliteContenders } from './contenders.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);

interface Figure {
  contender: string;
  accounts: number;
  callers: number;
  /** Reserves and settles per second, median of the rounds. */
  perSecond: number;
  least: number;
  most: number;
  p50Ms: number;
  p99Ms: number;
  loopP99Ms: number;
}

const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'));
const server = await startPostgres();
const figures: Figure[] = [];
try {
  const all = [
    ...(await sqliteContenders(folder)),
    ...(server === undefined ? [] : await postgresContenders(await server.freshUrl())),
  ];
  const contenders = all.filter((contender) => contender.name.startsWith(values.only));
  const cases: Case[] = [
    { accounts: 64, callers: 1 },
    { accounts: 64, callers: 16 },
    { accounts: 64, callers: 128 },
    { accounts: 1, callers: 128 },
  ];
  for (const each of cases) figures.push(...(await compare(contenders, each)));
  for (const contender of all) await contender.close();
} finally {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}
report();

interface Case {
  accounts: number;
  callers: number;
}

/** The contenders take turns, so that what else the machine does hits all of them alike. */
async function compare(contenders: Contender[], each: Case): Promise<Figure[]> {
  const measured = new Map<Contender, Round[]>(contenders.map((contender) => [contender, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of contenders) measured.get(contender)?.push(await measure(contender, each));
  }
  return [...measured].map(([contender, results]) => summary(contender, each, results));
}

interface Round {
  perSecond: number;
  latencies: number[];
  loopP99Ms: number;
}

async function measure(contender: Contender, { accounts, callers }: Case): Promise<Round> {
  const latencies: number[] = [];
  const loop = monitorEventLoopDelay({ resolution: 5 });
  const start = performance.now();
  const end = start + seconds * 1_000;
  loop.enable();
  const timed = async (work: Promise<unknown>) => {
    const from = performance.now();
    await work;
    latencies.push(performance.now() - from);
  };
  const caller = async (_: unknown, index: number) => {
    while (performance.now() < end) {
      const account = `account-${index % accounts}`;
      const id = contender.newId();
      await timed(contender.reserve(id, account));
      await timed(contender.settle(id, account));
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  loop.disable();
  const perSecond = latencies.length / ((performance.now() - start) / 1_000);
  return { perSecond, latencies, loopP99Ms: loop.percentile(99) / 1e6 };
}

function summary(
  contender: Contender,
  each: { accounts: number; callers: number },
  results: Round[],
): Figure {
  const speeds = results.map((round) => round.perSecond).toSorted((a, b) => a - b);
  const latencies = results.flatMap((round) => round.latencies).toSorted((a, b) => a - b);
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  return {
    contender: contender.name,
    ...each,
    perSecond: Math.round(speeds[Math.floor(speeds.length / 2)] ?? 0),
    least: Math.round(speeds[0] ?? 0),
    most: Math.round(speeds.at(-1) ?? 0),
    p50Ms: round1(at(0.5)),
    p99Ms: round1(at(0.99)),
    loopP99Ms: round1(Math.max(...results.map((round) => round.loopP99Ms))),
  };
}

function report(): void {
  const of = (name: string, accounts: number) =>
    figures.find((it) => it.contender === name && it.accounts === accounts && it.callers === 128)
      ?.perSecond ?? 0;
  const ratios = {
    'SQLite, group commit : fsync per call (≥ 20)':
      of('SQLite, group commit', 64) / of('SQLite, fsync per call', 64),
    'PostgreSQL, batched : one call per operation (≥ 2.5)':
      of('PostgreSQL, batched', 64) / of('PostgreSQL, function per call', 64),
    'PostgreSQL, batched : BEGIN … COMMIT':
      of('PostgreSQL, batched', 64) / of('PostgreSQL, BEGIN … COMMIT', 64),
    'one hot account, SQLite': of('SQLite, group commit', 1) / of('SQLite, fsync per call', 1),
    'one hot account, PostgreSQL : one call per operation':
      of('PostgreSQL, batched', 1) / of('PostgreSQL, function per call', 1),
  };
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim();
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'cpu'}, load ${loadavg()[0]?.toFixed(1)}`;
  if (values.json) {
    console.log(
      JSON.stringify({ commit, machine, node: process.version, seconds, rounds, figures, ratios }, null, 2),
    );
    return;
  }
  console.log(`commit ${commit} · Node ${process.version} · ${machine} · median of ${rounds} × ${seconds} s`);
  console.table(figures);
  for (const [name, ratio] of Object.entries(ratios)) console.log(`${name}: ${ratio.toFixed(1)}`);
}

function round1(value: number): number {
  return Math.round(value * 10) / 10;
}
