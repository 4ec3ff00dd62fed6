import { Worker } from 'node:worker_threads';
import { type FailureCode, HeadgateError } from '../core/errors.ts';
import type { OwnText } from '../core/text.ts';
import { own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { workerFile } from '../core/worker-file.ts';
import type { Extracted } from './extracted.ts';
import type { ExtractOptions, Page } from './page-bytes.ts';

/** What a thread answers. */
export type ThreadAnswer =
  | { ready: true }
  | { result: Extracted }
  | { failure: { code: FailureCode; message: OwnText; remediation?: OwnText } };

export interface Task {
  page: Page;
  options: ExtractOptions;
  settle(answer: Extracted | HeadgateError): void;
}

export interface Thread {
  /** The page under way. */
  task(): Task | undefined;
  run(task: Task): void;
  /** Gives the thread up together with its page. */
  stop(reason: HeadgateError): Promise<void>;
}

/** What a pool wants to hear of a reader. */
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

/** One worker thread that reads one page at a time, within time and memory. */
export function startThread(options: ThreadOptions): Thread {
  const worker = new Worker(workerFile('worker'), {
    name: 'headgate-extract',
    resourceLimits: {
      maxOldGenerationSizeMb: options.memoryMb,
      maxYoungGenerationSizeMb: 32,
      stackSizeMb: 4,
    },
  });
  let task: Task | undefined;
  let [isReady, isLost] = [false, false];
  let timer: NodeJS.Timeout | undefined;

  const stop = async (reason: HeadgateError): Promise<void> => {
    if (isLost) return;
    isLost = true;
    clearTimeout(timer);
    const ended = worker.terminate();
    task?.settle(reason);
    task = undefined;
    options.onLost(thread);
    await ended;
  };
  const limit = (ms: number, message: OwnText): void => {
    timer = setTimeout(() => void stop(new HeadgateError('extract_failed', message)), ms).unref();
  };
  const send = ({ page, options: wanted }: Task): void => {
    // A view on a larger buffer would be copied whole; the page's own bytes are copied once and then moved.
    const bytes = new Uint8Array(page.bytes);
    worker.postMessage({ page: { ...page, bytes }, options: wanted }, [bytes.buffer]);
    limit(options.timeoutMs, own`The page could not be read within ${options.timeoutMs} ms.`);
  };
  const thread: Thread = {
    task: () => task,
    stop,
    run: (next) => {
      task = next;
      worker.ref();
      if (isReady) send(next);
    },
  };

  limit(LIMITS.extractStartMs, own`The reader of pages did not start.`);
  worker.unref();
  listen(worker, stop, (answer) => {
    clearTimeout(timer);
    if ('ready' in answer) {
      isReady = true;
      if (task !== undefined) send(task);
      return;
    }
    const done = task;
    task = undefined;
    worker.unref();
    done?.settle('result' in answer ? answer.result : restore(answer.failure));
    options.onFree();
  });
  return thread;
}

function listen(
  worker: Worker,
  stop: (reason: HeadgateError) => Promise<void>,
  receive: (answer: ThreadAnswer) => void,
): void {
  worker.on('message', receive);
  worker.on('error', (cause: Error & { code?: string }) => void stop(failureOf(cause)));
  worker.on('exit', () => {
    void stop(new HeadgateError('extract_failed', 'The reader of this page ended early.'));
  });
}

function failureOf(cause: Error & { code?: string }): HeadgateError {
  const message =
    cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
      ? 'The page needs more memory than a page may have.'
      : 'The reader of this page failed.';
  return new HeadgateError('extract_failed', message, { cause });
}

/** A failure that came from elsewhere. */
export function restore(failure: {
  code: FailureCode;
  message: OwnText;
  remediation?: OwnText;
}): HeadgateError {
  const { code, message, remediation } = failure;
  return new HeadgateError(code, message, remediation === undefined ? {} : { remediation });
}
