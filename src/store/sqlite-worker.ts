import type { MessagePort } from 'node:worker_threads';
import { HeadgateError } from '../core/errors.ts';
import type { Statement } from './database.ts';
import {
  openSqliteEngine,
  type SqliteEngine,
  type SqliteEngineOptions,
  type SqliteJob,
} from './sqlite-engine.ts';
import { type Settled, settled } from './settled.ts';

/** What the main thread asks. `now` is the time of the asking side's clock. */
export type SqliteRequest = { id: number; now: number } & (
  | { kind: 'open'; options: SqliteEngineOptions }
  | { kind: 'read'; statements: Statement[] }
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

/**
 * Serves one database over a message port until it is told to close. Messages are JSON: for rows this is several times cheaper than
 * the structured clone of objects.
 */
export function serveSqlite(port: MessagePort): void {
  let engine: SqliteEngine | undefined;
  const opened = (): SqliteEngine => {
    if (engine === undefined) throw new HeadgateError('internal', 'The database is not open.');
    return engine;
  };
  const answer = (request: SqliteRequest): Settled[] => {
    switch (request.kind) {
      case 'open':
        engine = openSqliteEngine(request.options, () => request.now);
        return [{ value: null }];
      case 'read':
        return request.statements.map((statement) => settled(() => opened().read(statement)));
      case 'write':
        return opened().write(request.jobs, request.now);
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
  port.on('message', (message: string) => {
    const request = JSON.parse(message) as SqliteRequest;
    const results = settled(() => answer(request));
    const settledAll = 'value' in results ? (results.value as Settled[]) : [results];
    const reply: SqliteReply = {
      id: request.id,
      sequence: engine?.sequence ?? 0,
      results: settledAll.map((one) => ('value' in one ? one : { failure: failureOf(one.thrown) })),
    };
    port.postMessage(JSON.stringify(reply));
  });
}

function failureOf(thrown: unknown): SqliteFailure {
  if (thrown instanceof HeadgateError) {
    const { code, message, remediation, data } = thrown;
    return { code, message, remediation, fatal: data.fatal === true };
  }
  const error = thrown as Error & { code?: string };
  const code = typeof error.code === 'string' ? error.code : 'SQLITE_ERROR';
  return { code, message: error.message, remediation: undefined, fatal: false };
}
