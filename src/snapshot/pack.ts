import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../core/version.ts';
import { cdxjLine } from './cdxj.ts';
import { withoutSecrets, type FoundSecret } from '../policy/secrets.ts';
import { answerMessage, latinAnswer, isBinary, parseMessage } from './http-message.ts';
import { canonicalKey, exactKey, type KeptRequest } from './request-key.ts';
import type { Entry, WebSnapshot } from './entry.ts';
import { secretsInAnswer } from './scrub.ts';
import { ARCHIVE, openSnapshot } from './snapshot.ts';
import { readRecording, type Recording } from './scopes.ts';
import { digest, gzipRecord, parseRecord, recordsIn, writeRecord, type ReadRecord } from './warc.ts';
import { createZip, readAt } from './zip.ts';

/** What is known of one exchange before it is packed: its request, and how to get its two records, compressed. */
interface Pair extends Pick<Entry, 'exact' | 'canonical' | 'kind' | 'method' | 'url' | 'at' | 'call'> {
  body?: string;
  contentType?: string | undefined;
  answer(): ReadRecord;
  packed(): [request: Buffer, answer: Buffer];
}

/** Where the processes of a recording write until it is packed. */
export const spoolOf = (path: string): string => `${path}.spool`;

/** Removes what was packed. */
export const removeSpool = (path: string): void => rmSync(spoolOf(path), { recursive: true, force: true });

export interface Packed {
  exchanges: number;
  bytes: number;
}

/**
 * Packs what processes have spooled into a WACZ file, with what other files hold. The result is the same for the same exchanges, in
 * whatever order and by however many processes they were recorded.
 */
export function pack(spool: string | undefined, path: string, others: readonly string[] = []): Packed {
  const files = (spool === undefined ? [] : readdirSync(spool))
    .filter((name) => name.endsWith('.warc'))
    .sort()
    .map((name) => openSync(join(spool ?? '', name), 'r'));
  const earlier: WebSnapshot[] = [];
  try {
    for (const other of others) earlier.push(openSnapshot(other));
    const pairs = [...earlier.flatMap(pairsOf), ...files.flatMap((file) => [...pairsIn(file)])].sort(
      (a, b) => compare(a.exact, b.exact) || a.at - b.at || compare(a.call ?? '', b.call ?? ''),
    );
    const draft = `${path}.part`;
    const known = earlier.find(({ recording }) => recording !== undefined)?.recording;
    const bytes = writeWacz(draft, pairs, known ?? (spool === undefined ? undefined : readRecording(spool)));
    renameSync(draft, path);
    return { exchanges: pairs.length, bytes };
  } finally {
    for (const file of files) closeSync(file);
    for (const snapshot of earlier) snapshot.close();
  }
}

const pairsOf = (snapshot: WebSnapshot): Pair[] =>
  snapshot.entries.map((entry) => ({
    ...described(snapshot.request(entry)),
    answer: () => snapshot.response(entry),
    packed: () => snapshot.packed(entry),
  }));

/** The exchanges of one spooled file. A request whose answer was not written any more is left out. */
function* pairsIn(file: number): Generator<Pair> {
  let asked: { offset: number; length: number } | undefined;
  for (const place of recordsIn(file, fstatSync(file).size)) {
    if (asked === undefined) {
      asked = place;
      continue;
    }
    const request = asked;
    const read = ({ offset, length }: typeof place): Buffer => readAt(file, offset, length);
    const record = parseRecord(read(request));
    asked = undefined;
    if (record === undefined) continue;
    yield {
      ...described(record),
      answer: () => parseRecord(read(place)) as ReadRecord,
      packed: () => [gzipRecord(read(request)), gzipRecord(read(place))],
    };
  }
}

/** What a request record says of its exchange. */
function described({ fields, block }: ReadRecord): Omit<Pair, 'answer' | 'packed'> {
  const { first, headers, body } = parseMessage(block);
  const [method = 'GET'] = first.split(' ', 1);
  const request: KeptRequest = {
    kind: fields['headgate-kind'] === 'provider' ? 'provider' : 'page',
    method,
    url: fields['warc-target-uri'] ?? '',
    ...(body.length === 0 ? {} : { body: body.toString() }),
  };
  return {
    ...request,
    contentType: headers['content-type'],
    exact: exactKey(request),
    canonical: canonicalKey(request),
    at: Date.parse(fields['warc-date'] ?? ''),
    ...callIn(fields),
  };
}

/** The call that the exchange belongs to. */
const callIn = ({ 'headgate-call': call = '' }: ReadRecord['fields']): Pick<Entry, 'call'> =>
  /^[0-9a-f]{32}$/.test(call) ? { call } : {};

