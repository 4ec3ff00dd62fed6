import { availableParallelism } from 'node:os';
import { LIMITS } from '../core/limits.ts';
import type { Extracted } from './extracted.ts';
import { isPdf, type ExtractOptions, type Page } from './page-bytes.ts';
import { createPdfPool } from './pdf-process.ts';
import { createPool } from './reading-pool.ts';
import { startThread } from './thread.ts';

export interface ExtractPool {
  /**
   * Extracts a page in a thread, or a PDF in a process. A page that takes too long or too much memory fails
   * with `extract_failed`.
   */
  extract(page: Page, options?: ExtractOptions, signal?: AbortSignal): Promise<Extracted>;
  /** Stops all readers; pages under way fail as cancelled. */
  close(): Promise<void>;
}

export interface PoolOptions {
  /** The maximum number of threads; they start on demand. */
  size?: number;
  timeoutMs?: number;
  /** The heap limit of a thread, and the memory limit of a PDF process. */
  memoryMb?: number;
}

/** Creates a pool of threads and processes, so that no page can block the event loop or crash the process. */
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
