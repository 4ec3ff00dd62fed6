import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { allowedPath } from './read-file.ts';

/** A path that could not be added, and why. */
export interface Problem {
  path: string;
  code: string;
  message: string;
}

export interface WalkOptions {
  roots?: string[] | undefined;
  /** Whether to descend into a folder. */
  enters(name: string): boolean;
  /** Whether to read a file. */
  wants(path: string): boolean;
  problem(path: string, thrown: unknown): void;
}

/**
 * The wanted files below a folder in order, each once. Links are followed, except into a folder that is being
 * walked.
 */
export function* walkFiles(folder: string, options: WalkOptions): Generator<string> {
  const state = { files: 0, seen: new Set<string>() };
  yield* walk(folder, [], state, options);
}

function* walk(
  folder: string,
  above: string[],
  state: { files: number; seen: Set<string> },
  options: WalkOptions,
): Generator<string> {
  const entries = attempt(folder, options, () => {
    const real = allowedPath(folder, options.roots);
    if (above.includes(real))
      throw new HeadgateError('invalid_request', 'This link leads back to a folder above it.');
    if (above.length >= LIMITS.libraryFolderDepthMax)
      throw new HeadgateError('invalid_request', 'This folder is nested too deep.');
    return { real, names: readdirSync(folder).sort() };
  });
  if (entries === undefined) return;
  for (const name of entries.names) {
    const path = join(folder, name);
    const kind = attempt(path, options, () => kindOf(path));
    if (kind === 'folder' && options.enters(name))
      yield* walk(path, [...above, entries.real], state, options);
    if (kind !== 'file' || !options.wants(path) || !isNew(path, state.seen, options)) continue;
    state.files += 1;
    if (state.files > LIMITS.libraryFilesMax) {
      options.problem(
        folder,
        new HeadgateError(
          'limit_reached',
          `More than ${LIMITS.libraryFilesMax} files; the rest is left out.`,
        ),
      );
      return;
    }
    yield path;
  }
}

function kindOf(path: string): 'file' | 'folder' | 'other' {
  const status = statSync(path);
  return status.isDirectory() ? 'folder' : status.isFile() ? 'file' : 'other';
}

/** False for a file that was already seen under another name. */
function isNew(path: string, seen: Set<string>, options: WalkOptions): boolean {
  const real = attempt(path, options, () => realpathSync(path)) ?? path;
  if (seen.has(real)) return false;
  seen.add(real);
  return true;
}

function attempt<Result>(path: string, options: WalkOptions, work: () => Result): Result | undefined {
  try {
    return work();
  } catch (thrown) {
    options.problem(path, thrown);
    return undefined;
  }
}

/** Converts an error of the file system or a reader into a problem with our code. */
export function problemOf(path: string, thrown: unknown): Problem {
  if (thrown instanceof HeadgateError) return { path, code: thrown.code, message: thrown.message };
  const { code = '', message } = thrown as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM')
    return { path, code: 'forbidden', message: 'The permissions do not allow reading this.' };
  if (code === 'ENOENT') return { path, code: 'not_found', message: 'There is nothing at this path.' };
  if (code === 'ELOOP') return { path, code: 'invalid_request', message: 'This link leads back to itself.' };
  return { path, code: 'extract_failed', message: `It cannot be read (${code === '' ? message : code}).` };
}
