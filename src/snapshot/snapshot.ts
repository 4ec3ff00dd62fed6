import { closeSync, fstatSync, openSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';
import { parseMessage } from './http-message.ts';
import type { Entry, RecordPlace, WebSnapshot } from './entry.ts';
import { toRecording } from './scopes.ts';
import { openForeign } from './foreign.ts';
import { digest, parseRecord, RECORD_BYTES_MAX, type ReadRecord } from './warc.ts';
import { readAt, readZip, type Member } from './zip.ts';

/** The index takes about 500 bytes for each exchange. */
const INDEX_BYTES_MAX = 500_000_000;
const EXCHANGES = 'headgate/exchanges.jsonl';
export const ARCHIVE = 'archive/data.warc.gz';

/** Opens a file that Headgate has recorded, or any WACZ or WARC file. Records are read when they are asked for. */
export function openSnapshot(path: string): WebSnapshot {
  const steps = opening(path);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** How long a process does nothing else while it reads through a file. */
const TURN_MS = 10;

/** The same for a process that serves others meanwhile: an archive of another tool is read through. */
export async function openSnapshotInTurns(path: string): Promise<WebSnapshot> {
  const steps = opening(path);
  for (let began = performance.now(); ;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (performance.now() - began < TURN_MS) continue;
    await setImmediate();
    began = performance.now();
  }
}

function* opening(path: string): Generator<undefined, WebSnapshot> {
  let file = opened(path);
  try {
    const foreign = (archives: RecordPlace[]): ReturnType<typeof openForeign> =>
      openForeign(file, path, archives, (why) => unusable(path, why));
    const head = readAt(file, 0, 5);
    if (head.toString('latin1') === 'WARC/' || head.toString('hex', 0, 2) === '1f8b')
      return yield* foreign([{ offset: 0, length: fstatSync(file).size }]);
    const members = membersOf(file, path);
    const [archive, index] = [members.get(ARCHIVE), members.get(EXCHANGES)];
    if (archive === undefined || index === undefined) {
      const archives = [...members.values()].filter(({ name }) => /^archive\/[^/]+\.warc(\.gz)?$/.test(name));
      if (archives.length === 0) throw unusable(path, 'it has no archive that is stored as it is');
      return yield* foreign(archives);
    }
    if (index.length > INDEX_BYTES_MAX) throw unusable(path, 'its index is too large');
    const [first = '', ...rows] = readAt(file, index.offset, index.length).toString().split('\n');
    const entries = rows.filter((row) => row !== '').map((row) => JSON.parse(row) as Entry);
    if (!entries.every((entry) => isEntry(entry, archive.length))) throw unusable(path, 'its index is wrong');
    const read = ({ offset, length }: RecordPlace): Buffer => readAt(file, archive.offset + offset, length);
    const record = (place: RecordPlace): ReadRecord => {
      const bytes = gunzipSync(read(place), { maxOutputLength: RECORD_BYTES_MAX });
      const parsed = parseRecord(bytes);
      if (parsed === undefined) throw unusable(path, 'a record is damaged');
      return parsed;
    };
    return {
      path,
      recording: toRecording(JSON.parse(first)),
      entries,
      skipped: 0,
      isOurs: true,
      request: (entry) => record(entry.asked),
      response: (entry) => record(entry.answered),
      isWhole: ({ asked, answered }) =>
        [asked, answered]
          .map(record)
          .every(({ fields, block }) => fields['warc-block-digest'] === digest(block)),
      answer: (entry) => {
        if (entry.failed !== undefined) return { failed: entry.failed };
        const { first, headers, body } = parseMessage(record(entry.answered).block);
        return { status: Number(first.split(' ')[1]), headers, bytes: body };
      },
      packed: ({ asked, answered }) => [read(asked), read(answered)],
      // The number of a closed file may be that of another one later.
      close: () => {
        closeSync(file);
        file = -1;
      },
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
  } catch (thrown) {
    const why = thrown instanceof RangeError ? 'it is a ZIP64 file' : 'it is neither a WACZ nor a WARC file';
    throw unusable(path, why);
  }
}

/** A file may come from anybody, and so may its index. */
function isEntry(entry: Entry, bytes: number): boolean {
  const isPlace = (place: RecordPlace | undefined): boolean =>
    Number.isSafeInteger(place?.offset) &&
    Number.isSafeInteger(place?.length) &&
    (place?.offset ?? -1) >= 0 &&
    (place?.length ?? -1) >= 0 &&
    (place?.offset ?? 0) + (place?.length ?? 0) <= bytes;
  const { exact, canonical, kind, method, url, at, failed, asked, answered } = entry;
  return (
    [exact, canonical, method].every((text) => typeof text === 'string') &&
    (kind === 'page' || kind === 'provider') &&
    URL.canParse(url) &&
    Number.isSafeInteger(at) &&
    Math.abs(at) <= 8.64e15 &&
    (failed === undefined || typeof failed === 'string') &&
    isPlace(asked) &&
    isPlace(answered)
  );
}

const unusable = (path: string, why: string): HeadgateError =>
  new HeadgateError(
    'invalid_config',
    own`The snapshot ${named(path)} cannot be used, because ${named(why)}.`,
    {
      remediation:
        'Use a file that `headgate record` has written, or a WACZ, WARC or WARC.gz file of another tool.',
    },
  );
