import { Worker } from 'node:worker_threads';
import type { Progress } from '../core/call.ts';
import { FAILURES, type FailureCode, HeadgateError } from '../core/errors.ts';
import { named } from '../core/own-text.ts';
import { SQLITE_THREAD_ARGV, workerFile } from '../core/worker-file.ts';
import type { LibraryMessage, LibraryReply, LibraryRequest, LibrarySettings } from './serve.ts';

export interface AskOptions {
  signal?: AbortSignal | undefined;
  progress?: ((progress: Progress) => void) | undefined;
}

/** A thread for one library folder. It is started by the first request, and again after a crash. */
export interface LibraryThread {
  ask<Result>(request: LibraryRequest, options?: AskOptions): Promise<Result>;
  close(): Promise<void>;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(thrown: unknown): void;
  progress: AskOptions['progress'];
}

export function createLibraryThread(settings: LibrarySettings): LibraryThread {
  let worker: Worker | undefined;
  let lastId = 0;
  const asked = new Map<number, Waiting>();

  const lose = (lost: Worker, cause?: unknown) => {
    if (worker !== lost) return;
    worker = undefined;
    for (const { reject } of asked.values()) reject(threadLost(cause));
    asked.clear();
  };
  const start = (): Worker => {
    const started = new Worker(workerFile('library-worker'), {
      name: 'headgate-library',
      execArgv: SQLITE_THREAD_ARGV,
      workerData: settings,
    });
    started.on('message', (reply: LibraryReply) => {
      settle(asked, reply);
      // An idle thread does not keep the process running.
      if (asked.size === 0) started.unref();
    });
    started.on('error', (cause) => lose(started, cause));
    started.on('exit', () => lose(started));
    return started;
  };
  const send = (message: LibraryMessage) => {
    worker ??= start();
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, not a window
    worker.postMessage(message);
  };
  return {
    ask: <Result>(request: LibraryRequest, { signal, progress }: AskOptions = {}) =>
      new Promise<Result>((resolve, reject) => {
        signal?.throwIfAborted();
        const id = (lastId += 1);
        const onAbort = () => send({ id, cancel: true });
        signal?.addEventListener('abort', onAbort, { once: true });
        const done = () => signal?.removeEventListener('abort', onAbort);
        asked.set(id, {
          progress,
          resolve: (value) => {
            done();
            resolve(value as Result);
          },
          reject: (thrown) => {
            done();
            reject(thrown);
          },
        });
        send({ id, request });
      }),
    close: async () => {
      const ending = worker;
      if (ending === undefined) return;
      lose(ending);
      await ending.terminate();
    },
  };
}

function settle(asked: Map<number, Waiting>, reply: LibraryReply): void {
  const waiting = asked.get(reply.id);
  if ('progress' in reply) {
    const { done, total, message } = reply.progress;
    waiting?.progress?.({ done, message, ...(total !== undefined && { total }) });
    return;
  }
  asked.delete(reply.id);
  if ('value' in reply) waiting?.resolve(reply.value);
  else waiting?.reject(errorOf(reply.failure));
}

function errorOf({
  code,
  message,
  remediation,
  data,
}: Extract<LibraryReply, { failure: unknown }>['failure']): HeadgateError {
  const known = Object.hasOwn(FAILURES, code) ? (code as FailureCode) : 'internal';
  return new HeadgateError(known, named(message), {
    ...(remediation !== undefined && { remediation: named(remediation) }),
    ...(data !== undefined && { data }),
  });
}

function threadLost(cause: unknown): HeadgateError {
  return new HeadgateError('storage_unavailable', 'The library stopped while it was working on this.', {
    remediation: 'Try again; what was acknowledged before is kept.',
    cause,
  });
}
