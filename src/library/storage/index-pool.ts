import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { systemClock } from '../../core/clock.ts';
import { LIMITS } from '../../core/limits.ts';
import { silentLogger } from '../../core/log.ts';
import { openPostgres } from '../../store/postgres/postgres.ts';
import { createSharedStorage } from './shared-storage.ts';
import { createOpenedLibrary } from '../query/snapshot.ts';
import { createFolderStore } from '../segment/store.ts';
import { createSharedIndex } from './shared-index.ts';
import { SHARED, type LibraryIndex } from './library-index.ts';
import { createLibraryWriter, type LibraryWriter, type WriterLimits } from '../writer.ts';

/** The libraries of one folder. A few are kept open; the least recently used one is closed first. */
export interface IndexPool {
  of(name: string): LibraryIndex;
  close(): Promise<void>;
}

export interface IndexSettings extends WriterLimits {
  folder: string;
  /** A `postgres://` address: all gateways on it share their libraries, and the folder has copies. */
  database?: string | undefined;
}

export function createIndexPool(settings: IndexSettings): IndexPool {
  const open = new Map<string, LibraryIndex>();
  const database =
    settings.database === undefined
      ? undefined
      : openPostgres({ url: settings.database, clock: systemClock, log: silentLogger });
  const create = (name: string): LibraryIndex => {
    if (database === undefined) return createFileShelf(folderOf(settings.folder, name), settings);
    return createSharedIndex(createSharedStorage(database, name), folderOf(copies(settings), name), settings);
  };
  return {
    of: (name) => {
      const index = open.get(name) ?? create(name);
      open.delete(name);
      open.set(name, index);
      for (const [other, oldest] of open) {
        if (open.size <= LIMITS.librariesOpenMax) break;
        oldest.close();
        open.delete(other);
      }
      return index;
    },
    close: async () => {
      for (const index of open.values()) index.close();
      open.clear();
      await database?.close();
    },
  };
}

/** The folder of the copies, beside a local library, which is left alone. */
const copies = ({ folder }: IndexSettings): string => join(folder, 'copies');

/**
 * The folder of a library. The shared one is the folder itself; workspace names are encoded so that they
 * cannot lead elsewhere.
 */
export function folderOf(folder: string, name: string): string {
  if (name === SHARED) return folder;
  const isPlain = /^[a-z0-9_-]{1,64}$/.test(name);
  return join(folder, 'workspaces', isPlain ? name : createHash('sha256').update(name).digest('hex'));
}

function createFileShelf(folder: string, limits: WriterLimits): LibraryIndex {
  const store = createFolderStore(folder);
  const opened = createOpenedLibrary(store);
  let writer: LibraryWriter | undefined;
  return {
    store,
    opened,
    refresh: async () => [],
    change: async (work) => work((writer ??= createLibraryWriter(store, limits))),
    close: () => {
      opened.close();
      writer?.close();
      writer = undefined;
    },
  };
}
