// The entry of the threads that read pages.
import { parentPort } from 'node:worker_threads';
import { serveExtractWorker } from './extract/serve-worker.ts';

if (parentPort !== null) serveExtractWorker(parentPort);
