import { oneLine, unbrokenLine } from '../core/text.ts';

/** Text of a stranger on one line that cannot start a heading, list, rule, quote, table or fence of ours. */
export function inlineText(text: string): string {
  return unbrokenLine(text)
    .replace(/^([#>|=+*-]|\d+[.)])/, '\\$1')
    .replace(/^(_{3,}|~{3,}|`{3,})/, '\\$1');
}

/** Text of a stranger over several lines, each held to `inlineText`. */
export const blockText = (text: string): string => text.split('\n').map(inlineText).join('\n').trim();

/** A URL that cannot break out of its line. */
export const inlineUrl = (url: string): string => oneLine(url).replaceAll(' ', '%20');
