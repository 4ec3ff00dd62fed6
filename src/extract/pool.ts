import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type FailureCode, HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { workerFile } from '../core/worker-file.ts';
import type { Extracted } from './extracted.ts';
import type { ExtractOptions, Page } from './page.ts';

export interface ExtractPool {
  /** Reads a page in another thread. A page that takes too long or too much memory fails alone, with `extract_failed`. */
  extract(page: Page, options?: ExtractOptions, signal?: AbortSignal): Promise<Extracted>;
  /** Stops all threads; pages under way fail as cancelled. */
  close(): Promise<void>;
}

export interface PoolOptions {
  /** Threads at most; they start when they are needed. */
  size?: number;
  timeoutMs?: number;
  memoryMb?: number;
}

/** What a thread answers. */
export type WorkerAnswer =
  | { ready: true }
  | { result: Extracted }
  | { failure: { code: FailureCode; message: string; remediation?: string } };

interface Task {
  page: Page;
  options: ExtractOptions;
  settle(answer: Extracted | HeadgateError): void;
}

interface Thread {
  worker: Worker;
  isReady: boolean;
  task: Task | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** Threads that read pages, so that no page can stop the event loop or take the process down. */
export function createExtractPool(options: PoolOptions = {}): ExtractPool {
  const size = options.size ?? Math.max(1, Math.min(4, availableParallelism() - 1));
  const settings = {
    timeoutMs: options.timeoutMs ?? LIMITS.extractTimeoutMs,
    memoryMb: options.memoryMb ?? LIMITS.extractMemoryMb,
  };
  const threads = new Set<Thread>();
  const waiting: Task[] = [];

  const pump = (): void => {
    while (waiting.length > 0) {
      let thread = [...threads].find((candidate) => candidate.task === undefined);
      if (thread === undefined && threads.size < size) thread = start();
      if (thread === undefined) return;
      thread.task = waiting.shift() as Task;
      thread.worker.ref();
      if (thread.isReady) send(thread);
    }
  };

  const start = (): Thread => {
    const thread: Thread = {
      worker: startWorker(settings.memoryMb),
      isReady: false,
      task: undefined,
      timer: undefined,
    };
    threads.add(thread);
    const { worker } = thread;
    limit(thread, LIMITS.extractStartMs, 'The reader of pages did not start.');
    worker.on('message', (answer: WorkerAnswer) => receive(thread, answer));
    worker.on('error', (cause: Error & { code?: string }) => lose(thread, failureOf(cause)));
    worker.on('exit', () =>
      lose(thread, new HeadgateError('extract_failed', 'The reader of this page ended early.')),
    );
    return thread;
  };

  const receive = (thread: Thread, answer: WorkerAnswer): void => {
    clearTimeout(thread.timer);
    if ('ready' in answer) {
      thread.isReady = true;
      if (thread.task !== undefined) send(thread);
      return;
    }
    const task = thread.task;
    thread.task = undefined;
    thread.worker.unref();
    task?.settle('result' in answer ? answer.result : restore(answer.failure));
    pump();
  };

  const send = (thread: Thread): void => {
    const { page, options: wanted } = thread.task as Task;
    // A view on a larger buffer would be copied whole; the page's own bytes are copied once and then moved.
    const bytes = Uint8Array.from(page.bytes);
    thread.worker.postMessage({ page: { ...page, bytes }, options: wanted }, [bytes.buffer]);
    limit(thread, settings.timeoutMs, `The page could not be read within ${settings.timeoutMs} ms.`);
  };

  const limit = (thread: Thread, ms: number, message: string): void => {
    thread.timer = setTimeout(() => lose(thread, new HeadgateError('extract_failed', message)), ms);
  };

  /** Gives a thread up together with its page. */
  const lose = (thread: Thread, failure: HeadgateError): void => {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.timer);
    void thread.worker.terminate();
    thread.task?.settle(failure);
    thread.task = undefined;
    pump();
  };

  const cancel = (task: Task, reason: HeadgateError): void => {
    const place = waiting.indexOf(task);
    if (place >= 0) waiting.splice(place, 1);
    const thread = [...threads].find((candidate) => candidate.task === task);
    if (thread === undefined) task.settle(reason);
    else lose(thread, reason);
  };

  return {
    extract: (page, wanted = {}, signal) =>
      enqueue({ page, options: wanted }, { waiting, pump, cancel, signal }),
    close: async () => {
      const reason = new HeadgateError('cancelled', 'The reader of pages was closed.');
      for (const task of waiting.splice(0)) task.settle(reason);
      const open = [...threads];
      for (const thread of open) lose(thread, reason);
      await Promise.all(open.map((thread) => thread.worker.terminate()));
    },
  };
}

interface Queue {
  waiting: Task[];
  pump(): void;
  cancel(task: Task, reason: HeadgateError): void;
  signal: AbortSignal | undefined;
}

function enqueue(work: Pick<Task, 'page' | 'options'>, queue: Queue): Promise<Extracted> {
  const { signal } = queue;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(HeadgateError.from(signal.reason));
    if (queue.waiting.length >= LIMITS.extractQueueMax)
      return reject(
        new HeadgateError(
          'rate_limited',
          'Too many pages are waiting to be read. Try again in a few seconds.',
        ),
      );
    const onAbort = (): void => queue.cancel(task, HeadgateError.from(signal?.reason));
    const task: Task = {
      ...work,
      settle: (answer) => {
        signal?.removeEventListener('abort', onAbort);
        if (answer instanceof HeadgateError) reject(answer);
        else resolve(answer);
      },
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    queue.waiting.push(task);
    queue.pump();
  });
}

function startWorker(memoryMb: number): Worker {
  const worker = new Worker(workerFile('worker'), {
    name: 'headgate-extract',
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });
  worker.unref();
  return worker;
}

function failureOf(cause: Error & { code?: string }): HeadgateError {
  const message =
    cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
      ? 'The page needs more memory than a page may have.'
      : 'The reader of this page failed.';
  return new HeadgateError('extract_failed', message, { cause });
}

function restore(failure: { code: FailureCode; message: string; remediation?: string }): HeadgateError {
  const { code, message, remediation } = failure;
  return new HeadgateError(code, message, remediation === undefined ? {} : { remediation });
}
