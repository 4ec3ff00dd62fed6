// The entry of the thread that owns the SQLite file.
import { parentPort } from 'node:worker_threads';
import { serveSqlite } from './store/sqlite/worker.ts';

if (parentPort !== null) serveSqlite(parentPort);

/** For tests, whose thread serves several files. */
export const serveStore = serveSqlite;
