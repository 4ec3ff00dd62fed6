import { cleanText, foldLookAlikes, oneLine, unbrokenLine, type SafeText } from '../core/text.ts';

/** Untrusted text on one line that cannot start a heading, list, rule, quote, table, footer or fence. */
export function inlineText(text: string): SafeText {
  const line = unbrokenLine(text);
  return BLOCK_START.test(line.slice(0, BLOCK_START_CHARS).normalize('NFKC'))
    ? safeText(`\\${line}`)
    : safeText(line);
}

const BLOCK_START = /^(?:[#>|=+*_-]|\d+[.)]|~{3}|`{3}|<!--)/;
const BLOCK_START_CHARS = 12;

/** Untrusted text over several lines, each escaped by `inlineText`. */
export const blockText = (text: string): SafeText =>
  safeText(text.split('\n').map(inlineText).join('\n').trim());

/** A URL that cannot break out of its line. */
export const inlineUrl = (url: string): SafeText => safeText(oneLine(url).replaceAll(' ', '%20'));

/** Untrusted text on one line, where only line breaks need escaping. */
export const lineText = (text: string): SafeText => safeText(unbrokenLine(text));

/** A value as JSON on one line, which no string in it can end. */
export const jsonText = (value: unknown): SafeText =>
  safeText(JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029'));

/** Only the escapers in this file may mark external text as safe. */
const safeText = (text: string): SafeText => text as SafeText;

/**
 * Creates the escaper of a toolset without a fence. Lines of a page that look like the toolset's own lines
 * (`labels`, a pattern) get a backslash, and an open code block is closed.
 */
export function lineEscaper(labels: string): (text: string) => SafeText {
  const own = new RegExp(`^(?:${foldLookAlikes(labels)}|<!--)`, 'iu');
  const isOwn = (line: string): boolean =>
    own.test(foldLookAlikes(line.trimStart().slice(0, HEAD_CHARS)).trimStart());
  return (text) => {
    const lines = cleanText(text)
      .trim()
      .split('\n')
      .map((line) => (isOwn(line) ? line.replace(/^\s*/, '$&\\') : line));
    return safeText([...lines, ...openCode(lines)].join('\n'));
  };
}

/** None of our labels is longer. */
const HEAD_CHARS = 80;

/** The fence that closes a code block left open at the end. */
function openCode(lines: string[]): string[] {
  let open = '';
  for (const line of lines) {
    const [, fence = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (open === '') open = fence.startsWith('`') && info.includes('`') ? '' : fence;
    else if (fence.startsWith(open) && info.trim() === '') open = '';
  }
  return open === '' ? [] : [open];
}
