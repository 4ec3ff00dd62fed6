import { appendFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newNonce } from '../../core/ids.ts';
import type { Journal } from './run.ts';
import { sha256 } from './state.ts';

/** The files of research sessions: a folder per workspace, a folder per session. */
export interface SessionFiles {
  /** Replaces a file as a whole: who reads it sees the old one or the new one. */
  write(workspace: string, id: string, name: string, value: unknown): Promise<void>;
  read(workspace: string, id: string, name: string): Promise<unknown>;
  append(workspace: string, id: string, name: string, line: unknown): Promise<void>;
  has(workspace: string, id: string, name: string): Promise<boolean>;
  drop(workspace: string, id: string, name: string): Promise<void>;
  remove(workspace: string, id: string): Promise<void>;
  ids(workspace: string): Promise<string[]>;
  /** The finished steps of a session; what a run that was killed half way wrote last may be torn, and is dropped. */
  openJournal(workspace: string, id: string): Promise<Journal>;
}

const ID = /^deepres-[0-9a-f]{12}$/;

/** Whether a text can be the id of a session; nothing else is ever made part of a path. */
export const isSessionId = (text: string): boolean => ID.test(text);

export function createSessionFiles(folder: string): SessionFiles {
  const workspaceOf = (workspace: string): string =>
    join(folder, workspace === '' ? 'local' : `w-${sha256(workspace).slice(0, 24)}`);
  const pathOf = (workspace: string, id: string, name = ''): string => {
    if (!isSessionId(id)) throw new Error('That is not the id of a session.');
    return join(workspaceOf(workspace), id, name);
  };
  const write: SessionFiles['write'] = async (workspace, id, name, value) => {
    const path = pathOf(workspace, id, name);
    const draft = `${path}.${newNonce().slice(0, 8)}`;
    await mkdir(pathOf(workspace, id), { recursive: true, mode: 0o700 });
    await writeFile(draft, JSON.stringify(value), { mode: 0o600 });
    await rename(draft, path);
  };
  const read: SessionFiles['read'] = async (workspace, id, name) => {
    const text = await orAbsent(readFile(pathOf(workspace, id, name), 'utf8'));
    return text === undefined ? undefined : parse(text);
  };
  const append: SessionFiles['append'] = (workspace, id, name, line) =>
    appendFile(pathOf(workspace, id, name), `${JSON.stringify(line)}\n`, { mode: 0o600 });
  return {
    write,
    read,
    append,
    has: async (workspace, id, name) => (await orAbsent(stat(pathOf(workspace, id, name)))) !== undefined,
    drop: (workspace, id, name) => rm(pathOf(workspace, id, name), { force: true }),
    remove: (workspace, id) =>
      rm(pathOf(workspace, id), { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }),
    ids: async (workspace) => ((await orAbsent(readdir(workspaceOf(workspace)))) ?? []).filter(isSessionId),
    openJournal: async (workspace, id) => {
      const path = pathOf(workspace, id, 'steps.jsonl');
      const text = (await orAbsent(readFile(path, 'utf8'))) ?? '';
      if (text !== '' && !text.endsWith('\n')) await appendFile(path, '\n');
      const lines = text.split('\n').flatMap((line) => {
        const step = parse(line) as { key: string; value: unknown } | undefined;
        return step === undefined ? [] : [[step.key, step.value] as const];
      });
      return createJournal(new Map(lines), (step) => append(workspace, id, 'steps.jsonl', step));
    },
  };
}

/** Steps by what was asked. Lines are written one after another, because long ones could run into each other. */
export function createJournal(
  known: Map<string, unknown>,
  save: (step: { key: string; value: unknown }) => Promise<void>,
): Journal {
  let saved: Promise<void> = Promise.resolve();
  return {
    step: async <Value>(kind: string, parts: unknown[], work: () => Promise<Value>) => {
      const key = `${kind}:${sha256(JSON.stringify(parts))}`;
      if (known.has(key)) return known.get(key) as Value;
      const value = await work();
      known.set(key, value);
      saved = saved.catch(() => undefined).then(() => save({ key, value }));
      await saved;
      return value;
    },
  };
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
