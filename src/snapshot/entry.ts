import type { KeptAnswer } from './http-message.ts';
import type { KeptRequest } from './request-key.ts';
import type { Recording } from './scopes.ts';
import type { ReadRecord } from './warc.ts';

export interface RecordPlace {
  offset: number;
  length: number;
}

/** One recorded exchange: its keys, and where its records are in the archive. */
export interface Entry extends Pick<KeptRequest, 'kind' | 'method' | 'url'> {
  exact: string;
  canonical: string;
  at: number;
  /** The call that it was made for. */
  call?: string;
  asked: RecordPlace;
  answered: RecordPlace;
  status?: number;
  mime?: string;
  /** The code of what went wrong, where nothing was answered. */
  failed?: string;
}

/** What became of a request when it was recorded. */
export type RecordedAnswer = KeptAnswer | { failed: string };

export interface WebSnapshot {
  path: string;
  /** Absent in a file that does not say. */
  recording: Recording | undefined;
  entries: readonly Entry[];
  /** How many records could not be used. */
  skipped: number;
  /** Whether Headgate has written the file. */
  isOurs: boolean;
  /** The record of a request as it was sent, without what was secret. */
  request(entry: Entry): ReadRecord;
  answer(entry: Entry): RecordedAnswer;
  /** The record of an answer. */
  response(entry: Entry): ReadRecord;
  /** Whether the records of an exchange have the sums that they name. */
  isWhole(entry: Entry): boolean;
  /** The two records of an exchange as they lie in the file. */
  packed(entry: Entry): [request: Buffer, answer: Buffer];
  close(): void;
}
