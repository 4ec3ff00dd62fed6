import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { lockSqlite } from '../../store/sqlite/lock.ts';
import type { ReadAt } from './format.ts';

export interface SegmentEntry {
  name: string;
  documents: number;
  /** Positions of documents that were replaced or removed. */
  deleted: number[];
}

/**
 * The manifest: the segments that make up the library. A change takes effect when a new manifest is
 * committed.
 */
export interface Manifest {
  generation: number;
  segments: SegmentEntry[];
}

export interface OpenFile {
  size: number;
  readAt: ReadAt;
  close(): void;
}

/** Stores segments. Files are immutable. Everything is synchronous, because it runs in its own thread. */
export interface SegmentStore {
  /** The last committed manifest. Throws when it is damaged. */
  manifest(): Manifest;
  /** Changes whenever the manifest may have changed. */
  version(): string;
  /** Durable when it returns. */
  commit(manifest: Manifest): void;
  /** Durable when it returns. */
  put(file: string, parts: Iterable<Uint8Array>): void;
  open(file: string): OpenFile;
  files(): string[];
  remove(file: string): void;
  bytes(): number;
  /** Excludes other writers, in this process and in others, until the result is called. */
  lock(): () => void;
}

const MANIFEST = /^manifest-(\d{12})\.json$/;
/** Two changes within this time may have the same time stamp. */
const FRESH_MS = 100;

/** Stores segments as files of a folder, which the first write creates. */
export function createFolderStore(folder: string): SegmentStore {
  const pathOf = (file: string) => join(folder, file);
  const files = () => (existsSync(folder) ? readdirSync(folder) : []);
  const manifests = () =>
    files()
      .filter((file) => MANIFEST.test(file))
      .sort();
  let reads = 0;
  const put = (file: string, parts: Iterable<Uint8Array>) => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeDurably(folder, file, parts);
  };
  return {
    files,
    put,
    manifest: () => readManifest(pathOf, manifests().at(-1)),
    version: () => {
      if (!existsSync(folder)) return 'empty';
      const { mtimeNs, mtimeMs } = statSync(folder, { bigint: true });
      return Date.now() - Number(mtimeMs) < FRESH_MS ? `fresh ${(reads += 1)}` : String(mtimeNs);
    },
    commit: (manifest) => {
      const body = JSON.stringify(manifest);
      const name = `manifest-${String(manifest.generation).padStart(12, '0')}.json`;
      put(name, [Buffer.from(`${crc32(body)} ${body}`)]);
      for (const old of manifests().slice(0, -2)) rmSync(pathOf(old), { force: true });
    },
    open: (file) => openFile(pathOf(file)),
    remove: (file) => rmSync(pathOf(file), { force: true }),
    bytes: () => files().reduce((sum, file) => sum + sizeOf(pathOf(file)), 0),
    lock: () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return waitForLock(pathOf('writer'));
    },
  };
}

const LOCK_WAIT_MS = 10_000;
const LOCK_STEP_MS = 50;

/** Waits while another command is writing. Only this thread is blocked. */
function waitForLock(path: string): () => void {
  for (let waited = 0; ; waited += LOCK_STEP_MS) {
    try {
      return lockSqlite(path);
    } catch (thrown) {
      if (waited >= LOCK_WAIT_MS) throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_STEP_MS);
    }
  }
}

/** Writes a file atomically: it gets its name after it is on disk. */
function writeDurably(folder: string, file: string, parts: Iterable<Uint8Array>): void {
  const temporary = join(folder, `${file}.part`);
  const descriptor = openSync(temporary, 'w', 0o600);
  try {
    for (const part of parts) {
      for (let done = 0; done < part.length;) done += writeSync(descriptor, part, done);
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, join(folder, file));
  syncFolder(folder);
}

function syncFolder(folder: string): void {
  // Windows cannot open folders; its renames are durable without it.
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function readManifest(pathOf: (file: string) => string, file: string | undefined): Manifest {
  if (file === undefined) return { generation: 0, segments: [] };
  const text = readFileSync(pathOf(file), 'utf8');
  const space = text.indexOf(' ');
  const body = text.slice(space + 1);
  if (space < 1 || Number(text.slice(0, space)) !== crc32(body)) {
    throw new HeadgateError(
      'storage_unavailable',
      own`The list of segments ${named(file)} of the library is damaged.`,
      {
        remediation: 'Run `headgate library rebuild`.',
        data: { segment: file },
      },
    );
  }
  return JSON.parse(body) as Manifest;
}

function openFile(path: string): OpenFile {
  const descriptor = openSync(path, 'r');
  return {
    size: statSync(path).size,
    readAt: (offset, length) => {
      const buffer = Buffer.allocUnsafe(length);
      let done = 0;
      while (done < length) {
        const read = readSync(descriptor, buffer, done, length - done, offset + done);
        if (read === 0) break;
        done += read;
      }
      return buffer.subarray(0, done);
    },
    close: () => closeSync(descriptor),
  };
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
