import { HeadgateError } from '../core/errors.ts';
import { own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { byteSize } from '../core/text.ts';
import type { Extracted } from './extracted.ts';
import type { ExtractOptions, Page } from './page-bytes.ts';
import type { Task, Thread, ThreadEvents } from './thread.ts';

/** Extracts pages in other threads or processes. */
export interface ReadingPool {
  extract(page: Page, options?: ExtractOptions, signal?: AbortSignal): Promise<Extracted>;
  /** Stops all readers; pages under way fail as cancelled. */
  close(): Promise<void>;
}

/** Creates a pool of at most `size` workers. Workers start on demand and extract one page at a time. */
export function createPool(size: number, startReader: (events: ThreadEvents) => Thread): ReadingPool {
  const threads = new Set<Thread>();
  const waiting: Task[] = [];

  const pump = (): void => {
    while (waiting.length > 0) {
      const thread = [...threads].find((candidate) => candidate.task() === undefined) ?? start();
      if (thread === undefined) return;
      thread.run(waiting.shift() as Task);
    }
  };
  const start = (): Thread | undefined => {
    if (threads.size >= size) return undefined;
    const thread = startReader({
      onFree: pump,
      onLost: (lost) => {
        threads.delete(lost);
        pump();
      },
    });
    threads.add(thread);
    return thread;
  };
  const cancel = (task: Task, reason: HeadgateError): void => {
    const place = waiting.indexOf(task);
    if (place >= 0) waiting.splice(place, 1);
    const thread = [...threads].find((candidate) => candidate.task() === task);
    if (thread === undefined) task.settle(reason);
    else void thread.stop(reason);
  };

  return {
    extract: (page, wanted = {}, signal) =>
      enqueue({ page, options: wanted }, { waiting, pump, cancel, signal }),
    close: async () => {
      const reason = new HeadgateError('cancelled', 'The reader of pages was closed.');
      for (const task of waiting.splice(0)) task.settle(reason);
      await Promise.all([...threads].map((thread) => thread.stop(reason)));
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
    if (work.page.bytes.length > LIMITS.extractBytesMax) return reject(tooLarge());
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

/** The result is copied to the main thread, and a larger one would block it. */
const tooLarge = (): HeadgateError =>
  new HeadgateError('page_too_large', own`This page is larger than ${byteSize(LIMITS.extractBytesMax)}.`, {
    remediation: 'Read a smaller page, or a part of it.',
  });
