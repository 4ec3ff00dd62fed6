/**
 * The characters of windows-1252 at 0x80 to 0x9F, where Latin-1 has control characters. Five positions are
 * empty.
 */
const WINDOWS_1252 =
  '\u20AC\u0081\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\u008D\u017D\u008F' +
  '\u0090\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\u009D\u017E\u0178';

/**
 * Decodes bytes. Throws a RangeError for an unknown charset and, with `fatal`, a TypeError for invalid bytes.
 * Node 20 decodes windows-1252 (which is what the web means by Latin-1) as true Latin-1, so quotes, dashes
 * and the euro sign would become control characters.
 */
export function decodeCharset(bytes: Uint8Array, charset: string, options: { fatal?: boolean } = {}): string {
  const decoder = new TextDecoder(charset, options);
  const text = decoder.decode(bytes);
  if (decoder.encoding !== 'windows-1252') return text;
  return text.replace(/[\u0080-\u009F]/g, (control) => WINDOWS_1252[control.charCodeAt(0) - 0x80] as string);
}
