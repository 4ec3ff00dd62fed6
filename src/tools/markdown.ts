import { cleanText, foldLookAlikes, oneLine, unbrokenLine, type SafeText } from '../core/text.ts';

/** Text of a stranger on one line that cannot start a heading, list, rule, quote, table, footer or fence of ours. */
export function inlineText(text: string): SafeText {
  const line = unbrokenLine(text);
  return BLOCK_START.test(line.slice(0, BLOCK_START_CHARS).normalize('NFKC'))
    ? safeText(`\\${line}`)
    : safeText(line);
}

const BLOCK_START = /^(?:[#>|=+*_-]|\d+[.)]|~{3}|`{3}|<!--)/;
const BLOCK_START_CHARS = 12;

/** Text of a stranger over several lines, each held to `inlineText`. */
export const blockText = (text: string): SafeText =>
  safeText(text.split('\n').map(inlineText).join('\n').trim());

/** A URL that cannot break out of its line. */
export const inlineUrl = (url: string): SafeText => safeText(oneLine(url).replaceAll(' ', '%20'));

/** Text of a stranger on one line, where only its line breaks could be taken for ours. */
export const lineText = (text: string): SafeText => safeText(unbrokenLine(text));

/** A value as JSON, on one line: nothing in a string of it can end the string or the line. */
export const jsonText = (value: unknown): SafeText =>
  safeText(JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029'));

/** Only the escapers in this file say that a text from outside is safe. */
const safeText = (text: string): SafeText => text as SafeText;

/**
 * Makes the escaper of a toolset whose format has no fence. A page's text keeps its lines. A line that begins as one of the
 * toolset's own does (`labels`, as a pattern), or looks as if it did, is set off by a backslash. Code that is left open is closed.
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

/** No line of ours needs more to be known. */
const HEAD_CHARS = 80;

/** The fence that ends the code block that is open at the end, if one is. */
function openCode(lines: string[]): string[] {
  let open = '';
  for (const line of lines) {
    const [, fence = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (open === '') open = fence.startsWith('`') && info.includes('`') ? '' : fence;
    else if (fence.startsWith(open) && info.trim() === '') open = '';
  }
  return open === '' ? [] : [open];
}
