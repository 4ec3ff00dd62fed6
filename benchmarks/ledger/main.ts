// Reserve and settle, per second, on one machine: our stores beside naive ones, all in one run.
// npm run benchmark:ledger -- [--seconds 2] [--rounds 3] [--only SQLite] [--history 10000000 [--folder PATH]] [--json]
import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../tests/postgres.ts';
import { type Contender, postgresContenders, sqliteContenders } from './contenders.ts';
import { postgresWithHistory, sqliteWithHistory } from './history.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    history: { type: 'string' },
    folder: { type: 'string' },
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
  /** Of reserves alone. */
  reserveP99Ms: number;
  loopP99Ms: number;
}

const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'headgate-bench-'));
const history = values.history === undefined ? undefined : Number(values.history);
const isWanted = (engine: string): boolean => engine.startsWith(values.only);
const disk = flushTimes(folder);
const server = isWanted('PostgreSQL') ? await startPostgres() : undefined;
const figures: Figure[] = [];
try {
  if (history === undefined) await compareStores();
  else await compareHistories(history);
} finally {
  await server?.stop();
  // A folder that was given keeps its databases, so that a long history is made once.
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
}
report();

async function compareStores(): Promise<void> {
  const contenders = [
    ...(isWanted('SQLite') ? await sqliteContenders(folder) : []),
    ...(server === undefined ? [] : await postgresContenders(await server.freshUrl())),
  ];
  const cases: Case[] = [
    { accounts: 64, callers: 1 },
    { accounts: 64, callers: 16 },
    { accounts: 64, callers: 128 },
    { accounts: 1, callers: 128 },
  ];
  for (const each of cases) figures.push(...(await compare(contenders, each)));
  for (const contender of contenders) await contender.close();
}

/** F26: the same load on 10,000 calls of history and on many. */
async function compareHistories(rows: number): Promise<void> {
  const contenders: Contender[] = [];
  for (const each of [10_000, rows]) {
    if (isWanted('SQLite')) contenders.push(sqliteWithHistory(folder, each));
    if (server !== undefined) contenders.push(await postgresWithHistory(await server.freshUrl(), each));
  }
  // What is read first comes from the disk; the second time it is measured.
  await compare(contenders, { accounts: 64, callers: 16 });
  figures.push(...(await compare(contenders, { accounts: 64, callers: 16 })));
}

/** What one durable write costs here and now: the ratio to one commit per call is a ratio to this. */
function flushTimes(where: string): { p50Ms: number; p99Ms: number } {
  const path = join(where, 'flush');
  const file = openSync(path, 'w');
  const times = Array.from({ length: 300 }, (_, index) => {
    const from = performance.now();
    writeSync(file, Buffer.alloc(4_096, 1), 0, 4_096, (index % 8) * 4_096);
    fsyncSync(file);
    return performance.now() - from;
  });
  closeSync(file);
  rmSync(path);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => Number((sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2));
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}

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
  reserves: number[];
  loopP99Ms: number;
}

async function measure(contender: Contender, { accounts, callers }: Case): Promise<Round> {
  const latencies: number[] = [];
  const reserves: number[] = [];
  const loop = monitorEventLoopDelay({ resolution: 5 });
  const start = performance.now();
  const end = start + seconds * 1_000;
  loop.enable();
  const timed = async (work: Promise<unknown>) => {
    const from = performance.now();
    await work;
    const ms = performance.now() - from;
    latencies.push(ms);
    return ms;
  };
  const caller = async (_: unknown, index: number) => {
    while (performance.now() < end) {
      const account = `account-${index % accounts}`;
      const id = contender.newId();
      reserves.push(await timed(contender.reserve(id, account)));
      await timed(contender.settle(id, account));
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  loop.disable();
  const perSecond = latencies.length / ((performance.now() - start) / 1_000);
  return { perSecond, latencies, reserves, loopP99Ms: loop.percentile(99) / 1e6 };
}

function summary(
  contender: Contender,
  each: { accounts: number; callers: number },
  results: Round[],
): Figure {
  const speeds = results.map((round) => round.perSecond).toSorted((a, b) => a - b);
  const latencies = results.flatMap((round) => round.latencies);
  return {
    contender: contender.name,
    ...each,
    perSecond: Math.round(speeds[Math.floor(speeds.length / 2)] ?? 0),
    least: Math.round(speeds[0] ?? 0),
    most: Math.round(speeds.at(-1) ?? 0),
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    reserveP99Ms: quantile(
      results.flatMap((round) => round.reserves),
      0.99,
    ),
    loopP99Ms: round1(Math.max(...results.map((round) => round.loopP99Ms))),
  };
}

function report(): void {
  const ratios = history === undefined ? ratiosOfStores() : ratiosOfHistories();
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim();
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'cpu'}, load ${loadavg()[0]?.toFixed(1)}`;
  if (values.json) {
    console.log(
      JSON.stringify(
        { commit, machine, node: process.version, seconds, rounds, disk, figures, ratios },
        null,
        2,
      ),
    );
    return;
  }
  console.log(`commit ${commit} · Node ${process.version} · ${machine} · median of ${rounds} × ${seconds} s`);
  console.log(`4 kB and fsync on this disk: p50 ${disk.p50Ms} ms, p99 ${disk.p99Ms} ms`);
  console.table(figures);
  for (const [name, ratio] of Object.entries(ratios)) console.log(`${name}: ${ratio.toFixed(2)}`);
}

function ratiosOfHistories(): Record<string, number> {
  const engines = ['SQLite', 'PostgreSQL'].filter((engine) =>
    figures.some((it) => it.contender.startsWith(engine)),
  );
  return Object.fromEntries(
    engines.map((engine) => {
      const [short, long] = figures.filter((it) => it.contender.startsWith(engine));
      return [
        `${engine}, p99 of a reserve, long history : short (≤ 1.2)`,
        (long?.reserveP99Ms ?? 0) / (short?.reserveP99Ms ?? 1),
      ];
    }),
  );
}

function ratiosOfStores(): Record<string, number> {
  const of = (name: string, accounts: number) =>
    figures.find((it) => it.contender === name && it.accounts === accounts && it.callers === 128)
      ?.perSecond ?? 0;
  return {
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
}

function quantile(times: number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return round1(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}

function round1(value: number): number {
  return Math.round(value * 10) / 10;
}
