import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { LIMITS } from '../core/limits.ts';
import { createOpenedLibrary, type OpenedLibrary } from './opened.ts';
import { createFolderStore, type SegmentStore } from './segment-store.ts';
import { createLibraryWriter, type LibraryWriter, type WriterLimits } from './writer.ts';

/** The name of the library that everybody finds. Every workspace has one of its own beside it. */
export const SHARED = '';

/** One library as a thread has it open. */
export interface Shelf {
  store: SegmentStore;
  opened: OpenedLibrary;
  /** Learns what was committed elsewhere. */
  refresh(): Promise<void>;
  /** Runs a change; what it returns counts for everybody when the promise resolves. */
  change<Result>(work: (writer: LibraryWriter) => Result): Promise<Result>;
  close(): void;
}

/** The libraries of one folder; a few are kept open, the one that was asked longest ago is closed first. */
export interface Shelves {
  of(name: string): Shelf;
  close(): Promise<void>;
}

export interface ShelfSettings extends WriterLimits {
  folder: string;
}

export function createShelves(settings: ShelfSettings): Shelves {
  const open = new Map<string, Shelf>();
  return {
    of: (name) => {
      const shelf = open.get(name) ?? createFileShelf(folderOf(settings.folder, name), settings);
      open.delete(name);
      open.set(name, shelf);
      for (const [other, oldest] of open) {
        if (open.size <= LIMITS.librariesOpenMax) break;
        oldest.close();
        open.delete(other);
      }
      return shelf;
    },
    close: async () => {
      for (const shelf of open.values()) shelf.close();
      open.clear();
    },
  };
}

/** The shared library is the folder itself; names of workspaces become names of folders that cannot lead elsewhere. */
export function folderOf(folder: string, name: string): string {
  if (name === SHARED) return folder;
  const isPlain = /^[a-z0-9_-]{1,64}$/.test(name);
  return join(folder, 'workspaces', isPlain ? name : createHash('sha256').update(name).digest('hex'));
}

function createFileShelf(folder: string, limits: WriterLimits): Shelf {
  const store = createFolderStore(folder);
  const opened = createOpenedLibrary(store);
  let writer: LibraryWriter | undefined;
  return {
    store,
    opened,
    refresh: async () => undefined,
    change: async (work) => work((writer ??= createLibraryWriter(store, limits))),
    close: () => {
      opened.close();
      writer?.close();
      writer = undefined;
    },
  };
}
