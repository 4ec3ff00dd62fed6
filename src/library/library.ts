import type { Progress } from '../core/call.ts';
import type { Clock } from '../core/clock.ts';
import { type Logger, silentLogger } from '../core/log.ts';
import type { LibraryDocument } from './document.ts';
import type { IngestReport, Intake } from './ingest.ts';
import type { LibraryStats, ListedDocument, ListOptions } from './list.ts';
import type { LibraryAnswer, LibrarySearch } from './reader.ts';
import type { RebuildReport } from './rebuild.ts';
import { createLibraryThread } from './thread.ts';
import type { AddReport, RemoveOptions } from './writer.ts';

export interface LibraryOptions {
  /** Where the library is kept: one folder for each workspace. */
  folder: string;
  clock: Clock;
  log?: Logger;
  /** Folders whose files may be added; without it any path that the process can read. */
  roots?: string[];
  bytesMax?: number;
}

export interface IngestControl {
  signal?: AbortSignal;
  progress?: (progress: Progress) => void;
}

/** A local index over documents of the disk and the web. Nothing is opened before the first call; all work is done in threads. */
export interface Library {
  search(query: LibrarySearch, signal?: AbortSignal): Promise<LibraryAnswer>;
  /** Adds or replaces documents by id; they are on the disk when the promise resolves. */
  add(documents: LibraryDocument[], signal?: AbortSignal): Promise<AddReport>;
  addFile(path: string, control?: IngestControl): Promise<IngestReport>;
  addFolder(path: string, control?: IngestControl): Promise<IngestReport>;
  /** The documentation of what is installed in a project, with exact versions. */
  addNodeModules(project: string, control?: IngestControl): Promise<IngestReport>;
  remove(options: RemoveOptions): Promise<number>;
  list(options?: ListOptions): Promise<ListedDocument[]>;
  stats(): Promise<LibraryStats>;
  /** Drops what has expired and puts segments together. */
  compact(): Promise<{ removed: number }>;
  /** Builds the index again from the stored documents. */
  rebuild(): Promise<RebuildReport>;
  close(): Promise<void>;
}

export function createLibrary({
  folder,
  clock,
  log = silentLogger,
  roots,
  bytesMax,
}: LibraryOptions): Library {
  const settings = { folder, roots, bytesMax };
  const reading = createLibraryThread(settings);
  const writing = createLibraryThread(settings);
  let repairing: Promise<void> | undefined;
  /** A damaged index is built again behind the back of searches, which go on with what is whole. */
  const repair = (warnings: string[]) => {
    log.warn('library_damaged', { warnings });
    repairing ??= writing
      .ask<RebuildReport>({ kind: 'rebuild' })
      .then((report) => log.info('library_rebuilt', { ...report }))
      .catch((thrown: unknown) => log.error('library_rebuild_failed', { error: thrown }))
      .finally(() => {
        repairing = undefined;
      });
  };
  const take = (intake: Intake, control: IngestControl = {}) =>
    writing.ask<IngestReport>({ kind: 'ingest', intake, now: clock.now() }, control);
  return {
    search: async (query, signal) => {
      const answer = await reading.ask<LibraryAnswer>(
        { kind: 'search', query, now: clock.now() },
        { signal },
      );
      if (answer.warnings.length > 0) repair(answer.warnings);
      return answer;
    },
    add: (documents, signal) => writing.ask({ kind: 'add', documents, now: clock.now() }, { signal }),
    addFile: (path, control) => take({ kind: 'file', path }, control),
    addFolder: (path, control) => take({ kind: 'folder', path }, control),
    addNodeModules: (project, control) => take({ kind: 'node_modules', project }, control),
    remove: (options) => writing.ask({ kind: 'remove', options }),
    list: (options = {}) => reading.ask({ kind: 'list', options }),
    stats: () => reading.ask({ kind: 'stats' }),
    compact: () => writing.ask({ kind: 'compact', now: clock.now() }),
    rebuild: () => writing.ask({ kind: 'rebuild' }),
    close: async () => {
      await repairing;
      await Promise.all([reading.close(), writing.close()]);
    },
  };
}
