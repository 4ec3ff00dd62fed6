import { createExtractPool, type ExtractPool } from '../../src/extract/pool.ts';

/** Threads that read pages for all engines of this process: starting one takes longer than most tests. */
export const readingThreads: ExtractPool = { ...createExtractPool(), close: async () => undefined };
