import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { fetchFile } from './fetch-file.ts';
import type { ManifestVersion, FileChecksum, SharedStorage } from './shared-storage.ts';
import { docsFile, indexFile } from '../segment/segment.ts';
import { createFolderStore, type Manifest, type SegmentStore } from '../segment/store.ts';

/** The local copy of a manifest version, and the changes that are being made to it. */
export interface WorkingCopy {
  store: SegmentStore;
  /** Whether a version has been fetched. */
  isThere(): boolean;
  /** Fetches the newest published version. */
  refresh(): Promise<void>;
  /** Publishes the changes; false when another gateway published first, and the changes are discarded. */
  publish(): Promise<boolean>;
  /** Discards unpublished changes. */
  giveUp(): void;
}

/** Other gateways may remove merged files while they are being copied. */
const ATTEMPTS_MAX = 8;
/** Another process with the same folder may be slightly behind. */
const CACHE_KEPT_MS = 10 * 60_000;

interface State {
  edition: ManifestVersion | undefined;
  /** With the local changes, if there are any. */
  manifest: Manifest;
  /** Files written since the version was fetched. */
  written: Map<string, FileChecksum>;
  version: number;
}

export function createWorkingCopy(storage: SharedStorage, folder: string): WorkingCopy {
  const files = createFolderStore(folder);
  const state: State = {
    edition: undefined,
    manifest: { generation: 0, segments: [] },
    written: new Map(),
    version: 0,
  };
  const giveUp = () => {
    state.edition = undefined;
  };
  return {
    store: createCopyStore(files, state),
    isThere: () => state.edition !== undefined,
    giveUp,
    refresh: async () => {
      if (state.edition !== undefined && (await storage.generation()) === state.edition.generation) return;
      const next = await fetchEdition(storage, folder);
      take(state, next);
      sweep(folder, next.files);
    },
    publish: async () => {
      const { edition: before, manifest } = state;
      if (before === undefined || manifest === before.manifest) return true;
      const next = editionOf(before, state);
      const fresh = [...state.written.keys()].filter((file) => file in next.files);
      // Until the answer arrives it is unknown whether it was published; the next call finds out.
      giveUp();
      for (const file of fresh) await storage.put(file, readParts(files, file));
      if (!(await storage.publish(before.generation, next))) {
        await storage.remove(fresh);
        return false;
      }
      take(state, next);
      // Copies that are being made elsewhere will find the new version.
      await storage.remove(Object.keys(before.files).filter((file) => !(file in next.files)));
      return true;
    },
  };
}

function take(state: State, version: ManifestVersion): void {
  state.edition = version;
  state.manifest = version.manifest;
  state.written = new Map();
  state.version += 1;
}

const filesOf = ({ segments }: Manifest): string[] =>
  segments.flatMap(({ name }) => [docsFile(name), indexFile(name)]);

function editionOf(before: ManifestVersion, { manifest, written }: State): ManifestVersion {
  const marks: Record<string, FileChecksum> = { ...before.files, ...Object.fromEntries(written) };
  const files = Object.fromEntries(filesOf(manifest).map((file) => [file, marks[file] as FileChecksum]));
  return { generation: before.generation + 1, manifest, files };
}

/** A store whose manifest is in memory: commits are local until they are published. */
function createCopyStore(files: SegmentStore, state: State): SegmentStore {
  return {
    ...files,
    manifest: () => state.manifest,
    version: () => String(state.version),
    commit: (next) => {
      state.manifest = next;
      state.version += 1;
    },
    put: (file, parts) => {
      const checksum = { size: 0, crc: 0 };
      files.put(file, marking(parts, checksum));
      state.written.set(file, checksum);
    },
    files: () => filesOf(state.manifest),
    // Deleted for good once it is published.
    remove: () => undefined,
    bytes: () => {
      const known = state.edition?.files ?? {};
      return filesOf(state.manifest).reduce(
        (sum, file) => sum + (state.written.get(file)?.size ?? known[file]?.size ?? 0),
        0,
      );
    },
    // Whoever publishes second redoes the change.
    lock: () => () => undefined,
  };
}

async function fetchEdition(storage: SharedStorage, folder: string): Promise<ManifestVersion> {
  for (let attempt = 1; ; attempt += 1) {
    const next = await storage.edition();
    try {
      for (const [file, checksum] of Object.entries(next.files))
        await fetchFile(storage, folder, file, checksum);
      return next;
    } catch (thrown) {
      if (attempt === ATTEMPTS_MAX || (await storage.generation()) === next.generation) throw thrown;
    }
  }
}

/** Passes the parts through and computes their checksum. */
function* marking(parts: Iterable<Uint8Array>, checksum: FileChecksum): Generator<Uint8Array> {
  for (const part of parts) {
    checksum.size += part.length;
    checksum.crc = crc32(part, checksum.crc);
    yield part;
  }
}

const PART_BYTES = 4 * 1024 * 1024;

function* readParts(files: SegmentStore, file: string): Generator<Uint8Array> {
  const { size, readAt, close } = files.open(file);
  try {
    for (let at = 0; at < size; at += PART_BYTES) yield readAt(at, Math.min(PART_BYTES, size - at));
  } finally {
    close();
  }
}

/** Deletes copies that no version lists any more. */
function sweep(folder: string, files: Record<string, FileChecksum>): void {
  if (!existsSync(folder)) return;
  for (const file of readdirSync(folder)) {
    if (!file.startsWith('segment-') || file in files) continue;
    const age = Date.now() - (statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > CACHE_KEPT_MS) rmSync(join(folder, file), { force: true });
  }
}
