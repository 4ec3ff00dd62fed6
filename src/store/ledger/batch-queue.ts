import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Settled } from './settled.ts';

/** A job whose batch is decided but perhaps not yet committed. */
export interface Decided {
  value: unknown;
  /** The value it has after COMMIT; rejects when there was none. */
  committed: Promise<unknown>;
}

/** Told that the job at `index` of a running batch is decided. */
export type OnDecided = (index: number, value: unknown) => void;

export interface BatchQueue<Job> {
  /** Resolves when the job's batch is committed. Rejects with `storage_unavailable` when that takes too long. */
  push(job: Job): Promise<unknown>;
  /** Resolves as soon as the job is decided, while its batch is being committed. */
  pushEarly(job: Job): Promise<Decided>;
  /** Resolves when nothing is waiting or running. */
  drain(): Promise<void>;
}

export interface BatchQueueOptions<Job> {
  /** Runs a batch; tells `decided` when somebody wants to know before the commit. */
  run(jobs: Job[], decided: OnDecided | undefined): Promise<Settled[]>;
  /** How many batches may run at once. */
  runningMax: number;
  deadlineMs: number;
  /** Told about a job that succeeded after its caller had been refused. */
  late?(job: Job, value: unknown): void;
}

interface Waiting<Job> {
  job: Job;
  isOver: boolean;
  end(result: Settled): void;
  decided?(value: unknown): void;
}

/**
 * Collects what arrives while a batch is running into the next batch. Under load many callers share one commit; alone,
 * a caller waits for nobody.
 */
export function createBatchQueue<Job>(options: BatchQueueOptions<Job>): BatchQueue<Job> {
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
    const results = await options.run(jobs, decidedOf(batch)).catch((thrown: unknown) => ({ thrown }));
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
    // Alone, a caller waits for nobody; while a batch is running, everything asked in this turn of the event loop goes into the next.
    if (running === 0) start();
    else setImmediate(start);
  };

  const push = (job: Job, decided?: (value: unknown) => void): Promise<unknown> => {
    if (waiting.length >= LIMITS.storeQueueMax) {
      return Promise.reject(unavailable('too many calls are waiting for it'));
    }
    const { entry, result } = waitFor(job, options.deadlineMs);
    if (decided !== undefined) entry.decided = decided;
    waiting.push(entry);
    schedule();
    return result;
  };

  return {
    push: (job) => push(job),
    pushEarly: (job) =>
      new Promise((resolve, reject) => {
        const committed = push(job, (value) => resolve({ value, committed }));
        committed.then((value) => resolve({ value, committed }), reject);
      }),
    drain: () =>
      new Promise((resolve) => {
        drained.push(resolve);
        schedule();
      }),
  };
}

/** Tells those who want to know before the commit; undefined when nobody does. */
function decidedOf<Job>(batch: Waiting<Job>[]): OnDecided | undefined {
  if (batch.every((entry) => entry.decided === undefined)) return undefined;
  return (index, value) => batch[index]?.decided?.(value);
}

function waitFor<Job>(job: Job, deadlineMs: number): { entry: Waiting<Job>; result: Promise<unknown> } {
  const entry: Waiting<Job> = { job, isOver: false, end: () => undefined };
  const result = new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => entry.end({ thrown: unavailable(`it did not answer within ${deadlineMs} ms`) }),
      deadlineMs,
    );
    entry.end = (ended) => {
      if (entry.isOver) return;
      entry.isOver = true;
      clearTimeout(timer);
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
    `The store of limits and credits is not available: ${why}.`,
    {
      remediation:
        'Nothing was charged. Try again shortly; if it stays like this, check [store] url and the log.',
      retryAfterMs: LIMITS.storeDeadlineMs,
      cause,
    },
  );
}
