import { appendFile, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { newNonce } from '../../core/ids.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Logger } from '../../core/log.ts';
import { createJournal } from './journal.ts';
import { isSessionId, type Lease, type SessionStore } from './session-store.ts';
import type { SessionEntry, SessionRecord } from './session.ts';
import { sha256 } from '../state.ts';

export interface FileKeepOptions {
  folder: string;
  clock: Clock;
  log: Logger;
}

/** Stores sessions in the data folder: a folder per workspace, a folder per session. */
export function createFileSessions(options: FileKeepOptions): SessionStore {
  const { clock } = options;
  const pathOf = pathsIn(options.folder);
  const find = async (workspace: string, id: string): Promise<SessionEntry | undefined> => {
    // Read the lease first: an owner writes the final state before it releases the lease, so a record read
    // after a free lease is final. In the other order, an old record would look interrupted.
    const { isHeld } = await latestLease(pathOf(workspace, id));
    const record = (await readJson(pathOf(workspace, id, 'session.json'))) as SessionRecord | undefined;
    return record === undefined ? undefined : { record, isHeld };
  };
  const remove = (workspace: string, id: string): Promise<void> =>
    rm(pathOf(workspace, id), { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  const all = async (workspace: string): Promise<SessionEntry[]> => {
    const names = (await orAbsent(readdir(pathOf(workspace)))) ?? [];
    const found: SessionEntry[] = [];
    for (const id of names.filter(isSessionId)) found.push(...one(await find(workspace, id)));
    return found.sort((a, b) => newestFirst(a.record, b.record));
  };
  return {
    find,
    remove,
    create: async (record) => {
      const folder = pathOf(record.workspace, record.id);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await replace(join(folder, 'session.json'), record);
      const lease = await claimIn(folder, options);
      if (lease === undefined) throw new Error('A new session has an owner already.');
      return lease;
    },
    claim: async ({ workspace, id }) => {
      const lease = await claimIn(pathOf(workspace, id), options);
      if (lease !== undefined) await rm(pathOf(workspace, id, 'cancel'), { force: true });
      return lease;
    },
    list: async (workspace, { after, limit }) => {
      const entry = (await all(workspace)).filter(({ record }) => record.expiresAt >= clock.now());
      const rest = after === undefined ? entry : entry.filter(({ record }) => newestFirst(after, record) < 0);
      return rest.slice(0, limit);
    },
    check: async ({ record: { workspace, id, statusChecks } }) => {
      // Counted on the stored record: the caller's may be older, or from a run that lost its lease.
      const stored = await find(workspace, id);
      // Only the lease holder writes the record; a status check must not overwrite it.
      if (stored === undefined || stored.isHeld) return statusChecks + 1;
      const checked = { ...stored.record, statusChecks: stored.record.statusChecks + 1 };
      await replace(pathOf(workspace, id, 'session.json'), checked);
      return checked.statusChecks;
    },
    cancel: (workspace, id) => replace(pathOf(workspace, id, 'cancel'), true),
    prune: async (workspace) => {
      const idle = (await all(workspace)).filter(({ isHeld }) => !isHeld);
      const old = idle.filter(
        ({ record }, at) => record.expiresAt < clock.now() || at >= LIMITS.researchSessionsMax - 1,
      );
      for (const { record } of old) await remove(workspace, record.id);
    },
    read: (workspace, id, name) => readJson(pathOf(workspace, id, `${name}.json`)),
    audit: async (workspace, id, after) => {
      const text = await orAbsent(readFile(pathOf(workspace, id, 'audit.jsonl'), 'utf8'));
      const lines = (text ?? '').split('\n').slice(0, -1);
      return lines.map((line, at) => ({ seq: at + 1, line: parse(line) })).slice(after);
    },
  };
}

const pathsIn =
  (folder: string) =>
  (workspace: string, id?: string, name = ''): string => {
    const own = join(folder, workspace === '' ? 'local' : `w-${sha256(workspace).slice(0, 24)}`);
    if (id === undefined) return own;
    if (!isSessionId(id)) throw new Error('That is not the id of a session.');
    return join(own, id, name);
  };

/** The order of lists; IDs decide between sessions of the same time. */
export const newestFirst = (a: SessionRecord, b: SessionRecord): number =>
  b.createdAt - a.createdAt || (a.id < b.id ? -1 : Number(a.id > b.id));

const one = <Value>(value: Value | undefined): Value[] => (value === undefined ? [] : [value]);

/** Takes the lease with the next number: the first to create the file wins; numbers never decrease. */
async function claimIn(folder: string, { log }: FileKeepOptions): Promise<Lease | undefined> {
  const latest = await latestLease(folder);
  if (latest.isHeld) return undefined;
  const path = join(folder, `lease-${latest.number + 1}`);
  const owner: Owner = { host: hostname(), pid: process.pid, started: performance.timeOrigin };
  try {
    await writeFile(path, JSON.stringify(owner), { flag: 'wx', mode: 0o600 });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw thrown;
  }
  if (latest.number > 0) await rm(join(folder, `lease-${latest.number}`), { force: true });
  return leaseOn(folder, path, log);
}

/** A process. Process IDs are reused, so the start time is part of it. */
interface Owner {
  host: string;
  pid: number;
  started: number;
}

function leaseOn(folder: string, path: string, log: Logger): Lease {
  let isReleased = false;
  const isOurs = async (): Promise<boolean> => !isReleased && (await exists(path));
  const append = async (name: string, line: unknown): Promise<void> => {
    if (await isOurs()) await appendFile(join(folder, name), `${JSON.stringify(line)}\n`, { mode: 0o600 });
  };
  return {
    save: async (record) => {
      if (await isOurs()) await replace(join(folder, 'session.json'), record);
    },
    write: async (name, value) => {
      if (await isOurs()) await replace(join(folder, `${name}.json`), value);
    },
    note: (line) => append('audit.jsonl', line),
    openJournal: async () => {
      const known = await readSteps(join(folder, 'steps.jsonl'));
      const take = async (key: string): Promise<{ value: unknown } | undefined> => {
        if (!known.has(key)) return undefined;
        const value = known.get(key);
        known.delete(key);
        return { value };
      };
      const save = (key: string, value: unknown): Promise<void> => append('steps.jsonl', { key, value });
      return createJournal({ take, save }, (cause) => log.warn('step_not_saved', { cause }));
    },
    renew: async () => {
      if (!(await isOurs())) return 'lost';
      const now = new Date();
      await utimes(path, now, now);
      return (await exists(join(folder, 'cancel'))) ? 'cancelled' : 'held';
    },
    release: async () => {
      if (!(await isOurs())) return;
      isReleased = true;
      // Keeps the number as used, so that a slow claim cannot take it again.
      await writeFile(path, '{}');
    },
  };
}

async function latestLease(folder: string): Promise<{ number: number; isHeld: boolean }> {
  const names = (await orAbsent(readdir(folder))) ?? [];
  const numbers = names.flatMap((name) => (/^lease-\d+$/.test(name) ? [Number(name.slice(6))] : []));
  const number = Math.max(0, ...numbers);
  if (number === 0) return { number, isHeld: false };
  const path = join(folder, `lease-${number}`);
  const owner = ((await readJson(path)) ?? {}) as Partial<Owner>;
  const seen = (await orAbsent(stat(path)))?.mtimeMs ?? 0;
  return { number, isHeld: isAlive(owner) && Date.now() - seen < LIMITS.researchLeaseMs };
}

/** Whether a process is alive; on another machine only its last renewal counts. */
function isAlive({ host, pid, started }: Partial<Owner>): boolean {
  if (host === undefined || pid === undefined) return false;
  if (host !== hostname()) return true;
  if (pid === process.pid) return started === performance.timeOrigin;
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Reads the steps. The last line of a run that was killed may be incomplete; it is dropped. */
async function readSteps(path: string): Promise<Map<string, unknown>> {
  const text = (await orAbsent(readFile(path, 'utf8'))) ?? '';
  if (text !== '' && !text.endsWith('\n')) await appendFile(path, '\n');
  const steps = new Map<string, unknown>();
  for (const line of text.split('\n')) {
    const step = parse(line) as { key: string; value: unknown } | undefined;
    if (step !== undefined) steps.set(step.key, step.value);
  }
  return steps;
}

/** Replaces a file atomically. */
async function replace(path: string, value: unknown): Promise<void> {
  const draft = `${path}.${newNonce().slice(0, 8)}`;
  await writeFile(draft, JSON.stringify(value), { mode: 0o600 });
  await rename(draft, path);
}

const exists = async (path: string): Promise<boolean> => (await orAbsent(stat(path))) !== undefined;

async function readJson(path: string): Promise<unknown> {
  const text = await orAbsent(readFile(path, 'utf8'));
  return text === undefined ? undefined : parse(text);
}

async function orAbsent<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
