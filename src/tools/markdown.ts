import { cleanText, foldLookAlikes, oneLine, unbrokenLine } from '../core/text.ts';

/** Text of a stranger on one line that cannot start a heading, list, rule, quote, table, footer or fence of ours. */
export function inlineText(text: string): string {
  const line = unbrokenLine(text);
  return BLOCK_START.test(line.slice(0, BLOCK_START_CHARS).normalize('NFKC')) ? `\\${line}` : line;
}

const BLOCK_START = /^(?:[#>|=+*_-]|\d+[.)]|~{3}|`{3}|<!--)/;
const BLOCK_START_CHARS = 12;

/** Text of a stranger over several lines, each held to `inlineText`. */
export const blockText = (text: string): string => text.split('\n').map(inlineText).join('\n').trim();

/** A URL that cannot break out of its line. */
export const inlineUrl = (url: string): string => oneLine(url).replaceAll(' ', '%20');

/**
 * Makes the escaper of a toolset whose format has no fence. A page's text keeps its lines. A line that begins as one of the
 * toolset's own does (`labels`, as a pattern), or looks as if it did, is set off by a backslash. Code that is left open is closed.
 */
export function lineEscaper(labels: string): (text: string) => string {
  const own = new RegExp(`^(?:${foldLookAlikes(labels)}|<!--)`, 'iu');
  const isOwn = (line: string): boolean =>
    own.test(foldLookAlikes(line.trimStart().slice(0, HEAD_CHARS)).trimStart());
  return (text) => {
    const lines = cleanText(text)
      .trim()
      .split('\n')
      .map((line) => (isOwn(line) ? line.replace(/^\s*/, '$&\\') : line));
    return [...lines, ...openCode(lines)].join('\n');
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
