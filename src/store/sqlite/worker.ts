import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import type { SqlStatement } from '../database.ts';
import { openSqliteEngine, type SqliteEngine, type SqliteEngineOptions, type SqliteJob } from './engine.ts';
import { unavailable } from '../ledger/batch-queue.ts';
import { type Settled, settled } from '../ledger/settled.ts';

/** A request of the main thread. `now` is the time of its clock. */
export type SqliteRequest = { id: number; now: number } & (
  | { kind: 'open'; options: SqliteEngineOptions }
  | { kind: 'read'; statements: SqlStatement[] }
  | { kind: 'write'; jobs: SqliteJob[] }
  | { kind: 'backup'; path: string }
  | { kind: 'check' }
  | { kind: 'close' }
);

/** A failure that crosses the thread as plain data. */
export interface SqliteFailure {
  code: string;
  message: string;
  remediation: string | undefined;
  fatal: boolean;
}
export type SqliteResult = { value: unknown } | { failure: SqliteFailure };
export interface SqliteReply {
  id: number;
  sequence: number;
  results: SqliteResult[];
}

type WriteRequest = Extract<SqliteRequest, { kind: 'write' }>;

/**
 * Serves one database over a message port until it is told to close. Messages are JSON, which for rows is
 * several times cheaper than structured clone. Everything that arrives while the disk is busy is committed
 * together.
 */
export function serveSqlite(port: MessagePort): void {
  let engine: SqliteEngine | undefined;
  const opened = (): SqliteEngine => {
    // What was on its way to a thread that ended reaches the next one before it is open.
    if (engine === undefined) throw unavailable('its thread ended');
    return engine;
  };
  const end = (id: number, results: Settled[]): void => {
    const reply: SqliteReply = { id, sequence: engine?.sequence ?? 0, results: results.map(resultOf) };
    port.postMessage(JSON.stringify(reply));
  };
  const answer = (request: Exclude<SqliteRequest, WriteRequest>): Settled[] => {
    switch (request.kind) {
      case 'open':
        engine = openSqliteEngine(request.options, () => request.now);
        return [{ value: null }];
      case 'read':
        return request.statements.map((statement) => settled(() => opened().read(statement)));
      case 'backup':
        opened().backup(request.path);
        return [{ value: null }];
      case 'check':
        return [{ value: opened().check() }];
      case 'close':
        engine?.close();
        port.close();
        return [{ value: null }];
    }
  };
  const write = (requests: WriteRequest[]): void => {
    const jobs = requests.flatMap((request) => request.jobs);
    const now = Math.max(...requests.map((request) => request.now));
    const whole = settled(() => opened().write(jobs, now));
    const results = 'value' in whole ? (whole.value as Settled[]) : jobs.map(() => whole);
    for (const { request, own } of shares(requests, results)) end(request.id, own);
  };
  port.on('message', (message: string) => {
    for (const group of groupsOf([message, ...waitingOn(port)])) {
      if (Array.isArray(group)) {
        write(group);
        continue;
      }
      const results = settled(() => answer(group));
      end(group.id, 'value' in results ? (results.value as Settled[]) : [results]);
    }
  });
}

/** Messages that have arrived but were not delivered yet, up to one transaction's worth. */
function* waitingOn(port: MessagePort): Generator<string> {
  for (let taken = 1; taken < LIMITS.storeBatchesMax; taken += 1) {
    const next = receiveMessageOnPort(port);
    if (next === undefined) return;
    yield next.message as string;
  }
}

/** The requests in order; consecutive writes form a group. */
function groupsOf(messages: string[]): (WriteRequest[] | Exclude<SqliteRequest, WriteRequest>)[] {
  const groups: ReturnType<typeof groupsOf> = [];
  for (const message of messages) {
    const request = JSON.parse(message) as SqliteRequest;
    const last = groups.at(-1);
    if (request.kind !== 'write') groups.push(request);
    else if (Array.isArray(last)) last.push(request);
    else groups.push([request]);
  }
  return groups;
}

/** Assigns the values of a group to its requests. */
function shares(requests: WriteRequest[], values: Settled[]): { request: WriteRequest; own: Settled[] }[] {
  let from = 0;
  return requests.map((request) => {
    const own = values.slice(from, from + request.jobs.length);
    from += request.jobs.length;
    return { request, own };
  });
}

const resultOf = (one: Settled): SqliteResult => ('value' in one ? one : { failure: failureOf(one.thrown) });

function failureOf(thrown: unknown): SqliteFailure {
  if (thrown instanceof HeadgateError) {
    const { code, message, remediation, data } = thrown;
    return { code, message, remediation, fatal: data.fatal === true };
  }
  const error = thrown as Error & { code?: string };
  const code = typeof error.code === 'string' ? error.code : 'SQLITE_ERROR';
  return { code, message: error.message, remediation: undefined, fatal: false };
}
