import { closeSync, openSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { parseMessage, type KeptAnswer } from './http-message.ts';
import type { KeptRequest } from './request-key.ts';
import { toRecording, type Recording } from './scopes.ts';
import { parseRecord, type ReadRecord } from './warc.ts';
import { readAt, readZip, type Member } from './zip.ts';

interface Place {
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
  asked: Place;
  answered: Place;
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
  /** The record of a request as it was sent, without what was secret. */
  request(entry: Entry): ReadRecord;
  answer(entry: Entry): RecordedAnswer;
  record(place: Place): ReadRecord;
  /** The two records of an exchange as they lie in the file. */
  packed(entry: Entry): [request: Buffer, answer: Buffer];
  close(): void;
}

/** The index takes about 500 bytes for each exchange. */
const INDEX_BYTES_MAX = 500_000_000;
/** One record, unpacked. */
const RECORD_BYTES_MAX = 64_000_000;
const EXCHANGES = 'headgate/exchanges.jsonl';
export const ARCHIVE = 'archive/data.warc.gz';

/** Opens a file that Headgate has recorded. Records are read when they are asked for. */
export function openSnapshot(path: string): WebSnapshot {
  const file = opened(path);
  try {
    const members = membersOf(file, path);
    const archive = memberOf(members, ARCHIVE, path);
    const index = memberOf(members, EXCHANGES, path);
    if (index.length > INDEX_BYTES_MAX) throw unusable(path, 'its index is too large');
    const [first = '', ...rows] = readAt(file, index.offset, index.length).toString().split('\n');
    const entries = rows.filter((row) => row !== '').map((row) => JSON.parse(row) as Entry);
    const read = ({ offset, length }: Place): Buffer => {
      if (offset < 0 || offset + length > archive.length) throw unusable(path, 'its index is wrong');
      return readAt(file, archive.offset + offset, length);
    };
    const record = (place: Place): ReadRecord => {
      const bytes = gunzipSync(read(place), { maxOutputLength: RECORD_BYTES_MAX });
      const parsed = parseRecord(bytes);
      if (parsed === undefined) throw unusable(path, 'a record is damaged');
      return parsed;
    };
    return {
      path,
      recording: toRecording(JSON.parse(first)),
      entries,
      request: (entry) => record(entry.asked),
      record,
      answer: (entry) => {
        if (entry.failed !== undefined) return { failed: entry.failed };
        const { first, headers, body } = parseMessage(record(entry.answered).block);
        return { status: Number(first.split(' ')[1]), headers, bytes: body };
      },
      packed: ({ asked, answered }) => [read(asked), read(answered)],
      close: () => closeSync(file),
    };
  } catch (thrown) {
    closeSync(file);
    throw thrown instanceof HeadgateError ? thrown : unusable(path, 'it cannot be read');
  }
}

function opened(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (cause) {
    throw new HeadgateError('invalid_config', own`The snapshot ${named(path)} cannot be opened.`, {
      remediation: 'Check its path and its permissions, or record one with `headgate record`.',
      cause,
    });
  }
}

function membersOf(file: number, path: string): Map<string, Member> {
  try {
    return readZip(file);
  } catch {
    throw unusable(path, 'it is not a WACZ file');
  }
}

function memberOf(members: Map<string, Member>, name: string, path: string): Member {
  const member = members.get(name);
  if (member === undefined) throw unusable(path, `it has no ${name}`);
  return member;
}

const unusable = (path: string, why: string): HeadgateError =>
  new HeadgateError(
    'invalid_config',
    own`The snapshot ${named(path)} cannot be used, because ${named(why)}.`,
    {
      remediation:
        'Use a file that `headgate record` has written, or repair it with `headgate snapshot repair`.',
    },
  );
