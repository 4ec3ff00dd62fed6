import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { HeadgateError } from '../core/errors.ts';
import { newNonce } from '../core/ids.ts';
import type { Edition, FileMark, Hub } from './hub.ts';
import { createOpenedLibrary } from './opened.ts';
import { docsFile, indexFile } from './segment.ts';
import { createFolderStore, type SegmentStore } from './segment-store.ts';
import type { Shelf } from './shelf.ts';
import { createLibraryWriter, type WriterLimits } from './writer.ts';

/** Other gateways may be faster, or remove what they merged while it is being copied. */
const ATTEMPTS_MAX = 8;
/** Another process with the same folder may be a little behind. */
const CACHE_KEPT_MS = 10 * 60_000;

/**
 * A library that gateways share through a hub. The folder holds copies of files, which never change, so several processes may use one. A
 * change is made on the copies first and counts when the hub has it; if another gateway was faster, it is made again on what that one left.
 */
export function createSharedShelf(hub: Hub, folder: string, limits: WriterLimits): Shelf {
  const copy = createCopy(hub, folder);
  const opened = createOpenedLibrary(copy.store);
  const writer = createLibraryWriter(copy.store, limits);
  return {
    store: copy.store,
    opened,
    refresh: async () => {
      try {
        await copy.refresh();
        return [];
      } catch (thrown) {
        // Reading goes on with what is here, and says so.
        if (!copy.isThere()) throw thrown;
        return [
          `The shared library cannot be reached (${HeadgateError.from(thrown).message}); a copy was searched.`,
        ];
      }
    },
    change: async (work) => {
      for (let attempt = 1; ; attempt += 1) {
        await copy.refresh();
        const result = orGiveUp(copy, () => work(writer));
        if (await copy.publish()) return result;
        if (attempt === ATTEMPTS_MAX) throw tooBusy();
      }
    },
    close: () => {
      opened.close();
      writer.close();
    },
  };
}

function orGiveUp<Result>({ giveUp }: { giveUp(): void }, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    giveUp();
    throw thrown;
  }
}

function createCopy(hub: Hub, folder: string) {
  const files = createFolderStore(folder);
  let edition: Edition | undefined;
  let version = 0;
  /** What a change has written and given up since the edition was copied. */
  let written = new Map<string, FileMark>();
  let manifest = { generation: 0, segments: [] } as Edition['manifest'];
  const filesOf = () => manifest.segments.flatMap(({ name }) => [docsFile(name), indexFile(name)]);
  const marks = () => ({ ...edition?.files, ...Object.fromEntries(written) });

  const take = (next: Edition) => {
    edition = next;
    ({ manifest } = next);
    written = new Map();
    version += 1;
  };
  const store: SegmentStore = {
    ...files,
    manifest: () => manifest,
    version: () => String(version),
    commit: (next) => {
      manifest = next;
      version += 1;
    },
    put: (file, parts) => {
      const mark = { size: 0, crc: 0 };
      files.put(file, marking(parts, mark));
      written.set(file, mark);
    },
    files: filesOf,
    // Removed for good once everybody agrees.
    remove: () => undefined,
    bytes: () => filesOf().reduce((sum, file) => sum + (marks()[file]?.size ?? 0), 0),
    // Whoever publishes second makes the change again.
    lock: () => () => undefined,
  };
  return {
    store,
    isThere: () => edition !== undefined,
    /** What was changed here and not published is not looked at again. */
    giveUp: () => {
      edition = undefined;
    },
    refresh: async (): Promise<void> => {
      if (edition !== undefined && (await hub.generation()) === edition.generation) return;
      for (let attempt = 1; ; attempt += 1) {
        const next = await hub.edition();
        try {
          for (const [file, mark] of Object.entries(next.files)) await fetchFile(hub, folder, file, mark);
        } catch (thrown) {
          if (attempt === ATTEMPTS_MAX || (await hub.generation()) === next.generation) throw thrown;
          continue;
        }
        take(next);
        sweep(folder, next.files);
        return;
      }
    },
    /** False when another gateway was faster; then nothing of the change is left. */
    publish: async (): Promise<boolean> => {
      if (edition === undefined || manifest === edition.manifest) return true;
      const before = edition;
      const known = marks();
      const next: Edition = {
        generation: before.generation + 1,
        manifest,
        files: Object.fromEntries(filesOf().map((file) => [file, known[file] as FileMark])),
      };
      const fresh = [...written.keys()].filter((file) => file in next.files);
      try {
        for (const file of fresh) await hub.put(file, readParts(files, file));
        if (!(await hub.publish(before.generation, next))) {
          await hub.remove(fresh);
          edition = undefined;
          return false;
        }
      } catch (thrown) {
        // Whether it counts is not known; the next call finds out.
        edition = undefined;
        throw thrown;
      }
      take(next);
      // Copies elsewhere that are just being made find the new edition instead.
      await hub.remove(Object.keys(before.files).filter((file) => !(file in next.files)));
      return true;
    },
  };
}

/** The same parts, measured while they pass. */
function* marking(parts: Iterable<Uint8Array>, mark: FileMark): Generator<Uint8Array> {
  for (const part of parts) {
    mark.size += part.length;
    mark.crc = crc32(part, mark.crc);
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

/** Copies a file unless it is there; it gets its name when it is whole and right. */
async function fetchFile(hub: Hub, folder: string, file: string, mark: FileMark): Promise<void> {
  const path = join(folder, file);
  if (statSync(path, { throwIfNoEntry: false })?.size === mark.size) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temporary = `${path}.${newNonce()}.part`;
  const descriptor = openSync(temporary, 'wx', 0o600);
  try {
    let crc = 0;
    for await (const part of hub.read(file, mark)) {
      crc = crc32(part, crc);
      for (let done = 0; done < part.length;) done += writeSync(descriptor, part, done);
    }
    if (crc !== mark.crc)
      throw new HeadgateError('storage_unavailable', `Segment ${file} of the library is damaged.`, {
        remediation: 'Run `headgate library rebuild`.',
        data: { segment: file },
      });
    renameSync(temporary, path);
  } finally {
    closeSync(descriptor);
    rmSync(temporary, { force: true });
  }
}

/** Copies that no edition has any more. */
function sweep(folder: string, files: Record<string, FileMark>): void {
  if (!existsSync(folder)) return;
  for (const file of readdirSync(folder)) {
    if (!file.startsWith('segment-') || file in files) continue;
    const age = Date.now() - (statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > CACHE_KEPT_MS) rmSync(join(folder, file), { force: true });
  }
}

const tooBusy = (): HeadgateError =>
  new HeadgateError('storage_unavailable', 'Other gateways change this library all the time.', {
    remediation: 'Try again.',
  });
