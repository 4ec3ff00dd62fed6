import type { OpenedLibrary } from './opened.ts';
import type { SegmentStore } from '../segment/store.ts';
import type { LibraryWriter } from '../writer.ts';

/** The name of the library that everybody finds. Every workspace has one of its own beside it. */
export const SHARED = '';

/** One library as a thread has it open. */
export interface Shelf {
  store: SegmentStore;
  opened: OpenedLibrary;
  /** Learns what was committed elsewhere, and says what kept it from learning. */
  refresh(): Promise<string[]>;
  /** Runs a change; what it returns counts for everybody when the promise resolves. */
  change<Result>(work: (writer: LibraryWriter) => Result): Promise<Result>;
  close(): void;
}
