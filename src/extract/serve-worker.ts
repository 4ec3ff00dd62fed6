import type { MessagePort } from 'node:worker_threads';
import { HeadgateError } from '../core/errors.ts';
import { extractPage } from './page.ts';
import type { ExtractOptions, Page } from './page-bytes.ts';
import type { ThreadAnswer } from './thread.ts';

/** The other end of the pool: reads one page after another for the thread that started this one. */
export function serveExtractWorker(port: MessagePort): void {
  const answer = (message: ThreadAnswer): void => port.postMessage(message);
  port.on('message', (work: { page: Page; options: ExtractOptions }) => {
    extractPage(work.page, work.options).then(
      // Copying reads the fields that are made when read, here instead of on the main thread.
      (result) => answer({ result: { ...result } }),
      (thrown: unknown) => {
        const { code, message, remediation } = HeadgateError.from(thrown);
        answer({ failure: remediation === undefined ? { code, message } : { code, message, remediation } });
      },
    );
  });
  answer({ ready: true });
}
