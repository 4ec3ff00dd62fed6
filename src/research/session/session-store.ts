import type { Journal } from './journal.ts';
import type { SessionEntry, SessionRecord } from './session.ts';

export type DocumentName = 'report' | 'sources';

/** An audit line with its position. */
export interface AuditLine {
  seq: number;
  line: unknown;
}

/** A lease: the right of one process at a time to run a session. Writes after it was lost have no effect. */
export interface Lease {
  save(record: SessionRecord): Promise<void>;
  write(name: DocumentName, value: unknown): Promise<void>;
  note(line: unknown): Promise<void>;
  /** The journal of the session. */
  openJournal(): Promise<Journal>;
  /** Renews the lease; reports whether the session was cancelled or taken over. */
  renew(): Promise<'held' | 'cancelled' | 'lost'>;
  release(): Promise<void>;
}

/** Stores sessions: in the database when there is one, else in the data folder. */
export interface SessionStore {
  create(record: SessionRecord): Promise<Lease>;
  /** Takes the lease; undefined when another process runs the session. */
  claim(record: SessionRecord): Promise<Lease | undefined>;
  find(workspace: string, id: string): Promise<SessionEntry | undefined>;
  /** Latest first, starting after `after`. */
  list(
    workspace: string,
    options: { after?: SessionRecord | undefined; limit: number },
  ): Promise<SessionEntry[]>;
  /** Counts a status request for a session that this process does not run; returns how many there were. */
  check(entry: SessionEntry): Promise<number>;
  /** Requests cancellation from the process that runs it. */
  cancel(workspace: string, id: string): Promise<void>;
  remove(workspace: string, id: string): Promise<void>;
  /** Removes expired and surplus sessions, except running ones. */
  prune(workspace: string): Promise<void>;
  read(workspace: string, id: string, name: DocumentName): Promise<unknown>;
  audit(workspace: string, id: string, after: number): Promise<AuditLine[]>;
}

const ID = /^deepres-[0-9a-f]{12}$/;

/** True for a valid session ID. Nothing else is ever used in a path. */
export const isSessionId = (text: string): boolean => ID.test(text);
