// Reserve and settle, per second, on one machine: our stores beside naive ones, all in one run, on this disk and on disks whose flush has a fixed price.
// npm run benchmark -- ledger -- [--seconds 2] [--rounds 3] [--only SQLite] [--history 10000000 [--folder PATH]] [--budgets] [--json]
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildSync } from 'esbuild';
import { systemClock } from '../../src/core/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { openSqlite } from '../../src/store/sqlite/sqlite.ts';
import { startPostgres } from '../../tests/support/postgres.ts';
import { budgetContenders, postgresContenders, sqliteContenders } from './contenders.ts';
import { buildFlushLibrary, type Disk, DISKS, environmentOf, flushTimes } from './disk.ts';
import { type History, postgresWithHistory, sqliteWithHistory } from './history.ts';
import { type Case, compare, type Figure } from './measure.ts';
import { latencyGoals, type Measured, ratiosOfBudgets, ratiosOfHistories, ratiosOfStores } from './ratios.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    history: { type: 'string' },
    folder: { type: 'string' },
    // What budgets cost: `--rounds 20 --seconds 0.5` compares many short turns.
    budgets: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    // Set by this program for its children: the disk they run on.
    disk: { type: 'string' },
  },
});
const length = { seconds: Number(values.seconds), rounds: Number(values.rounds) };
const isWanted = (engine: string): boolean => engine.startsWith(values.only);

/** What one run found on one disk. */
interface Found {
  flush: { p50Ms: number; p99Ms: number };
  figures: Figure[];
  usage?: UsageTime[];
}

interface UsageTime {
  contender: string;
  /** The usage of the last day by workspace and provider, as the console asks for it. */
  usageP50Ms: number;
  buildSeconds: number;
  bytes: number;
}

const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'headgate-bench-'));
try {
  if (values.history !== undefined) report(await onThisDisk(() => compareHistories(Number(values.history))));
  else if (values.disk !== undefined)
    console.log(JSON.stringify(await (values.budgets ? compareBudgets() : compareStores(values.disk))));
  else if (values.budgets) report(new Map([['this disk', child(DISKS[0] as Disk, {})]]));
  else report(onEachDisk());
} finally {
  // A folder that was given keeps its databases, so that a long history is made once.
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
}

async function onThisDisk(work: () => Promise<Found>): Promise<Map<string, Found>> {
  return new Map([[DISKS[0]?.name ?? '', await work()]]);
}

/** Each disk has a process of its own, because what a flush costs is decided when a process is loaded. */
function onEachDisk(): Map<string, Found> {
  const library = buildFlushLibrary(folder);
  if (library === undefined) {
    console.error('There is no C compiler: flushes are not counted, and only this disk is measured.');
    return new Map([['this disk', child(DISKS[0] as Disk, {})]]);
  }
  return new Map(DISKS.map((disk) => [disk.name, child(disk, environmentOf(disk, library, folder))]));
}

function child(disk: Disk, environment: Record<string, string>): Found {
  const { seconds, rounds, only } = values;
  const length = disk.flushUs === undefined ? { seconds, rounds } : { seconds: '1', rounds: '2' };
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      bundle(),
      ...Object.entries({ ...length, only, disk: disk.name }).map(([name, value]) => `--${name}=${value}`),
      ...(values.budgets ? ['--budgets'] : []),
    ],
    {
      env: { ...process.env, ...environment },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 1e8,
    },
  );
  if (status !== 0) throw new Error(`nothing was measured on ${disk.name}`);
  return JSON.parse(stdout) as Found;
}

/** What is measured is bundled as the package is, and lies where the parts that are not bundled are found. */
function bundle(): string {
  const root = join(import.meta.dirname, '../..');
  const outdir = join(root, 'node_modules', '.headgate-benchmark');
  buildSync({
    entryPoints: { main: fileURLToPath(import.meta.url), 'store-worker': join(root, 'src/store-worker.ts') },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  });
  // Threads are looked for as CommonJS, as the package has them.
  writeFileSync(join(outdir, 'store-worker.cjs'), "import('./store-worker.js');\n");
  return join(outdir, 'main.js');
}

