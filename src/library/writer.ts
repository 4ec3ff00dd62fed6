import { HeadgateError } from '../core/errors.ts';
import { own } from '../core/own-text.ts';
import { LIMITS } from '../core/limits.ts';
import { hash53 } from './segment/bytes.ts';
import type { LibraryDocument, StoredDocument } from './document.ts';
import { evictionCandidates } from './storage/evict.ts';
import { createOpenedLibrary, type Snapshot } from './query/snapshot.ts';
import { rebuildSegments, type RebuildReport } from './rebuild.ts';
import { mergeSegments } from './segment/merge.ts';
import { docsFile, indexFile, type Segment } from './segment/segment.ts';
import { segmentName, writeSegment } from './segment/write.ts';
import type { Manifest, SegmentEntry, SegmentStore } from './segment/store.ts';

export interface AddReport {
  added: number;
  replaced: number;
  unchanged: number;
}

/** Which documents to remove: by ID, by package, or by URL prefix. */
export interface RemoveOptions {
  ids?: string[] | undefined;
  package?: string | undefined;
  urlPrefixes?: string[] | undefined;
}

/** Changes a store. Every change is on disk when its call returns, and changes are atomic. */
export interface LibraryWriter {
  add(documents: LibraryDocument[], now: number): AddReport;
  /** Removes documents and returns how many there were. */
  remove(options: RemoveOptions): number;
  /** Removes expired documents and merges small segments. */
  compact(now: number): { removed: number };
  rebuild(): RebuildReport;
  close(): void;
}

/** Larger segments are not merged further. */
const MERGED_DOCUMENTS_MAX = 250_000;
const MERGE_WIDTH = 8;
const MINUTE_MS = 60_000;

export interface WriterLimits {
  /** A library that is larger accepts no more documents. */
  bytesMax?: number | undefined;
  /** The limit for expiring documents; the oldest are evicted first. */
  keptBytesMax?: number | undefined;
}

export function createLibraryWriter(store: SegmentStore, limits: WriterLimits = {}): LibraryWriter {
  const opened = createOpenedLibrary(store);
  const { bytesMax = LIMITS.libraryBytesMax, keptBytesMax } = limits;
  /** Runs a change exclusively, after damaged segments were repaired. */
  const change = <Result>(work: (state: Snapshot) => Result): Result => {
    const unlock = store.lock();
    try {
      let state = opened.current();
      removeStrays(store, state.manifest);
      if (state.damaged.length > 0) {
        rebuildSegments(store, opened);
        state = opened.current();
      }
      return work(state);
    } finally {
      unlock();
    }
  };
  return {
    close: () => opened.close(),
    add: (documents, now) =>
      change(() => {
        const used = store.bytes();
        if (used > bytesMax) throw full(used, bytesMax);
        const report: AddReport = { added: 0, replaced: 0, unchanged: 0 };
        for (const group of groupsOf(lastOfEach(documents)))
          addGroup(store, opened.current(), group, now, report);
        if (keptBytesMax !== undefined) {
          const state = opened.current();
          commitDeleted(store, state.manifest, evictionCandidates(state.collection.segments, keptBytesMax));
        }
        mergeSmall(store, opened.current());
        mergeHollow(store, opened.current());
        return report;
      }),
    remove: (options) => change((state) => commitDeleted(store, state.manifest, chosen(state, options))),
    compact: (now) =>
      change((state) => {
        const removed = removeExpired(store, state, now);
        mergeAll(store, opened.current());
        return { removed };
      }),
    rebuild: () => {
      const unlock = store.lock();
      try {
        return rebuildSegments(store, opened, { all: true });
      } finally {
        unlock();
      }
    },
  };
}

/** Deletes files of a change that never finished. */
function removeStrays(store: SegmentStore, manifest: Manifest): void {
  const names = new Set(manifest.segments.map(({ name }) => name));
  for (const file of store.files()) {
    const stray =
      file.endsWith('.part') ||
      (file.startsWith('segment-') && !names.has(file.replace(/\.(docs|index)$/, '')));
    if (stray) store.remove(file);
  }
}

/** A document that is given twice is added as given last. */
const lastOfEach = (documents: LibraryDocument[]): LibraryDocument[] => [
  ...new Map(documents.map((document) => [document.id, document])).values(),
];

function* groupsOf(documents: LibraryDocument[]): Generator<LibraryDocument[]> {
  let group: LibraryDocument[] = [];
  let chars = 0;
  for (const document of documents) {
    group.push(document);
    chars += document.content.length;
    if (group.length < LIMITS.librarySegmentDocumentsMax && chars < LIMITS.librarySegmentBytesMax) continue;
    yield group;
    group = [];
    chars = 0;
  }
  if (group.length > 0) yield group;
}

