import { type MessagePort, Worker } from 'node:worker_threads';
import { failureToData } from '../core/worker-channel.ts';
import { workerFile } from '../core/worker-file.ts';
import { extractPdf } from './pdf.ts';
import type { ThreadAnswer } from './thread.ts';

/** A request to the PDF process. */
export interface PdfWork {
  bytes: Uint8Array;
  url: string | undefined;
}

/** A response of the PDF process. After the last one it must be replaced. */
export interface PdfAnswer {
  answer: ThreadAnswer;
  isLast: boolean;
}

/** The exit code for exceeding the memory limit. */
export const OUT_OF_MEMORY = 97;
const LOOK_MS = 10;

/**
 * Runs in the PDF process. Reading happens in a thread, so that the main thread can always check the memory
 * of the whole process, which no limit of Node covers, and exit with its parent.
 */
export function servePdfProcess(): void {
  const bytesMax = Number(process.argv[2]) * 1024 * 1024;
  const worker = new Worker(workerFile('pdf-reader-worker'), { name: 'headgate-pdf' });
  // The thread has reached its heap limit.
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

/** Runs in the thread of the PDF process. */
export function servePdfThread(port: MessagePort): void {
  const answer = (message: ThreadAnswer): void => port.postMessage(message);
  port.on('message', ({ bytes, url }: PdfWork) => {
    extractPdf(bytes, url).then(
      (result) => answer({ result }),
      (thrown: unknown) => answer({ failure: failureToData(thrown) }),
    );
  });
  answer({ ready: true });
}
