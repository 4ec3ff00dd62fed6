import type { Caller } from '../../core/call.ts';
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
  /** With `isLeft`, another gateway may go on at once, where there are several. */
  release(isLeft: boolean): Promise<void>;
}

/** A session that another process left, with its lease. */
export interface LeftSession {
  record: SessionRecord;
  lease: Lease;
  caller: Caller;
  /** How many processes have died while they ran it. */
  deaths: number;
  isCancelled: boolean;
  /** Whether the key that started it still works. */
  isAllowed: boolean;
}

/** Stores sessions: in the database when there is one, else in the data folder. */
export interface SessionStore {
  create(record: SessionRecord, caller: Caller): Promise<Lease>;
  /** Takes the lease; undefined when another process runs the session. */
  claim(record: SessionRecord, caller: Caller): Promise<Lease | undefined>;
  /** Takes over sessions in the background that other gateways left, at most so many; absent where there is one gateway. */
  takeOver?(max: number): Promise<LeftSession[]>;
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
