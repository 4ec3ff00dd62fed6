import { createHash } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { digest } from './warc.ts';
import { openSnapshot } from './snapshot.ts';
import { readAt, readZip } from './zip.ts';

const CHUNK = 1 << 20;

/** What is wrong with a file: sums that do not fit, and records that cannot be read. */
export function verifySnapshot(path: string): string[] {
  return [...wrongMembers(path), ...wrongRecords(path)];
}

function wrongMembers(path: string): string[] {
  const file = openSync(path, 'r');
  try {
    const members = readZip(file);
    const textOf = (name: string): string => {
      const member = members.get(name);
      return member === undefined ? '{}' : readAt(file, member.offset, member.length).toString();
    };
    const manifest = textOf('datapackage.json');
    const { hash: expected } = JSON.parse(textOf('datapackage-digest.json')) as { hash?: string };
    const { resources = [] } = JSON.parse(manifest) as { resources?: { path: string; hash: string }[] };
    const hashOf = (name: string): string | undefined => {
      const member = members.get(name);
      if (member === undefined) return undefined;
      const hash = createHash('sha256');
      for (let done = 0; done < member.length; done += CHUNK)
        hash.update(readAt(file, member.offset + done, Math.min(CHUNK, member.length - done)));
      return `sha256:${hash.digest('hex')}`;
    };
    return [
      ...(digest(Buffer.from(manifest)) === expected ? [] : ['datapackage.json does not fit its sum.']),
      ...resources
        .filter(({ path: name, hash }) => hashOf(name) !== hash)
        .map(({ path: name }) => `${name} does not fit its sum.`),
    ];
  } finally {
    closeSync(file);
  }
}

function wrongRecords(path: string): string[] {
  const snapshot = openSnapshot(path);
  try {
    return snapshot.entries.flatMap((entry, index) => {
      try {
        const records = [snapshot.request(entry), snapshot.record(entry.answered)];
        const isWhole = records.every(({ fields, block }) => fields['warc-block-digest'] === digest(block));
        return isWhole ? [] : [`Exchange ${index + 1} does not fit its sum.`];
      } catch {
        return [`Exchange ${index + 1} cannot be read.`];
      }
    });
  } finally {
    snapshot.close();
  }
}
