import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Clock, createSteadyTime } from '../../core/clock.ts';
import type { Logger } from '../../core/log.ts';
import { FAILURES, type FailureCode, HeadgateError } from '../../core/errors.ts';
import { named } from '../../core/own-text.ts';
import { openWorkerChannel } from '../../core/worker-channel.ts';
import { SQLITE_THREAD_ARGV } from '../../core/worker-file.ts';
import { unavailable } from '../ledger/batch-queue.ts';
import type { Settled } from '../ledger/settled.ts';
import type { SqliteFailure, SqliteReply, SqliteRequest } from './worker.ts';
import { privateFolder } from './private-files.ts';

type Without<Request> = Request extends SqliteRequest ? Omit<Request, 'id' | 'now'> : never;
export type SqliteQuestion = Without<SqliteRequest>;

/** The thread that owns the SQLite file, as the main thread sees it. */
export interface SqliteThread {
  /** Starts the thread and opens the file, once; after a failure the next call tries again. */
  open(): Promise<void>;
  isOpen(): boolean;
  ask(question: SqliteQuestion): Promise<Settled[]>;
  /** Sends one request; throws if it fails. */
  one(question: SqliteQuestion): Promise<unknown>;
  close(): Promise<void>;
}

interface ThreadOptions {
  path: string;
  exclusive: boolean;
  clock: Clock;
  isHome?: boolean;
  log?: Logger;
  connect?: OpenChannel;
}

export function createSqliteThread(options: ThreadOptions): SqliteThread {
  let line: StoreChannel | undefined;
  let opening: Promise<void> | undefined;
  let openLine: StoreChannel | undefined;
  let sequence = 0;
  const steady = createSteadyTime(options.clock);

  const start = options.connect ?? ((lost) => startWorker(options, lost));
  const connect = (): StoreChannel => {
    const started = start(() => {
      if (line !== started) return;
      line = undefined;
      opening = undefined;
    });
    return started;
  };
  const stop = async () => {
    const stopped = line;
    line = undefined;
    opening = undefined;
    await stopped?.end();
  };
  const ask = async (question: SqliteQuestion): Promise<Settled[]> => {
    line ??= connect();
    const answered = await line.ask({ ...question, now: steady(options.clock.now()) });
    sequence = Math.max(sequence, answered.sequence);
    // The file is no longer the one that was opened: the next call reopens and checks it.
    if (answered.results.some((result) => 'failure' in result && result.failure.fatal)) await stop();
    return answered.results.map((result) =>
      'value' in result ? result : { thrown: errorOf(result.failure) },
    );
  };
  const one = async (question: SqliteQuestion): Promise<unknown> => {
    const [result] = await ask(question);
    if (result !== undefined && 'value' in result) return result.value;
    throw result?.thrown;
  };
  const open = async () => {
    const { path, exclusive } = options;
    try {
      await one({ kind: 'open', options: { path, exclusive, sequenceMin: sequence } });
      openLine = line;
    } catch (thrown) {
      await stop();
      throw thrown instanceof HeadgateError ? thrown : unavailable('it cannot be opened', thrown);
    }
  };
  return {
    ask,
    one,
    open: () => (opening ??= open()),
    isOpen: () => line !== undefined && line === openLine,
    close: async () => {
      await opening?.catch(() => undefined);
      if (line !== undefined) await one({ kind: 'close' }).catch(() => undefined);
      await stop();
    },
  };
}

type RequestBody = SqliteRequest extends infer Request
  ? Request extends SqliteRequest
    ? Omit<Request, 'id'>
    : never
  : never;

export interface StoreChannel {
  ask(request: RequestBody): Promise<Omit<SqliteReply, 'id'>>;
  end(): Promise<unknown>;
}

/** Starts a thread; `lost` is called when it ends by itself. */
export type OpenChannel = (lost: () => void) => StoreChannel;

function startWorker({ path, isHome, log }: ThreadOptions, lost: () => void): StoreChannel {
  const problem = privateFolder(path, isHome === true);
  if (problem !== undefined) log?.warn('database_folder_open', { problem });
  // SQLite would only report that it cannot open the file.
  accessSync(existsSync(path) ? path : dirname(path), constants.W_OK);
  return openWorkerChannel<RequestBody, SqliteReply>({
    file: 'store-worker',
    worker: { name: 'headgate-store', execArgv: SQLITE_THREAD_ARGV },
    lost: (cause) => {
      lost();
      return cause === undefined ? unavailable('its thread ended') : unavailable('its thread failed', cause);
    },
    // For rows, JSON is several times cheaper than a structured clone.
    encode: JSON.stringify,
    decode: (message) => JSON.parse(message as string),
  });
}

function errorOf({ code, message, remediation, fatal }: SqliteFailure): HeadgateError {
  if (Object.hasOwn(FAILURES, code)) {
    return new HeadgateError(code as FailureCode, named(message), {
      ...(remediation === undefined ? {} : { remediation: named(remediation) }),
      data: { fatal },
    });
  }
  if (code.startsWith('SQLITE_CONSTRAINT') || /constraint failed/i.test(message)) {
    return new HeadgateError('conflict', 'The store refused the change: it contradicts what is stored.', {
      remediation: 'Check the ids: something does not exist, or exists already.',
      cause: message,
    });
  }
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT' || DAMAGED.test(message)) {
    return new HeadgateError('storage_unavailable', 'The file of limits and credits is damaged.', {
      remediation:
        'Nothing was charged. Stop Headgate, keep headgate.db for inspection, and put the last backup in its place.',
      cause: message,
    });
  }
  return unavailable(code === 'SQLITE_FULL' ? 'its disk is full' : 'SQLite reports an error', message);
}

/** Node's driver has one code for all errors; SQLite's messages are always the same. */
const DAMAGED = /file is not a database|database disk image is malformed/;
