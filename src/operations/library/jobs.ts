import type { Progress } from '../../core/call.ts';
import type { Clock } from '../../core/clock.ts';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { newNonce } from '../../core/ids.ts';
import { LIMITS } from '../../core/limits.ts';
import type { AddedReport } from './added.ts';

/** A background job that adds to a library. */
export interface LibraryJob {
  id: string;
  /** The source, as requested. */
  source: string;
  /** The workspace of the library; absent for the shared one. */
  workspace?: string;
  state: 'running' | 'done' | 'failed' | 'cancelled';
  startedAt: number;
  endedAt?: number;
  progress: Progress;
  report?: AddedReport;
  error?: string;
}

type Work = (control: { signal: AbortSignal; progress(progress: Progress): void }) => Promise<AddedReport>;

/** Running and recent jobs. */
export interface LibraryJobs {
  start(about: { source: string; workspace?: string | undefined }, work: Work): LibraryJob;
  /** Newest first. */
  list(): LibraryJob[];
  cancel(id: string): LibraryJob;
  /** Resolves when the job has ended, in any state. */
  finished(id: string): Promise<LibraryJob>;
  close(): Promise<void>;
}

interface Entry {
  job: LibraryJob;
  stop: AbortController;
  done: Promise<void>;
}

export function createLibraryJobs({ clock }: { clock: Clock }): LibraryJobs {
  const entries = new Map<string, Entry>();
  const entryOf = (id: string): Entry => {
    const entry = entries.get(id);
    if (entry === undefined) throw new HeadgateError('not_found', own`There is no job "${named(id)}".`);
    return entry;
  };
  const running = () => [...entries.values()].filter(({ job }) => job.state === 'running');
  return {
    start: ({ source, workspace }, work) => {
      if (running().length >= LIMITS.libraryJobsRunningMax) throw tooMany();
      const job: LibraryJob = {
        id: newNonce(),
        source,
        ...(workspace === undefined ? {} : { workspace }),
        state: 'running',
        startedAt: clock.now(),
        progress: { done: 0 },
      };
      const stop = new AbortController();
      entries.set(job.id, { job, stop, done: follow(job, stop.signal, work, clock) });
      for (const [id, entry] of entries) {
        if (entries.size <= LIMITS.libraryJobsMax) break;
        if (entry.job.state !== 'running') entries.delete(id);
      }
      return job;
    },
    list: () => [...entries.values()].map(({ job }) => job).toReversed(),
    cancel: (id) => {
      const { job, stop } = entryOf(id);
      stop.abort();
      return job;
    },
    finished: async (id) => {
      const { job, done } = entryOf(id);
      await done;
      return job;
    },
    close: async () => {
      for (const { stop } of running()) stop.abort();
      await Promise.all([...entries.values()].map(({ done }) => done));
    },
  };
}

async function follow(job: LibraryJob, signal: AbortSignal, work: Work, clock: Clock): Promise<void> {
  const progress = (now: Progress): void => {
    job.progress = now;
  };
  try {
    job.report = await work({ signal, progress });
    job.state = signal.aborted ? 'cancelled' : 'done';
  } catch (thrown) {
    job.state = signal.aborted ? 'cancelled' : 'failed';
    if (!signal.aborted) job.error = HeadgateError.from(thrown).explanation;
  }
  job.endedAt = clock.now();
}

const tooMany = (): HeadgateError =>
  new HeadgateError('limit_reached', `${LIMITS.libraryJobsRunningMax} additions are running already.`, {
    remediation: 'Wait until one of them is done, or cancel it.',
  });
