import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { SQLITE_THREAD_ARGV } from '../../src/core/worker-file.ts';
import { unavailable } from '../../src/store/ledger/batch-queue.ts';
import type { OpenChannel } from '../../src/store/sqlite/thread.ts';
import type { SqliteReply } from '../../src/store/sqlite/worker.ts';

/** Serves every port that it is handed. */
const CODE = `import { workerData } from 'node:worker_threads';
const { serveStore } = await import(workerData.file).then((module) => module.default ?? module);
workerData.control.on('message', (port) => serveStore(port));`;

let control: MessagePort | undefined;

function startThread(dist: string): MessagePort {
  const { port1, port2 } = new MessageChannel();
  const file = pathToFileURL(join(dist, 'store-worker.cjs')).href;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(CODE)}`), {
    name: 'stores',
    execArgv: SQLITE_THREAD_ARGV,
    workerData: { file, control: port2 },
    transferList: [port2],
  });
  worker.on('exit', () => (control = undefined));
  worker.unref();
  port1.unref();
  return port1;
}

const dist = process.env['HEADGATE_TEST_DIST'];

/** One thread for the SQLite files of all gateways of this process: starting one takes longer than most tests. From source each has its own. */
export const storeThread: { connectStore?: OpenChannel } =
  dist === undefined ? {} : { connectStore: (lost) => openChannel(dist, lost) };

function openChannel(dist: string, lost: () => void): ReturnType<OpenChannel> {
  control ??= startThread(dist);
  const { port1: port, port2 } = new MessageChannel();
  control.postMessage(port2, [port2]);
  const waiting = new Map<number, { resolve(reply: SqliteReply): void; reject(error: Error): void }>();
  let lastId = 0;
  const closed = new Promise<void>((resolve) => {
    port.on('close', () => {
      resolve();
      lost();
      for (const one of waiting.values()) one.reject(unavailable('its thread ended'));
      waiting.clear();
    });
  });
  const post = (request: object): number => {
    port.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port, not a window
    port.postMessage(JSON.stringify({ ...request, id: (lastId += 1) }));
    return lastId;
  };
  port.on('message', (message: string) => {
    const reply = JSON.parse(message) as SqliteReply;
    waiting.get(reply.id)?.resolve(reply);
    waiting.delete(reply.id);
    if (waiting.size === 0) port.unref();
  });
  return {
    ask: (request) => new Promise((resolve, reject) => waiting.set(post(request), { resolve, reject })),
    end: () => {
      // The thread lives on, so the file is closed by it.
      post({ kind: 'close', now: 0 });
      return closed;
    },
  };
}