function addGroup(
  store: SegmentStore,
  state: Snapshot,
  documents: LibraryDocument[],
  now: number,
  report: AddReport,
): void {
  const entries = state.manifest.segments.map((entry) => ({ ...entry, deleted: [...entry.deleted] }));
  const fresh: StoredDocument[] = [];
  for (const document of documents) {
    const stored = { ...document, addedAt: now, hash: hashOf(document) };
    const known = findDocument(state.collection.segments, document.id);
    if (known?.segment.index.contentHash[known.place] === stored.hash) {
      report.unchanged += 1;
      continue;
    }
    if (known !== undefined)
      entries.find(({ name }) => name === known.segment.name)?.deleted.push(known.place);
    report[known === undefined ? 'added' : 'replaced'] += 1;
    fresh.push(stored);
  }
  if (fresh.length === 0) return;
  const generation = state.manifest.generation + 1;
  const name = segmentName(generation);
  writeSegment(store, name, fresh);
  store.commit({ generation, segments: [...entries, { name, documents: fresh.length, deleted: [] }] });
}

function hashOf({ content, ...rest }: LibraryDocument): number {
  return hash53(`${hash53(content)} ${JSON.stringify(rest)}`);
}

function findDocument(segments: Segment[], id: string): { segment: Segment; place: number } | undefined {
  for (const segment of segments) {
    const place = segment.placeOf(id);
    if (place !== undefined) return { segment, place };
  }
  return undefined;
}

function chosen(
  { collection }: Snapshot,
  { ids = [], package: name, urlPrefixes = [] }: RemoveOptions,
): Map<string, number[]> {
  const gone = new Map<string, number[]>();
  for (const segment of collection.segments) {
    const wanted = new Set(ids.map((id) => segment.placeOf(id)));
    const packageAt = name === undefined ? -1 : segment.index.packages.indexOf(name);
    const places = Array.from({ length: segment.documents }, (_, place) => place).filter((place) => {
      if (segment.deleted[place] === 1) return false;
      if (wanted.has(place)) return true;
      if (packageAt > 0 && segment.index.package[place] === packageAt) return true;
      if (urlPrefixes.length === 0) return false;
      const { url } = segment.document(place);
      return urlPrefixes.some((prefix) => url.startsWith(prefix));
    });
    gone.set(segment.name, places);
  }
  return gone;
}

function removeExpired(store: SegmentStore, { manifest, collection }: Snapshot, now: number): number {
  const minute = Math.floor(now / MINUTE_MS);
  const gone = new Map(
    collection.segments.map(({ name, index, deleted }) => [
      name,
      Array.from(index.expiresMinute.keys()).filter(
        (place) =>
          deleted[place] === 0 &&
          index.expiresMinute[place] !== 0 &&
          (index.expiresMinute[place] ?? 0) <= minute,
      ),
    ]),
  );
  return commitDeleted(store, manifest, gone);
}

function commitDeleted(store: SegmentStore, manifest: Manifest, gone: Map<string, number[]>): number {
  const count = [...gone.values()].reduce((sum, places) => sum + places.length, 0);
  if (count === 0) return 0;
  const segments = manifest.segments.map((entry) => ({
    ...entry,
    deleted: [...entry.deleted, ...(gone.get(entry.name) ?? [])],
  }));
  store.commit({ generation: manifest.generation + 1, segments });
  return count;
}

/** Merges many small segments into one, so that a search opens few. */
function mergeSmall(store: SegmentStore, state: Snapshot): void {
  if (state.manifest.segments.length <= LIMITS.librarySegmentsMax) return;
  const smallest = state.manifest.segments
    .toSorted((a, b) => a.documents - b.documents)
    .slice(0, MERGE_WIDTH);
  merge(store, state, smallest);
}

/** Rewrites segments that are mostly deleted, to free disk space. */
function mergeHollow(store: SegmentStore, state: Snapshot): void {
  const hollow = state.manifest.segments.find(({ documents, deleted }) => deleted.length * 2 > documents);
  if (hollow !== undefined) merge(store, state, [hollow]);
}

function mergeAll(store: SegmentStore, state: Snapshot): void {
  const worth =
    state.manifest.segments.length > 1 || state.manifest.segments.some(({ deleted }) => deleted.length > 0);
  if (worth) merge(store, state, state.manifest.segments);
}

function merge(store: SegmentStore, { manifest, collection }: Snapshot, entries: SegmentEntry[]): void {
  const chosen: SegmentEntry[] = [];
  let documents = 0;
  for (const entry of entries) {
    documents += entry.documents - entry.deleted.length;
    if (documents > MERGED_DOCUMENTS_MAX && chosen.length > 0) break;
    chosen.push(entry);
  }
  const names = new Set(chosen.map(({ name }) => name));
  const merged = mergeSegments(
    store,
    collection.segments.filter(({ name }) => names.has(name)),
  );
  const generation = manifest.generation + 1;
  const name = segmentName(generation);
  store.put(docsFile(name), merged.records());
  store.put(indexFile(name), [merged.index]);
  const rest = manifest.segments.filter((entry) => !names.has(entry.name));
  const own = merged.documents === 0 ? [] : [{ name, documents: merged.documents, deleted: [] }];
  store.commit({ generation, segments: [...rest, ...own] });
  for (const entry of chosen)
    for (const file of [docsFile(entry.name), indexFile(entry.name)]) store.remove(file);
}

function full(used: number, bytesMax: number): HeadgateError {
  return new HeadgateError(
    'limit_reached',
    own`The library has ${used} bytes; at most ${bytesMax} are allowed.`,
    {
      remediation: 'Remove documents or raise the size limit of the library.',
      data: { used, bytesMax },
    },
  );
}