function writeWacz(path: string, pairs: Pair[], recording: Recording | undefined): number {
  const created = new Date(Math.max(0, ...pairs.map(({ at }) => at))).toISOString();
  const zip = createZip(path);
  const resources: { name: string; path: string; hash: string; bytes: number }[] = [];
  const add = (name: string, pieces: Iterable<Buffer>): void => {
    const hash = createHash('sha256');
    const { length } = zip.add(
      name,
      through(pieces, (piece) => hash.update(piece)),
    );
    const [short = name] = name.split('/').slice(-1);
    resources.push({ name: short, path: name, hash: `sha256:${hash.digest('hex')}`, bytes: length });
  };
  const entries: Entry[] = [];
  const index: string[] = [];
  const pages = new Map<string, string>();
  add(
    ARCHIVE,
    archived(pairs, created, (entry, line) => {
      entries.push(entry);
      if (line !== undefined) index.push(line);
      if (entry.kind === 'page' && entry.mime === 'text/html' && !pages.has(entry.url))
        pages.set(
          entry.url,
          JSON.stringify({
            id: entry.exact.slice(0, 32),
            url: entry.url,
            ts: new Date(entry.at).toISOString(),
          }),
        );
    }),
  );
  add('indexes/index.cdx', lines(index.sort(compare)));
  add(
    'pages/pages.jsonl',
    lines([JSON.stringify({ format: 'json-pages-1.0', id: 'pages', title: 'All pages' }), ...pages.values()]),
  );
  add(
    'headgate/exchanges.jsonl',
    lines([
      JSON.stringify({ format: 'headgate-exchanges-1', ...recording }),
      ...entries.map((entry) => JSON.stringify(entry)),
    ]),
  );
  const manifest = Buffer.from(
    `${JSON.stringify({ profile: 'data-package', wacz_version: '1.1.1', software: `headgate ${VERSION}`, created, resources }, null, 2)}\n`,
  );
  zip.add('datapackage.json', [manifest]);
  zip.add(
    'datapackage-digest.json',
    lines([JSON.stringify({ path: 'datapackage.json', hash: digest(manifest) })]),
  );
  return zip.end();
}

/** The records, compressed one by one, so that each can be read at its place. */
function* archived(
  pairs: Pair[],
  created: string,
  note: (entry: Entry, line: string | undefined) => void,
): Generator<Buffer> {
  const { pieces } = writeRecord({
    type: 'warcinfo',
    at: Date.parse(created),
    contentType: 'application/warc-fields',
    block: [Buffer.from(`software: headgate ${VERSION}\r\nformat: WARC File Format 1.1\r\n`)],
  });
  const info = gzipRecord(Buffer.concat(pieces));
  yield info;
  let offset = info.length;
  for (const pair of pairs) {
    const clean = withoutSecretsIn(pair.answer());
    const [request, before] = pair.packed();
    const { fields, block } = clean.record;
    const answer = clean.bytes === undefined ? before : gzipRecord(clean.bytes);
    const { exact, canonical, kind, method, url, at, call } = pair;
    const place = { offset: offset + request.length, length: answer.length };
    const shared = {
      exact,
      canonical,
      kind,
      method,
      url,
      at,
      ...(call === undefined ? {} : { call }),
      asked: { offset, length: request.length },
      answered: place,
    };
    if (fields['warc-type'] === 'response') {
      const { first, headers } = parseMessage(block);
      const status = Number(first.split(' ')[1]);
      const mime = headers['content-type']?.split(';', 1)[0]?.trim() ?? '';
      note(
        { ...shared, status, mime },
        cdxjLine({
          ...pair,
          ...place,
          status,
          mime,
          digest: fields['warc-payload-digest']?.split(':')[1] ?? '',
          filename: 'data.warc.gz',
        }),
      );
    } else note({ ...shared, failed: failureIn(block) }, undefined);
    yield request;
    yield answer;
    offset += request.length + answer.length;
  }
}

/**
 * The last look at an answer before it is kept: what holds a key or a token is kept without it. Files that are not text are looked
 * through as they are, unpacked by nobody, and keep their length.
 */
function withoutSecretsIn(record: ReadRecord): { record: ReadRecord; bytes?: Buffer } {
  const text = latinAnswer(record);
  const found = text === undefined ? [] : secretsInAnswer(text);
  if (text === undefined || found.length === 0) return { record };
  const { first, headers, body } = parseMessage(
    Buffer.from(isBinary(record) ? masked(text, found) : withoutSecrets(text, found), 'latin1'),
  );
  const { fields } = record;
  const { pieces } = writeRecord({
    id: fields['warc-record-id'],
    type: 'response',
    target: fields['warc-target-uri'],
    at: Date.parse(fields['warc-date'] ?? ''),
    concurrentTo: fields['warc-concurrent-to'],
    contentType: fields['content-type'] ?? '',
    block: answerMessage({ status: Number(first.split(' ')[1]), headers, bytes: body }),
    payload: body,
  });
  const bytes = Buffer.concat(pieces);
  return { record: parseRecord(bytes) as ReadRecord, bytes };
}

const masked = (text: string, found: readonly FoundSecret[]): string => {
  const bytes = Buffer.from(text, 'latin1');
  for (const { from, to } of found) bytes.fill('*', from, to);
  return bytes.toString('latin1');
};

const failureIn = (block: Buffer): string =>
  /^failed: (\w{1,64})\r\n$/.exec(block.toString())?.[1] ?? 'failed';

const lines = (texts: string[]): Buffer[] => [Buffer.from(texts.map((text) => `${text}\n`).join(''))];

function* through(pieces: Iterable<Buffer>, look: (piece: Buffer) => void): Generator<Buffer> {
  for (const piece of pieces) {
    look(piece);
    yield piece;
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
