import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';

/** A file name: no path, nothing hidden. */
const NAME = /^[\w][\w .+-]{0,199}\.(wacz|warc|warc\.gz)$/i;
const FILES_MAX = 10;

/** The paths of the snapshots that a workspace may be set to: files in the folder that the operator names, and nothing else. */
export function snapshotPaths(folder: string | undefined, names: string): string[] {
  if (folder === undefined)
    throw new HeadgateError('invalid_request', 'web: this gateway has no folder of snapshots.', {
      remediation: 'The operator can name one with `[web] folder`.',
    });
  const files = namesIn(names);
  const wrong = files.find((file) => !NAME.test(file));
  if (wrong !== undefined || files.length === 0 || files.length > FILES_MAX)
    throw new HeadgateError(
      'invalid_request',
      own`web: "${named(wrong ?? names)}" is not the name of a snapshot.`,
      {
        remediation: own`Give the name of a .wacz, .warc or .warc.gz file in the folder of \`[web] folder\`, without a path; up to ${FILES_MAX}, separated by commas.`,
      },
    );
  const absent = files.find((file) => !existsSync(join(folder, file)));
  if (absent !== undefined)
    throw new HeadgateError('invalid_request', own`web: there is no snapshot "${named(absent)}".`, {
      remediation: 'Copy it into the folder of `[web] folder`, or check its name.',
    });
  return files.map((file) => join(folder, file));
}

/** How many files of a folder are listed. */
const LISTED_MAX = 100;

/** The snapshots in the folder, in the order of their names. */
export const snapshotsIn = (folder: string | undefined): string[] =>
  folder === undefined || !existsSync(folder)
    ? []
    : readdirSync(folder)
        .filter((name) => NAME.test(name))
        .sort()
        .slice(0, LISTED_MAX)
        .map((name) => join(folder, name));

const namesIn = (names: string): string[] =>
  names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
