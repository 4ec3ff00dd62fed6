import { Worker, type WorkerOptions } from 'node:worker_threads';
import { FAILURES, type FailureCode, HeadgateError } from './errors.ts';
import { onAbort } from './on-abort.ts';
import { named } from './own-text.ts';
import { workerFile } from './worker-file.ts';

/** A failure as plain data, as it crosses a thread or a process. */
export interface FailureData {
  code: string;
  message: string;
  remediation?: string | undefined;
  data?: Record<string, unknown> | undefined;
}

export function failureToData(thrown: unknown): FailureData {
  const { code, message, remediation, data } = HeadgateError.from(thrown);
  return { code, message, remediation, data };
}

/** Our own code wrote it on the other side, so its words are ours. */
export function failureFromData({ code, message, remediation, data }: FailureData): HeadgateError {
  const known = Object.hasOwn(FAILURES, code) ? (code as FailureCode) : 'internal';
  return new HeadgateError(known, named(message), {
    ...(remediation === undefined ? {} : { remediation: named(remediation) }),
    ...(data === undefined ? {} : { data }),
  });
}

/** Requests and replies over one worker thread, matched by id. An idle thread does not keep the process running. */
export interface WorkerChannel<Request, Reply> {
  ask(request: Request, options?: AskOptions<Reply>): Promise<Reply>;
  end(): Promise<unknown>;
}

interface AskOptions<Reply> {
  /** Sees every reply to the request; the first for which it returns true ends the request. */
  onReply?(reply: Reply): boolean;
  /** When it aborts, the thread is told `{ id, cancel: true }`; the reply to that ends the request. */
  signal?: AbortSignal | undefined;
}

interface ChannelOptions {
  /** The entry file, by the name of its source. */
  file: string;
  worker: WorkerOptions;
  /** Called once when the thread ends by itself; every open request is rejected with what it returns. */
  lost(cause?: unknown): Error;
  /** How messages cross; by default as structured clones. */
  encode?(message: unknown): unknown;
  decode?(message: unknown): unknown;
}

interface Waiting<Reply> {
  onReply(reply: Reply): boolean;
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

export function openWorkerChannel<Request extends object, Reply extends { id: number }>(
  options: ChannelOptions,
): WorkerChannel<Request, Reply> {
  const { encode = (message: unknown) => message, decode = (message: unknown) => message } = options;
  const worker = new Worker(workerFile(options.file), options.worker);
  const waiting = new Map<number, Waiting<Reply>>();
  let [lastId, isLost] = [0, false];
  const lose = (cause?: unknown): void => {
    if (isLost) return;
    isLost = true;
    const error = options.lost(cause);
    for (const one of waiting.values()) one.reject(error);
    waiting.clear();
  };
  worker.on('message', (message: unknown) => {
    const reply = decode(message) as Reply;
    const one = waiting.get(reply.id);
    if (one?.onReply(reply) === true) {
      waiting.delete(reply.id);
      one.resolve(reply);
    }
    if (waiting.size === 0) worker.unref();
  });
  worker.on('error', lose);
  worker.on('exit', () => lose());
  const post = (message: object): void => {
    // A reply that leaves nobody waiting has let the process end; otherwise it is kept running already.
    if (waiting.size <= 1) worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, not a window
    worker.postMessage(encode(message));
  };
  return {
    ask: (request, { onReply = () => true, signal } = {}) => {
      const id = (lastId += 1);
      const stopListening = signal && onAbort(signal, () => post({ id, cancel: true }));
      return new Promise<Reply>((resolve, reject) => {
        waiting.set(id, { onReply, resolve, reject });
        post({ ...request, id });
      }).finally(() => stopListening?.());
    },
    end: () => {
      lose();
      return worker.terminate();
    },
  };
}
