import { createHash } from 'node:crypto';
import { HeadgateError } from '../core/errors.ts';

/** Encodes where to continue in which text. Opaque to callers, and only valid for that text. */
export function writeCursor(text: string, offset: number): string {
  return Buffer.from(`${offset}.${fingerprint(text)}`).toString('base64url');
}

/** Decodes a cursor to an offset, or throws `invalid_request` that says why it cannot be used. */
export function readCursor(text: string, cursor: string): number {
  const found = /^(\d{1,12})\.([0-9a-f]{16})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  const offset = Number(found?.[1] ?? Number.NaN);
  if (found === null || offset > text.length) {
    throw new HeadgateError('invalid_request', 'This cursor is not one of ours.', {
      remediation: 'Ask again without a cursor.',
    });
  }
  if (found[2] !== fingerprint(text)) {
    throw new HeadgateError('invalid_request', 'The page has changed since this cursor was given.', {
      remediation: 'Ask again without a cursor to read the page as it is now.',
    });
  }
  return offset;
}

const fingerprint = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
