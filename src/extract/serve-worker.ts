import type { MessagePort } from 'node:worker_threads';
import { failureToData } from '../core/worker-channel.ts';
import { extractPage } from './page.ts';
import type { ExtractOptions, Page } from './page-bytes.ts';
import type { ThreadAnswer } from './thread.ts';

/** Runs in the worker: extracts one page after another for the thread that started it. */
export function serveExtractWorker(port: MessagePort): void {
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
