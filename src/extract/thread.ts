import { Worker } from 'node:worker_threads';
import { HeadgateError } from '../core/errors.ts';
import type { OwnText } from '../core/text.ts';
import { own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { failureFromData, type FailureData } from '../core/worker-channel.ts';
import { workerFile } from '../core/worker-file.ts';
import type { Extracted } from './extracted.ts';
import type { ExtractOptions, Page } from './page-bytes.ts';

/** A message from a worker thread. */
export type ThreadAnswer = { ready: true } | { result: Extracted } | { failure: FailureData };

export interface Task {
  page: Page;
  options: ExtractOptions;
  settle(answer: Extracted | HeadgateError): void;
}

export interface Thread {
  /** The task that is running. */
  task(): Task | undefined;
  run(task: Task): void;
  /** Terminates the thread; its task fails with `reason`. */
  stop(reason: HeadgateError): Promise<void>;
}

/** Events of a thread that its pool handles. */
export interface ThreadEvents {
  /** Called when a page is done. */
  onFree(): void;
  /** Called once, when the thread is gone. */
  onLost(thread: Thread): void;
}

export interface ThreadOptions extends ThreadEvents {
  timeoutMs: number;
  memoryMb: number;
}

/** The thread or process behind a `Thread`. */
interface Channel {
  /** What it reads, for messages: `page` or `PDF`. */
  reads: 'page' | 'PDF';
  send(task: Task): void;
  /** Whether it keeps this process running. */
  hold(isHeld: boolean): void;
  end(): unknown;
  /** How long it may be idle; for ever unless given. */
  idleMs?: number;
}

/** A thread or process that reads one page at a time, and where its answers go. */
interface Reader {
  thread: Thread;
  receive(answer: ThreadAnswer, isLast?: boolean): void;
}

/** Looks after a thread or process: it must start in time, and a page that takes too long is given up together with it. */
export function createReader(channel: Channel, options: ThreadOptions): Reader {
  let task: Task | undefined;
  let [isReady, isLost] = [false, false];
  let timer: NodeJS.Timeout | undefined;

  const stop = async (reason: HeadgateError): Promise<void> => {
    if (isLost) return;
    isLost = true;
    clearTimeout(timer);
    const ended = channel.end();
    task?.settle(reason);
    task = undefined;
    options.onLost(thread);
    await ended;
  };
  const limit = (ms: number, message: OwnText): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void stop(new HeadgateError('extract_failed', message)), ms).unref();
  };
  const send = (next: Task): void => {
    channel.send(next);
    limit(options.timeoutMs, own`The ${channel.reads} could not be read within ${options.timeoutMs} ms.`);
  };
  const thread: Thread = {
    task: () => task,
    stop,
    run: (next) => {
      task = next;
      channel.hold(true);
      if (isReady) send(next);
    },
  };
  const receive = (answer: ThreadAnswer, isLast = false): void => {
    clearTimeout(timer);
    if ('ready' in answer) {
      isReady = true;
      if (task !== undefined) send(task);
      return;
    }
    const done = task;
    task = undefined;
    channel.hold(false);
    if (channel.idleMs !== undefined)
      limit(channel.idleMs, own`The reader of this ${channel.reads} is idle.`);
    done?.settle('result' in answer ? answer.result : failureFromData(answer.failure));
    if (isLast) void stop(endedEarly(channel.reads));
    else options.onFree();
  };
  limit(LIMITS.extractStartMs, own`The reader of this ${channel.reads} did not start.`);
  channel.hold(false);
  return { thread, receive };
}

/** Starts a worker thread that extracts one page at a time, with limits of time and memory. */
export function startThread(options: ThreadOptions): Thread {
  const worker = new Worker(workerFile('worker'), {
    name: 'headgate-extract',
    resourceLimits: {
      maxOldGenerationSizeMb: options.memoryMb,
      maxYoungGenerationSizeMb: 32,
      stackSizeMb: 4,
    },
  });
  const { thread, receive } = createReader(
    {
      reads: 'page',
      send: ({ page, options: wanted }) => {
        // A view on a larger buffer would be copied whole; the page's own bytes are copied once and then moved.
        const bytes = new Uint8Array(page.bytes);
        worker.postMessage({ page: { ...page, bytes }, options: wanted }, [bytes.buffer]);
      },
      hold: (isHeld) => (isHeld ? worker.ref() : worker.unref()),
      end: () => worker.terminate(),
    },
    options,
  );
  worker.on('message', receive);
  worker.on('error', (cause: Error & { code?: string }) => void thread.stop(failureOf(cause)));
  worker.on('exit', () => void thread.stop(endedEarly('page')));
  return thread;
}

export const endedEarly = (read: Channel['reads'], cause?: unknown): HeadgateError =>
  new HeadgateError('extract_failed', own`The reader of this ${read} ended early.`, { cause });

function failureOf(cause: Error & { code?: string }): HeadgateError {
  const message =
    cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
      ? 'The page needs more memory than a page may have.'
      : 'The reader of this page failed.';
  return new HeadgateError('extract_failed', message, { cause });
}
