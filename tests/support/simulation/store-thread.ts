import { LIMITS } from '../../../src/core/limits.ts';
import { unavailable } from '../../../src/store/ledger/batch-queue.ts';
import type { Settled } from '../../../src/store/ledger/settled.ts';
import type { SqliteJob } from '../../../src/store/sqlite/engine.ts';
import type { OpenChannel, StoreChannel } from '../../../src/store/sqlite/thread.ts';
import type { SqliteResult } from '../../../src/store/sqlite/worker.ts';
import { type Disk, type Engine, openEngine } from './disk.ts';
import type { Life, Time } from './time.ts';

/**
 * What becomes of a transaction. `crash-before` and `crash-after` end the process before and after it is on the disk; `lost-before`
 * and `lost-after` end only the store's thread; `full` and `slow` are the disk's. `resent`: it is on the disk, the reply is lost with the
 * connection, and the store's client sends the bookings again, as that of PostgreSQL does.
 */
export const FATES = [
  'crash-before',
  'crash-after',
  'lost-before',
  'lost-after',
  'full',
  'slow',
  'resent',
  'resent',
] as const;
export type Fate = (typeof FATES)[number];

/** What happens to the store. */
export interface StoreFaults {
  /** Nothing can be read or written. */
  isGone: boolean;
  /** Nothing can be written. */
  isFull: boolean;
  /** Called once per transaction, before it. */
  next(): Fate | undefined;
  crash(life: Life): void;
  /** Something failed in a way that may leave a request in doubt. */
  noted(isSlow?: boolean): void;
  /** The tables refused what a program wrote, which no fault explains. */
  refused(message: string): void;
}

type Request = Parameters<StoreChannel['ask']>[0];
type Answered = Awaited<ReturnType<StoreChannel['ask']>>;
interface Waiting {
  request: Request;
  asked: number;
  resolve(answered: Answered): void;
  reject(error: Error): void;
}

const jobsOf = ({ request }: Waiting): SqliteJob[] => (request.kind === 'write' ? request.jobs : []);

const RESENT_MS = 30;
const SLOW_MS = LIMITS.storeDeadlineMs + 500;

/** The store's thread of one process, over the simulated disk: what has arrived while it was busy is committed together. */
export const simulatedThread =
  (parts: {
    time: Time;
    disk: Disk;
    life: Life;
    writer: number;
    faults: StoreFaults;
    workMs(): number;
  }): OpenChannel =>
  (lost) => {
    const { time, disk, life, faults } = parts;
    let engine: Engine | undefined;
    let waiting: Waiting[] = [];
    let isBusy = false;
    let isOver = false;
    const die = (): void => {
      if (isOver) return;
      isOver = true;
      faults.noted();
      lost();
      const error = unavailable('its thread ended');
      for (const { reject } of [...running, ...waiting]) reject(error);
      waiting = [];
    };
    let running: Waiting[] = [];
    const answer = ({ resolve }: Waiting, results: Settled[]): void =>
      resolve({ sequence: disk.version, results: results.map(resultOf) });

    const work = (): void => {
      if (isBusy || isOver || waiting.length === 0) return;
      isBusy = true;
      const isWrite = waiting[0]?.request.kind === 'write';
      const end = waiting.findIndex(({ request }) => request.kind !== 'write');
      const count = isWrite ? Math.min(end === -1 ? waiting.length : end, LIMITS.storeBatchesMax) : 1;
      running = waiting.splice(0, count);
      const fate = isWrite ? faults.next() : undefined;
      if (fate === 'slow') faults.noted(true);
      time.at(fate === 'slow' ? SLOW_MS : parts.workMs(), life, () => {
        if (isOver) return;
        const bookings = running.flatMap(jobsOf).filter((job) => job.kind === 'book');
        const isUsable = engine !== undefined && !faults.isFull && !faults.isGone;
        if (fate === 'resent' && bookings.length > 0 && isUsable) {
          write(bookings);
          return void time.at(RESENT_MS, life, () => (isOver ? undefined : finish(undefined)));
        }
        if (isWrite) finish(fate);
        else {
          for (const one of running) answer(one, other(one.request));
          goOn();
        }
      });
    };
    const finish = (fate: Fate | undefined): void => {
      commit(fate);
      goOn();
    };
    const goOn = (): void => {
      isBusy = false;
      running = [];
      work();
    };
    const write = (jobs: SqliteJob[]): Settled[] => {
      // A batch has one time, the latest, which may have been read after the clock was set.
      const now = Math.max(...running.map(({ request }) => request.now));
      const read = running.filter(({ request }) => request.now === now).map(({ asked }) => asked);
      return (engine as Engine).write(jobs, now, Math.min(...read));
    };
    const commit = (fate: Fate | undefined): void => {
      if (fate === 'crash-before') return faults.crash(life);
      if (fate === 'lost-before') return die();
      const jobs = running.flatMap(jobsOf);
      const isRefused = fate === 'full' || faults.isFull || faults.isGone || engine === undefined;
      if (isRefused) faults.noted();
      const results = isRefused ? jobs.map(() => ({ thrown: new DiskError() })) : write(jobs);
      for (const one of results)
        if ('thrown' in one && !(one.thrown instanceof DiskError))
          faults.refused((one.thrown as Error).message);
      if (fate === 'crash-after') return faults.crash(life);
      if (fate === 'lost-after') return die();
      let from = 0;
      for (const one of running) {
        const own = jobsOf(one).length;
        answer(one, results.slice(from, from + own));
        from += own;
      }
    };
    const other = (request: Request): Settled[] => {
      if (faults.isGone) {
        faults.noted();
        const { length } = request.kind === 'read' ? request.statements : [request];
        return Array.from({ length }, () => ({ thrown: new DiskError() }));
      }
      if (request.kind === 'open') engine = openEngine(disk, parts.writer);
      if (request.kind !== 'read') return [{ value: null }];
      const opened = engine;
      // What was on its way to the thread before this one finds nothing open.
      if (opened === undefined) return request.statements.map(() => ({ thrown: new DiskError() }));
      return request.statements.map((statement) => ({ value: opened.read(statement) }));
    };
    return {
      ask: (request) =>
        new Promise((resolve, reject) => {
          waiting.push({ request, asked: time.passed, resolve, reject });
          work();
        }),
      end: async () => {
        isOver = true;
      },
    };
  };

class DiskError extends Error {
  code = 'SQLITE_FULL';
  constructor() {
    super('database or disk is full');
  }
}

function resultOf(one: Settled): SqliteResult {
  if ('value' in one) return one;
  const { message, code = 'SQLITE_ERROR' } = one.thrown as Error & { code?: string };
  return { failure: { code, message, remediation: undefined, fatal: false } };
}
