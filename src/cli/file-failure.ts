import { HeadgateError } from '../core/errors.ts';
import { named, own } from '../core/own-text.ts';

const REASONS: Record<string, string> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is not a folder',
  ENOENT: 'it does not exist',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
};

/** Turns a file system error into a message for the terminal; undefined for other errors. */
export function fileFailure(thrown: unknown): HeadgateError | undefined {
  const cause = thrown instanceof HeadgateError ? thrown.cause : thrown;
  if (!(cause instanceof Error)) return undefined;
  const { code = '', path } = cause as NodeJS.ErrnoException;
  const why = REASONS[code];
  if (why === undefined || path === undefined) return undefined;
  return new HeadgateError('invalid_config', own`Headgate cannot use ${named(path)}: ${named(why)}.`, {
    // The data folder is made when it is missing.
    remediation:
      code === 'ENOENT'
        ? 'Check the path.'
        : 'Check the path and its permissions. HEADGATE_HOME sets the data folder.',
    cause,
  });
}
