// The entry of the threads that search and write a library.
import { parentPort, workerData } from 'node:worker_threads';
import { serveLibrary, type LibrarySettings } from './library/serve.ts';

if (parentPort !== null) serveLibrary(parentPort, workerData as LibrarySettings);