async function compareStores(disk: string): Promise<Found> {
  const flush = flushTimes(folder);
  const server = isWanted('PostgreSQL') ? await startPostgres() : undefined;
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
  const figures: Figure[] = [];
  const isReal = disk === DISKS[0]?.name;
  for (const each of cases)
    if (isReal || each.accounts === 64) figures.push(...(await compare(contenders, each, length)));
  for (const contender of contenders) await contender.close();
  await server?.stop();
  return { flush, figures };
}

/** The same load on accounts with and without budgets. */
async function compareBudgets(): Promise<Found> {
  const flush = flushTimes(folder);
  const server = isWanted('PostgreSQL') ? await startPostgres() : undefined;
  const clock = systemClock;
  const contenders = [
    ...(isWanted('SQLite')
      ? await budgetContenders(
          'SQLite',
          openSqlite({ path: join(folder, 'budgets.db'), clock, exclusive: true, deadlineMs: 60_000 }),
        )
      : []),
    ...(server === undefined
      ? []
      : await budgetContenders(
          'PostgreSQL',
          openPostgres({ url: await server.freshUrl(), clock, log: silentLogger, deadlineMs: 60_000 }),
        )),
  ];
  const figures: Figure[] = [];
  for (const callers of [1, 16]) {
    // The first turns are those of the compiler.
    await compare(contenders, { accounts: 64, callers }, { seconds: 0.5, rounds: 1 });
    figures.push(...(await compare(contenders, { accounts: 64, callers }, length)));
  }
  for (const contender of contenders) await contender.close();
  await server?.stop();
  return { flush, figures };
}

/** F26: the same load on 10,000 calls of history and on many. */
async function compareHistories(rows: number): Promise<Found> {
  const flush = flushTimes(folder);
  const server = isWanted('PostgreSQL') ? await startPostgres() : undefined;
  const histories: History[] = [];
  for (const each of [10_000, rows]) {
    if (isWanted('SQLite')) histories.push(sqliteWithHistory(folder, each));
    if (server !== undefined) histories.push(await postgresWithHistory(await server.freshUrl(), each));
  }
  const contenders = histories.map((history) => history.contender);
  // What is read first comes from the disk; the second time it is measured.
  await compare(contenders, { accounts: 64, callers: 16 }, { seconds: 1, rounds: 1 });
  const figures = await compare(contenders, { accounts: 64, callers: 16 }, length);
  const usage: UsageTime[] = [];
  for (const { contender, usageMs, buildSeconds, bytes } of histories)
    usage.push({ contender: contender.name, usageP50Ms: await usageMs(), buildSeconds, bytes });
  for (const { close } of histories) await close();
  await server?.stop();
  return { flush, figures, usage };
}

function report(found: Map<string, Found>): void {
  const figures: Measured[] = [...found].flatMap(([disk, { figures: of }]) =>
    of.map((it) => ({ disk, ...it })),
  );
  const disks = Object.fromEntries([...found].map(([disk, { flush }]) => [disk, flush]));
  const usage = [...found.values()].flatMap((it) => it.usage ?? []);
  const ratios =
    usage.length > 0
      ? ratiosOfHistories(figures)
      : values.budgets
        ? ratiosOfBudgets(figures)
        : ratiosOfStores(figures);
  const latencies = usage.length > 0 || values.budgets ? [] : latencyGoals(figures);
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim();
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'cpu'}, load ${loadavg()[0]?.toFixed(1)}`;
  if (values.json) {
    const node = process.version;
    const all = { commit, machine, node, ...length, disks, figures, usage, ratios, latencies };
    console.log(JSON.stringify(all, null, 2));
    return;
  }
  console.log(`commit ${commit} · Node ${process.version} · ${machine}`);
  for (const [disk, { p50Ms, p99Ms }] of Object.entries(disks))
    console.log(`${disk}: 4 kB and fsync p50 ${p50Ms} ms, p99 ${p99Ms} ms`);
  console.table(figures);
  if (usage.length > 0) console.table(usage);
  for (const [name, ratio] of Object.entries(ratios)) console.log(`${name}: ${ratio}`);
  for (const { what, p99Ms, goalMs } of latencies)
    console.log(`${what}: p99 of a reserve ${p99Ms} ms (≤ ${goalMs})`);
}
