import { type MessagePort, Worker } from 'node:worker_threads';
import { HeadgateError } from '../core/errors.ts';
import { workerFile } from '../core/worker-file.ts';
import { extractPdf } from './pdf.ts';
import type { ThreadAnswer } from './thread.ts';

/** What the process is asked for. */
export interface PdfWork {
  bytes: Uint8Array;
  url: string | undefined;
}

/** What it answers, and whether it can be asked again. */
export interface PdfAnswer {
  answer: ThreadAnswer;
  isLast: boolean;
}

/** The exit code of a process that has taken more memory than it may. */
export const OUT_OF_MEMORY = 97;
const LOOK_MS = 10;

/**
 * The process that reads PDFs. The reading is done in a thread of its own, so that this one always has time to look at the memory of
 * the whole process, which no limit of Node covers, and to end with whoever started it.
 */
export function servePdfProcess(): void {
  const bytesMax = Number(process.argv[2]) * 1024 * 1024;
  const worker = new Worker(workerFile('pdf-reader-worker'), { name: 'headgate-pdf' });
  // The heap's own limit ends the thread, which is the same to whoever waits.
  worker.on('error', () => process.exit(OUT_OF_MEMORY));
  worker.on('message', (answer: ThreadAnswer) => {
    // What one PDF leaves behind must not end the next one.
    const isLast = process.memoryUsage.rss() > bytesMax / 2;
    process.send?.({ answer, isLast } satisfies PdfAnswer);
  });
  process.on('message', (work: PdfWork) => worker.postMessage(work, []));
  process.on('disconnect', () => process.exit());
  setInterval(() => {
    if (process.memoryUsage.rss() > bytesMax) process.exit(OUT_OF_MEMORY);
  }, LOOK_MS);
}

/** The thread in that process. */
export function servePdfThread(port: MessagePort): void {
  const answer = (message: ThreadAnswer): void => port.postMessage(message);
  port.on('message', ({ bytes, url }: PdfWork) => {
    extractPdf(bytes, url).then(
      (result) => answer({ result }),
      (thrown: unknown) => {
        const { code, message, remediation } = HeadgateError.from(thrown);
        answer({ failure: remediation === undefined ? { code, message } : { code, message, remediation } });
      },
    );
  });
  answer({ ready: true });
}
