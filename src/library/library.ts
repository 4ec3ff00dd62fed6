import { existsSync } from 'node:fs';
import type { Progress } from '../core/call.ts';
import type { Clock } from '../core/clock.ts';
import { type Logger, silentLogger } from '../core/log.ts';
import type { LibraryDocument } from './document.ts';
import type { IngestReport, Intake } from './ingest/ingest.ts';
import type { LibraryStats, ListedDocument, ListOptions } from './query/list.ts';
import type { LibraryAnswer, LibrarySearch } from './query/reader.ts';
import type { RebuildReport } from './rebuild.ts';
import { SHARED } from './storage/library-index.ts';
import type { IndexSettings } from './storage/index-pool.ts';
import { createLibraryThread, type LibraryThread } from './thread.ts';
import type { AddReport, RemoveOptions } from './writer.ts';

export interface LibraryOptions extends IndexSettings {
  clock: Clock;
  log?: Logger;
}

export interface IngestControl {
  signal?: AbortSignal | undefined;
  progress?: ((progress: Progress) => void) | undefined;
  /** Folders whose files may be added; without it any path that the process can read. */
  roots?: string[] | undefined;
}

/**
 * A local full-text index over documents from the disk and the web. Nothing is opened before the first call;
 * all work is done in threads.
 */
export interface Library {
  search(query: LibrarySearch, signal?: AbortSignal): Promise<LibraryAnswer>;
  /** Adds or replaces documents by ID. They are on disk when the promise resolves. */
  add(documents: LibraryDocument[], signal?: AbortSignal): Promise<AddReport>;
  addFile(path: string, control?: IngestControl): Promise<IngestReport>;
  addFolder(path: string, control?: IngestControl): Promise<IngestReport>;
  /** Adds the documentation of the packages installed in a project, with exact versions. */
  addNodeModules(project: string, control?: IngestControl): Promise<IngestReport>;
  remove(options: RemoveOptions): Promise<number>;
  list(options?: ListOptions): Promise<ListedDocument[]>;
  stats(): Promise<LibraryStats>;
  /** Removes expired documents and merges segments. */
  compact(): Promise<{ removed: number }>;
  /** Rebuilds the index from the stored documents. */
  rebuild(): Promise<RebuildReport>;
}

/** The shared library, and those of workspaces. */
export interface Libraries extends Library {
  /**
   * The library of a workspace: it changes its own and searches its own and the shared one. Without a
   * workspace, the shared one.
   */
  of(workspace: string | undefined): Library;
  /** False where nothing was ever added. */
  exists(): boolean;
  close(): Promise<void>;
}

export function createLibrary({
  clock,
  log = silentLogger,
  folder,
  database,
  bytesMax,
  keptBytesMax,
}: LibraryOptions): Libraries {
  const settings = { folder, database, bytesMax, keptBytesMax };
  const threads = { reading: createLibraryThread(settings), writing: createLibraryThread(settings) };
  const repairs = createRepairs(threads.writing, log);
  // Where nothing was ever added, there is nothing to start a thread for.
  const isThere = (): boolean => database !== undefined || existsSync(folder);
  const viewOf = (name: string): Library => createView(name, threads, clock, repairs.begin, isThere);
  return {
    ...viewOf(SHARED),
    of: (workspace) => viewOf(workspace ?? SHARED),
    exists: isThere,
    close: async () => {
      await repairs.settled();
      await Promise.all([threads.reading.close(), threads.writing.close()]);
    },
  };
}

const NOTHING: LibraryAnswer = { hits: [], guesses: [], warnings: [], isDamaged: false };

function createView(
  name: string,
  { reading, writing }: { reading: LibraryThread; writing: LibraryThread },
  clock: Clock,
  repair: (library: string, warnings: string[]) => void,
  isThere: () => boolean,
): Library {
  const libraries = name === SHARED ? [SHARED] : [name, SHARED];
  const take = (intake: Intake, { roots, ...control }: IngestControl = {}) =>
    writing.ask<IngestReport>({ kind: 'ingest', library: name, intake, roots, now: clock.now() }, control);
  return {
    search: async (query, signal) => {
      if (!isThere()) return NOTHING;
      const request = { kind: 'search' as const, libraries, query, now: clock.now() };
      const answer = await reading.ask<LibraryAnswer>(request, { signal });
      if (answer.isDamaged) for (const one of libraries) repair(one, answer.warnings);
      return answer;
    },
    add: (documents, signal) =>
      writing.ask({ kind: 'add', library: name, documents, now: clock.now() }, { signal }),
    addFile: (path, control) => take({ kind: 'file', path }, control),
    addFolder: (path, control) => take({ kind: 'folder', path }, control),
    addNodeModules: (project, control) => take({ kind: 'node_modules', project }, control),
    remove: (options) => writing.ask({ kind: 'remove', library: name, options }),
    list: (options = {}) => reading.ask({ kind: 'list', library: name, options }),
    stats: () => reading.ask({ kind: 'stats', library: name }),
    compact: () => writing.ask({ kind: 'compact', library: name, now: clock.now() }),
    rebuild: () => writing.ask({ kind: 'rebuild', library: name }),
  };
}

/** Rebuilds a damaged index in the background, while searches use the intact part. */
function createRepairs(writing: LibraryThread, log: Logger) {
  const running = new Map<string, Promise<void>>();
  return {
    begin: (library: string, warnings: string[]) => {
      if (running.has(library)) return;
      log.warn('library_damaged', { library, warnings });
      // Every change begins with a repair; this one changes nothing else.
      const repair = writing
        .ask({ kind: 'remove', library, options: {} })
        .then(() => log.info('library_repaired', { library }))
        .catch((thrown: unknown) => log.error('library_repair_failed', { library, error: thrown }))
        .finally(() => running.delete(library));
      running.set(library, repair);
    },
    settled: () => Promise.all(running.values()),
  };
}
