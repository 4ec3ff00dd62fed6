import { createHash } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { oneLine } from '../core/text.ts';
import { findSecrets, readText } from '../policy/secrets.ts';
import { latinAnswer } from './http-message.ts';
import { secretsInAnswer } from './scrub.ts';
import type { Entry, WebSnapshot } from './entry.ts';
import { openSnapshot } from './snapshot.ts';
import { readAt, readZip, type Member } from './zip.ts';

const CHUNK = 1 << 20;
const MANIFEST_MAX = 64_000_000;

/** What is wrong with a file: sums that do not fit, records that cannot be read, and what looks like a secret. */
export const verifySnapshot = (path: string): string[] => [...wrongRecords(path), ...wrongMembers(path)];

/** Members of a WACZ file whose sum is not the one that its datapackage names. */
function wrongMembers(path: string): string[] {
  const file = openSync(path, 'r');
  try {
    if (readAt(file, 0, 2).toString('latin1') !== 'PK') return [];
    const members = readZip(file);
    const sums = [
      sumsIn(file, members, 'datapackage-digest.json'),
      sumsIn(file, members, 'datapackage.json'),
    ];
    return sums
      .flat()
      .filter(({ path: name, hash }) => isWrong(file, members.get(name), hash))
      .map(({ path: name }) => `${oneLine(name)} does not fit its sum.`);
  } finally {
    closeSync(file);
  }
}

interface Sum {
  path: string;
  hash: string;
}

/** The sums that a member names: of other members, or of the one that it is about. */
function sumsIn(file: number, members: Map<string, Member>, name: string): Sum[] {
  const member = members.get(name);
  if (member === undefined || member.length > MANIFEST_MAX) return [];
  try {
    const told = JSON.parse(readAt(file, member.offset, member.length).toString()) as { resources?: unknown };
    const sums = Array.isArray(told.resources) ? (told.resources as Sum[]) : [told as unknown as Sum];
    return sums.filter((sum) => typeof sum?.path === 'string' && typeof sum?.hash === 'string');
  } catch {
    return [{ path: name, hash: 'sha256:' }];
  }
}

function isWrong(file: number, member: Member | undefined, expected: string): boolean {
  const [algorithm = ''] = expected.split(':', 1);
  if (member === undefined) return true;
  if (algorithm !== 'sha256' && algorithm !== 'md5') return false;
  const hash = createHash(algorithm);
  for (let done = 0; done < member.length; done += CHUNK)
    hash.update(readAt(file, member.offset + done, Math.min(CHUNK, member.length - done)));
  return `${algorithm}:${hash.digest('hex')}` !== expected;
}

function wrongRecords(path: string): string[] {
  const snapshot = openSnapshot(path);
  try {
    return snapshot.entries.flatMap((entry, index) => {
      try {
        const sum = snapshot.isWhole(entry) ? [] : [`Exchange ${index + 1} does not fit its sum.`];
        return [...sum, ...secretsOf(snapshot, entry).map((what) => `Exchange ${index + 1} ${what}.`)];
      } catch {
        return [`Exchange ${index + 1} cannot be read.`];
      }
    });
  } finally {
    snapshot.close();
  }
}

/** The kinds of secrets in an exchange and where they are; never the secrets. */
function secretsOf(snapshot: WebSnapshot, entry: Entry): string[] {
  const asked = readText(snapshot.request(entry).block.toString());
  const found: [string, { kind: string }[]][] = [
    ['address', findSecrets(readText(entry.url))],
    ['request', findSecrets(asked)],
    ['answer', secretsInAnswer(latinAnswer(snapshot.response(entry)) ?? '')],
  ];
  return found.flatMap(([place, kinds]) =>
    [...new Set(kinds.map(({ kind }) => kind))].map(
      (kind) => `has in its ${place} what looks like a secret (${kind})`,
    ),
  );
}
