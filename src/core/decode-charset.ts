/** Where windows-1252 has characters that Latin-1 has not: 0x80 to 0x9F. Five places are empty in both. */
const WINDOWS_1252 =
  '\u20AC\u0081\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\u008D\u017D\u008F' +
  '\u0090\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\u009D\u017E\u0178';

/**
 * Bytes as text; throws a RangeError for a charset that nobody knows, and with `fatal` a TypeError for bytes that are not in it.
 * Node 20 reads windows-1252 (and Latin-1, which on the web means the same) as true Latin-1: quotes, dashes and the euro sign become control characters.
 */
export function decodeCharset(bytes: Uint8Array, charset: string, options: { fatal?: boolean } = {}): string {
  const decoder = new TextDecoder(charset, options);
  const text = decoder.decode(bytes);
  if (decoder.encoding !== 'windows-1252') return text;
  return text.replace(/[\u0080-\u009F]/g, (control) => WINDOWS_1252[control.charCodeAt(0) - 0x80] as string);
}
