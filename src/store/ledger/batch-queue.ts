import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Settled } from './settled.ts';

export interface BatchQueue<Job> {
  /** Resolves when the job's batch is committed. Rejects with `storage_unavailable` when that takes too long. */
  push(job: Job): Promise<unknown>;
  /** Resolves when nothing is waiting or running. */
  drain(): Promise<void>;
}

export interface BatchQueueOptions<Job> {
  run(jobs: Job[]): Promise<Settled[]>;
  /** How many batches may run at once. */
  runningMax: number;
  deadlineMs: number;
  timers?: QueueTimers;
  /** Told about a job that succeeded after its caller had been refused. */
  late?(job: Job, value: unknown): void;
}

/** How a queue waits; the system's timers unless a simulation has its own. */
export interface QueueTimers {
  /** Calls `action` after `ms`, unless the result is called before. */
  after(ms: number, action: () => void): () => void;
  /** Calls `action` in the next turn of the event loop. */
  soon(action: () => void): void;
}

const systemTimers: QueueTimers = {
  after: (ms, action) => {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
  soon: (action) => void setImmediate(action),
};

interface Waiting<Job> {
  job: Job;
  isOver: boolean;
  end(result: Settled): void;
}

/**
 * Collects what arrives in one turn of the event loop, or while other batches are running, into the next batch. Under load many callers
 * share one commit; alone, a caller waits for no timer and for nobody else.
 */
export function createBatchQueue<Job>(options: BatchQueueOptions<Job>): BatchQueue<Job> {
  const { timers = systemTimers } = options;
  let waiting: Waiting<Job>[] = [];
  let running = 0;
  let isScheduled = false;
  let drained: (() => void)[] = [];

  const start = () => {
    isScheduled = false;
    while (running < options.runningMax && waiting.length > 0) {
      const batch = waiting.splice(0, LIMITS.storeBatchMax).filter((entry) => !entry.isOver);
      if (batch.length > 0) void runBatch(batch);
    }
    if (running > 0 || waiting.length > 0) return;
    for (const resolve of drained) resolve();
    drained = [];
  };
  const runBatch = async (batch: Waiting<Job>[]) => {
    running += 1;
    const jobs = batch.map((entry) => entry.job);
    const results = await options.run(jobs).catch((thrown: unknown) => ({ thrown }));
    running -= 1;
    batch.forEach((entry, index) => {
      const result = Array.isArray(results) ? results[index] : results;
      if (entry.isOver && result !== undefined && 'value' in result) options.late?.(entry.job, result.value);
      else entry.end(result ?? { thrown: new HeadgateError('internal', 'The store lost an answer.') });
    });
    start();
  };
  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    timers.soon(start);
  };

  const push = (job: Job): Promise<unknown> => {
    if (waiting.length >= LIMITS.storeQueueMax) {
      return Promise.reject(unavailable('too many calls are waiting for it'));
    }
    const { entry, result } = waitFor(job, options.deadlineMs, timers);
    waiting.push(entry);
    schedule();
    return result;
  };

  return {
    push,
    drain: () =>
      new Promise((resolve) => {
        drained.push(resolve);
        schedule();
      }),
  };
}

function waitFor<Job>(
  job: Job,
  deadlineMs: number,
  timers: QueueTimers,
): { entry: Waiting<Job>; result: Promise<unknown> } {
  const entry: Waiting<Job> = { job, isOver: false, end: () => undefined };
  const result = new Promise((resolve, reject) => {
    const stopTimer = timers.after(deadlineMs, () =>
      entry.end({ thrown: unavailable(`it did not answer within ${deadlineMs} ms`) }),
    );
    entry.end = (ended) => {
      if (entry.isOver) return;
      entry.isOver = true;
      stopTimer();
      if ('value' in ended) resolve(ended.value);
      else reject(ended.thrown instanceof Error ? ended.thrown : unavailable(String(ended.thrown)));
    };
  });
  return { entry, result };
}

/** The one way to say that the store cannot be used now. Money fails closed: the call is refused. */
export function unavailable(why: string, cause?: unknown): HeadgateError {
  return new HeadgateError(
    'storage_unavailable',
    own`The store of limits and credits is not available: ${named(why)}.`,
    {
      remediation: 'Nothing was charged. Try again shortly; if this persists, check [store] url and the log.',
      retryAfterMs: LIMITS.storeDeadlineMs,
      cause,
    },
  );
}
