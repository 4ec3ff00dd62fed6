import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { StoredDocument } from './document.ts';
import type { OpenedLibrary } from './query/snapshot.ts';
import { readRecords } from './segment/records.ts';
import { docsFile, indexFile } from './segment/segment.ts';
import type { Manifest, SegmentEntry, SegmentStore } from './segment/store.ts';
import { segmentName, writeSegment } from './segment/write.ts';

export interface RebuildReport {
  documents: number;
  /** Segments that were damaged and have been rebuilt. */
  repaired: string[];
  /** Documents that could not be read any more, as far as they can be identified. */
  lost: string[];
}

/**
 * Rebuilds indexes from the stored documents, of damaged segments or of all. The caller holds the lock.
 * Damaged documents are reported; nothing else is lost.
 */
export function rebuildSegments(
  store: SegmentStore,
  opened: OpenedLibrary,
  { all = false } = {},
): RebuildReport {
  opened.close();
  const found = findEntries(store, opened, all);
  const report: RebuildReport = { documents: 0, repaired: found.damaged, lost: [] };
  let generation = found.manifest.generation;
  const made: SegmentEntry[] = [];
  const latest = new Map<string, number>();
  for (const documents of batches(store, found.rebuild, report)) {
    // Without a manifest an older copy of a document may appear; the newest wins.
    const kept = documents.filter(({ id, addedAt }) => {
      const isNewest = (latest.get(id) ?? -1) < addedAt;
      if (isNewest) latest.set(id, addedAt);
      return isNewest;
    });
    if (kept.length === 0) continue;
    generation += 1;
    const name = segmentName(generation);
    writeSegment(store, name, kept);
    made.push({ name, documents: kept.length, deleted: [] });
    report.documents += kept.length;
  }
  store.commit({ generation: generation + 1, segments: [...found.keep, ...made] });
  for (const { name } of found.rebuild)
    for (const file of [docsFile(name), indexFile(name)]) store.remove(file);
  opened.close();
  return report;
}

interface Found {
  manifest: Manifest;
  keep: SegmentEntry[];
  rebuild: SegmentEntry[];
  damaged: string[];
}

function findEntries(store: SegmentStore, opened: OpenedLibrary, all: boolean): Found {
  try {
    const { manifest, damaged } = opened.current();
    const names = damaged.map(({ entry }) => entry.name);
    opened.close();
    const rebuild = all ? manifest.segments : damaged.map(({ entry }) => entry);
    return {
      manifest,
      keep: manifest.segments.filter((entry) => !rebuild.includes(entry)),
      rebuild,
      damaged: names,
    };
  } catch (thrown) {
    const error = HeadgateError.from(thrown);
    if (error.code !== 'storage_unavailable') throw error;
    return withoutManifest(store, error.message);
  }
}

/** Without a manifest every file of documents counts, the newest first. */
function withoutManifest(store: SegmentStore, damaged: string): Found {
  const names = store
    .files()
    .filter((file) => file.endsWith('.docs'))
    .map((file) => file.slice(0, -'.docs'.length))
    .toSorted((a, b) => (a < b ? 1 : -1));
  const generations = store.files().map((file) => Number(/-(\d{12})[.-]/.exec(file)?.[1] ?? 0));
  return {
    manifest: { generation: Math.max(0, ...generations), segments: [] },
    keep: [],
    rebuild: names.map((name) => ({ name, documents: 0, deleted: [] })),
    damaged: [damaged],
  };
}

function* batches(
  store: SegmentStore,
  entries: SegmentEntry[],
  report: RebuildReport,
): Generator<StoredDocument[]> {
  let batch: StoredDocument[] = [];
  let chars = 0;
  for (const entry of entries) {
    for (const document of livingRecords(store, entry, report)) {
      batch.push(document);
      chars += document.content.length;
      if (batch.length < LIMITS.librarySegmentDocumentsMax && chars < LIMITS.librarySegmentBytesMax) continue;
      yield batch;
      batch = [];
      chars = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

function* livingRecords(
  store: SegmentStore,
  entry: SegmentEntry,
  report: RebuildReport,
): Generator<StoredDocument> {
  const file = openOrUndefined(store, docsFile(entry.name));
  if (file === undefined) {
    report.lost.push(`${entry.name}: all ${entry.documents} documents`);
    return;
  }
  const deleted = new Set(entry.deleted);
  let place = 0;
  try {
    const lost = (offset: number) => {
      report.lost.push(`${entry.name}: the document at ${offset}`);
      place += 1;
    };
    for (const [, document] of readRecords(file.size, file.readAt, lost)) {
      if (!deleted.has(place)) yield document;
      place += 1;
    }
  } finally {
    file.close();
  }
}

function openOrUndefined(store: SegmentStore, file: string) {
  return store.files().includes(file) ? store.open(file) : undefined;
}
