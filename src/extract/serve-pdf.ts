import { type MessagePort, Worker } from 'node:worker_threads';
import { type FailureData, failureToData } from '../core/worker-channel.ts';
import { workerFile } from '../core/worker-file.ts';
import { composePdf, loadReader, type PdfPart, readPdf } from './pdf.ts';
import type { ThreadAnswer } from './thread.ts';

/** A request to the PDF process. */
export interface PdfWork {
  bytes: Uint8Array;
  url: string | undefined;
  /** How long it may read; then it answers with the pages it has. */
  readMs: number;
}

/** A response of the PDF process. After the last one it must be replaced. */
export interface PdfAnswer {
  answer: ThreadAnswer;
  isLast: boolean;
}

/** A message from the thread that reads. */
type PdfStep = { ready: true } | { part: PdfPart } | { done: true } | { failure: FailureData };

/** The exit code for exceeding the memory limit. */
export const OUT_OF_MEMORY = 97;
const LOOK_MS = 10;

/**
 * Runs in the PDF process. Reading happens in a thread, so that the main thread can always check the time and
 * the memory of the whole process, which no limit of Node covers, and exit with its parent. The pages are
 * collected here: when the reading must stop, those that were read are the answer.
 */
export function servePdfProcess(): void {
  const bytesMax = Number(process.argv[2]) * 1024 * 1024;
  const worker = new Worker(workerFile('pdf-reader-worker'), { name: 'headgate-pdf' });
  let work: { url: string | undefined; parts: PdfPart[]; isDue: boolean } | undefined;
  let timer: NodeJS.Timeout | undefined;
  const send = (answer: ThreadAnswer, isStuck = false): void => {
    // What one PDF leaves behind must not end the next one.
    const isLast = isStuck || process.memoryUsage.rss() > bytesMax / 2;
    process.send?.({ answer, isLast } satisfies PdfAnswer);
  };
  const finish = (isStuck: boolean): void => {
    if (work === undefined) return;
    const { parts, url } = work;
    work = undefined;
    clearTimeout(timer);
    send({ result: composePdf(parts, url) }, isStuck);
  };
  const outOfTime = (): void => {
    if (work === undefined) return;
    work.isDue = true;
    if (hasPage(work.parts)) finish(true);
  };
  const outOfMemory = (): void => {
    if (work === undefined || !hasPage(work.parts)) process.exit(OUT_OF_MEMORY);
    clearInterval(looking);
    void worker.terminate();
    finish(true);
  };
  // The thread has reached its heap limit.
  worker.on('error', outOfMemory);
  worker.on('message', (step: PdfStep) => {
    if ('ready' in step) send(step);
    else if ('part' in step) {
      work?.parts.push(step.part);
      if (work?.isDue === true) outOfTime();
    } else if ('done' in step) finish(false);
    else {
      work = undefined;
      clearTimeout(timer);
      send(step);
    }
  });
  process.on('message', ({ readMs, ...next }: PdfWork) => {
    work = { url: next.url, parts: [], isDue: false };
    timer = setTimeout(outOfTime, readMs);
    worker.postMessage(next.bytes, []);
  });
  process.on('disconnect', () => process.exit());
  const looking = setInterval(() => {
    if (process.memoryUsage.rss() > bytesMax) outOfMemory();
  }, LOOK_MS);
}

const hasPage = (parts: PdfPart[]): boolean => parts.some((part) => 'page' in part);

/** Runs in the thread of the PDF process. */
export function servePdfThread(port: MessagePort): void {
  const send = (step: PdfStep): void => port.postMessage(step);
  port.on('message', (bytes: Uint8Array) => {
    readPdf(bytes, (part) => send({ part })).then(
      () => send({ done: true }),
      (thrown: unknown) => send({ failure: failureToData(thrown) }),
    );
  });
  // Loading the reader takes longer than reading most PDFs, and is no part of their time.
  void loadReader().finally(() => send({ ready: true }));
}
