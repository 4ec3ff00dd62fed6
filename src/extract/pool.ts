import { availableParallelism } from 'node:os';
import { LIMITS } from '../core/limits.ts';
import type { Extracted } from './extracted.ts';
import { isPdf, type ExtractOptions, type Page } from './page-bytes.ts';
import { createPdfPool } from './pdf-process.ts';
import { createPool } from './reading-pool.ts';
import { startThread } from './thread.ts';

export interface ExtractPool {
  /** Reads a page elsewhere: a PDF in a process of its own, all else in a thread. A page that takes too long or too much memory fails alone, with `extract_failed`. */
  extract(page: Page, options?: ExtractOptions, signal?: AbortSignal): Promise<Extracted>;
  /** Stops all readers; pages under way fail as cancelled. */
  close(): Promise<void>;
}

export interface PoolOptions {
  /** Threads at most; they start when they are needed. */
  size?: number;
  timeoutMs?: number;
  /** The heap of a thread, and all the memory of a process that reads PDFs. */
  memoryMb?: number;
}

/** Threads and processes that read pages, so that no page can stop the event loop or take the process down. */
export function createExtractPool(options: PoolOptions = {}): ExtractPool {
  const size = options.size ?? Math.max(1, Math.min(4, availableParallelism() - 1));
  const pages = createPool(size, (events) =>
    startThread({
      timeoutMs: options.timeoutMs ?? LIMITS.extractTimeoutMs,
      memoryMb: options.memoryMb ?? LIMITS.extractMemoryMb,
      ...events,
    }),
  );
  const pdfs = createPdfPool(options);
  return {
    extract: (page, wanted, signal) => (isPdf(page.bytes) ? pdfs : pages).extract(page, wanted, signal),
    close: async () => void (await Promise.all([pages.close(), pdfs.close()])),
  };
}
