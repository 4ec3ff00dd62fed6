import type { OpenedLibrary } from '../query/snapshot.ts';
import type { SegmentStore } from '../segment/store.ts';
import type { LibraryWriter } from '../writer.ts';

/** The name of the shared library. Every workspace has its own beside it. */
export const SHARED = '';

/** One library as a thread has it open. */
export interface LibraryIndex {
  store: SegmentStore;
  opened: OpenedLibrary;
  /** Syncs to the newest published manifest. Returns warnings when it could not. */
  refresh(): Promise<string[]>;
  /** Runs a change. It is visible to all gateways when the promise resolves. */
  change<Result>(work: (writer: LibraryWriter) => Result): Promise<Result>;
  close(): void;
}
