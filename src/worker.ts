// The entry of the threads that read pages.
import { parentPort, type MessagePort } from 'node:worker_threads';
import { failureToData } from './core/worker-channel.ts';
import { extractPage } from './extract/page.ts';
import type { ExtractOptions, Page } from './extract/page-bytes.ts';
import type { ThreadAnswer } from './extract/thread.ts';

if (parentPort !== null) serveExtractWorker(parentPort);

/** Runs in the worker: extracts one page after another for the thread that started it. */
function serveExtractWorker(port: MessagePort): void {
  const answer = (message: ThreadAnswer): void => port.postMessage(message);
  port.on('message', (work: { page: Page; options: ExtractOptions }) => {
    extractPage(work.page, work.options).then(
      // Copying reads the fields that are made when read, here instead of on the main thread.
      (result) => answer({ result: { ...result } }),
      (thrown: unknown) => answer({ failure: failureToData(thrown) }),
    );
  });
  answer({ ready: true });
}
