import { HeadgateError } from '../core/errors.ts';

/** Encodes where to continue in which text. Opaque to callers, and only valid for that text. */
export function writeCursor(text: string, offset: number): string {
  return btoa(`${offset}.${fingerprint(text)}`).replace(/=+$/, '');
}

/** Decodes a cursor to an offset, or throws `invalid_request` that says why it cannot be used. */
export function readCursor(text: string, cursor: string): number {
  const found = /^(\d{1,12})\.([0-9a-f]{16})$/.exec(decoded(cursor));
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

/** Digits, letters and a point as Base64 have neither `+` nor `/`. */
const decoded = (cursor: string): string =>
  /^[0-9a-z]+$/i.test(cursor) ? atob(cursor.padEnd(Math.ceil(cursor.length / 4) * 4, '=')) : '';

/** Tells texts apart; it is no secret and no proof. */
function fingerprint(text: string): string {
  let [one, two] = [0x811c9dc5, 0x9e3779b9];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x01000193);
    two = Math.imul(two ^ code, 0x85ebca6b);
    two ^= two >>> 13;
  }
  return [one, two].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}
