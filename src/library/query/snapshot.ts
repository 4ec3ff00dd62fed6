import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { collectNames, type FieldNames } from './names.ts';
import { createCollection, type Collection } from './score.ts';
import { openSegment, type Segment } from '../segment/segment.ts';
import type { Manifest, SegmentEntry, SegmentStore } from '../segment/store.ts';

/** A snapshot: the segments of a store, opened as last committed. */
export interface Snapshot {
  manifest: Manifest;
  collection: Collection;
  /** Computed on the first misspelled query. */
  names(): FieldNames;
  /** Segments that cannot be opened, and why. */
  damaged: { entry: SegmentEntry; error: HeadgateError }[];
}

/** Keeps segments open and follows the commits of writers in this and other processes. */
export interface OpenedLibrary {
  current(): Snapshot;
  close(): void;
}

/** A writer may delete segments that it merged while they are being opened; the new manifest is read then. */
const ATTEMPTS_MAX = 5;

export function createOpenedLibrary(store: SegmentStore): OpenedLibrary {
  let version: string | undefined;
  let opened: Snapshot | undefined;
  const known = new Map<string, Segment>();
  const close = () => {
    for (const segment of known.values()) segment.close();
    known.clear();
    opened = undefined;
    version = undefined;
  };
  const open = (): Snapshot => {
    for (let attempt = 1; ; attempt += 1) {
      const manifest = store.manifest();
      const damaged: Snapshot['damaged'] = [];
      const segments = manifest.segments.flatMap((entry) => {
        try {
          return [reuse(known, store, entry)];
        } catch (thrown) {
          const error = thrown instanceof HeadgateError ? thrown : missing(entry.name, thrown);
          damaged.push({ entry, error });
          return [];
        }
      });
      const raced = damaged.length > 0 && store.manifest().generation !== manifest.generation;
      if (!raced || attempt === ATTEMPTS_MAX) {
        drop(known, segments);
        let names: FieldNames | undefined;
        return {
          manifest,
          damaged,
          collection: createCollection(segments),
          names: () => (names ??= collectNames(segments)),
        };
      }
    }
  };
  return {
    close,
    current: () => {
      const current = store.version();
      if (opened === undefined || current !== version) {
        if (opened === undefined || !isSame(store.manifest(), opened.manifest)) opened = open();
        version = current;
      }
      return opened;
    },
  };
}

/**
 * Gateways that share a library may reach the same generation with different segments, so the number alone is
 * not enough.
 */
const isSame = (a: Manifest, b: Manifest): boolean =>
  a.generation === b.generation && JSON.stringify(a.segments) === JSON.stringify(b.segments);

/** Reuses open segments: their files never change, but their deletions do. */
function reuse(known: Map<string, Segment>, store: SegmentStore, entry: SegmentEntry): Segment {
  const segment = known.get(entry.name) ?? openSegment(store, entry);
  known.set(entry.name, segment);
  segment.deleted.fill(0);
  for (const place of entry.deleted) segment.deleted[place] = 1;
  return segment;
}

function drop(known: Map<string, Segment>, used: Segment[]): void {
  for (const [name, segment] of known) {
    if (used.includes(segment)) continue;
    segment.close();
    known.delete(name);
  }
}

function missing(name: string, cause: unknown): HeadgateError {
  return new HeadgateError(
    'storage_unavailable',
    own`Segment ${named(name)} of the library cannot be read.`,
    {
      remediation: 'Run `headgate library rebuild`.',
      data: { segment: name },
      cause,
    },
  );
}
