// The entry of the process that reads PDFs, and of the thread in it.
import { isMainThread, parentPort } from 'node:worker_threads';
import { servePdfProcess, servePdfThread } from './extract/serve-pdf.ts';

if (!isMainThread && parentPort !== null) servePdfThread(parentPort);
else if (process.send !== undefined) servePdfProcess();
