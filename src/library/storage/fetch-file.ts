import { closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { HeadgateError } from '../../core/errors.ts';
import { named, own } from '../../core/own-text.ts';
import { newNonce } from '../../core/ids.ts';
import type { FileChecksum, SharedStorage } from './shared-storage.ts';

/** Copies a file unless it exists. It gets its name when it is complete and its checksum is right. */
export async function fetchFile(
  storage: SharedStorage,
  folder: string,
  file: string,
  checksum: FileChecksum,
): Promise<void> {
  const path = join(folder, file);
  if (statSync(path, { throwIfNoEntry: false })?.size === checksum.size) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temporary = `${path}.${newNonce()}.part`;
  const descriptor = openSync(temporary, 'wx', 0o600);
  try {
    let crc = 0;
    for await (const part of storage.read(file, checksum)) {
      crc = crc32(part, crc);
      for (let done = 0; done < part.length;) done += writeSync(descriptor, part, done);
    }
    if (crc !== checksum.crc)
      throw new HeadgateError('storage_unavailable', own`Segment ${named(file)} of the library is damaged.`, {
        remediation: 'Run `headgate library rebuild`.',
        data: { segment: file },
      });
    renameSync(temporary, path);
  } finally {
    closeSync(descriptor);
    rmSync(temporary, { force: true });
  }
}
