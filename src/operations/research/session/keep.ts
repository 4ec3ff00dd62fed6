import type { Journal } from './journal.ts';
import type { Kept, SessionRecord } from './session.ts';

export type DocumentName = 'report' | 'sources';

/** A line of what happened, with its place. */
export interface AuditLine {
  seq: number;
  line: unknown;
}

/** The right to run a session, which one process at a time has. What is written after it was lost has no effect. */
export interface Lease {
  save(record: SessionRecord): Promise<void>;
  write(name: DocumentName, value: unknown): Promise<void>;
  note(line: unknown): Promise<void>;
  /** The finished steps of the session. */
  openJournal(): Promise<Journal>;
  /** Goes on having it, and hears whether somebody wants the session cancelled. */
  renew(): Promise<'held' | 'cancelled' | 'lost'>;
  release(): Promise<void>;
}

/** Where sessions are kept: in the store when there is one, else in the data folder. */
export interface SessionKeep {
  create(record: SessionRecord): Promise<Lease>;
  /** Undefined when another process runs it. */
  claim(record: SessionRecord): Promise<Lease | undefined>;
  find(workspace: string, id: string): Promise<Kept | undefined>;
  /** The latest first, from behind `after` on. */
  list(workspace: string, options: { after?: SessionRecord | undefined; limit: number }): Promise<Kept[]>;
  /** Counts a question for the status of a session that this process does not run; returns how many there were. */
  check(kept: Kept): Promise<number>;
  /** Asks the process that runs it to stop. */
  cancel(workspace: string, id: string): Promise<void>;
  remove(workspace: string, id: string): Promise<void>;
  /** Removes what is too old and what is too much, except what runs. */
  prune(workspace: string): Promise<void>;
  read(workspace: string, id: string, name: DocumentName): Promise<unknown>;
  audit(workspace: string, id: string, after: number): Promise<AuditLine[]>;
}

const ID = /^deepres-[0-9a-f]{12}$/;

/** Whether a text can be the id of a session; nothing else is ever made part of a path. */
export const isSessionId = (text: string): boolean => ID.test(text);
