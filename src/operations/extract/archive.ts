import type { Caller } from '../../core/call.ts';
import type { Clock } from '../../core/clock.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Logger } from '../../core/log.ts';
import type { ContentFormat } from '../../core/query.ts';
import type { LibraryDocument } from '../../library/document.ts';
import type { Libraries } from '../../library/library.ts';

/** A page that was read. */
export interface ReadPageRecord {
  url: string;
  title: string;
  content: string;
  format: ContentFormat;
  publishedDate?: string | undefined;
}

/** Adds pages that were read to the caller's library, in the background. */
export interface PageArchiver {
  archive(caller: Caller, pages: ReadPageRecord[]): void;
  /** Resolves when all pages are written or were given up. */
  settled(): Promise<void>;
}

const DAY_MS = 86_400_000;

export function createPageArchiver(options: {
  library: Libraries;
  clock: Clock;
  log: Logger;
  days: number;
}): PageArchiver {
  const { library, clock, log, days } = options;
  const waiting = new Map<string | undefined, LibraryDocument[]>();
  let writing: Promise<void> | undefined;
  let queued = 0;
  /** Pages that arrive during a write are written together after it. */
  const write = async (): Promise<void> => {
    for (const [workspace, documents] of waiting) {
      waiting.delete(workspace);
      queued -= documents.length;
      await library
        .of(workspace)
        .add(documents)
        .catch((thrown: unknown) =>
          log.warn('library_keep_failed', { pages: documents.length, cause: thrown }),
        );
    }
    writing = undefined;
  };
  return {
    archive: ({ workspace }, pages) => {
      const room = pages.slice(0, LIMITS.libraryKeepQueueMax - queued);
      if (room.length < pages.length) log.warn('library_keep_full', { dropped: pages.length - room.length });
      if (room.length === 0) return;
      const expiresAt = clock.now() + days * DAY_MS;
      const documents = room.map((page) => documentOf(page, expiresAt));
      waiting.set(workspace, [...(waiting.get(workspace) ?? []), ...documents]);
      queued += documents.length;
      writing ??= write();
    },
    settled: async () => {
      for (let now = writing; now !== undefined; now = writing) await now;
    },
  };
}

const documentOf = (page: ReadPageRecord, expiresAt: number): LibraryDocument => ({
  id: page.url,
  url: page.url,
  title: page.title,
  content: page.content,
  format: page.format,
  kind: 'page',
  // Rounded to the hour, so that a page read twice within it is the same document.
  expiresAt: Math.ceil(expiresAt / HOUR_MS) * HOUR_MS,
  ...(page.publishedDate === undefined ? {} : { publishedDate: page.publishedDate }),
});

const HOUR_MS = 3_600_000;
