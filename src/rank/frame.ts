import type { TextBlock } from './blocks.ts';

/** A part of a content with the context that makes it readable when it was cut out of a table or code. */
export interface Framed {
  text: string;
  /** The heading of its section, and the table head or opening fence above the text. */
  opening?: string | undefined;
  /** The closing fence of the code in which the text stops. */
  closing?: string | undefined;
}

/** The text with its context. */
export function framed({ text, opening, closing }: Framed): string {
  const begun = opening === undefined ? text : `${opening}\n${text}`;
  return closing === undefined ? begun : `${begun}${begun.endsWith('\n') ? '' : '\n'}${closing}`;
}

/** The line before the first text of a page, in what was written by pages. Text of a page itself has its brackets escaped. */
export const pageMark = (page: number): string => `[p. ${page}]`;

/** The page mark that a block is. */
export const pageMarkAt = (content: string, { start, end }: TextBlock): string | undefined =>
  content[start] === '[' && end - start < MARK_CHARS_MAX
    ? /^\[p\. \d+\](?=\s*$)/.exec(content.slice(start, end))?.[0]
    : undefined;

const MARK_CHARS_MAX = 20;

/**
 * The context that a text needs when it starts at an offset inside a block; undefined when it needs none, or
 * none that is short enough.
 */
export function openingAt(
  content: string,
  block: TextBlock,
  at: number,
  charsMax: number,
): string | undefined {
  const end = headEnd(content, block);
  if (end === block.start || at < end || at >= block.end) return undefined;
  if (end - block.start > charsMax * LINKS_SHARE) return undefined;
  const whole = content.slice(block.start, end).trimEnd();
  if (block.kind === 'code') return whole.length * 4 <= charsMax ? whole : undefined;
  // Only a whole row can follow a table head; the rest of a split row cannot.
  if (content[at - 1] !== '\n') return undefined;
  if (whole.length * 4 <= charsMax) return whole;
  const short = withoutLinks(whole);
  return short.length * 2 <= charsMax ? short : undefined;
}

/** Adds the section heading to a context, if it is short. */
export function withHeading(
  heading: { level: number; title: string } | undefined,
  opening: string | undefined,
  charsMax: number,
): string | undefined {
  if (heading === undefined || heading.title === '' || heading.title.length * HEADING_PARTS > charsMax)
    return opening;
  return `${'#'.repeat(heading.level)} ${heading.title}\n${opening === undefined ? '' : `\n${opening}`}`;
}

const HEADING_PARTS = 5;

/** Removes the section heading from a context; undefined when nothing else is left. */
export function withoutHeading(opening: string | undefined): string | undefined {
  const rest = opening?.replace(/^#{1,6} [^\n]*\n\n?/, '');
  return rest === '' ? undefined : rest;
}

/** What must follow a text that ends at an offset inside a block. */
export function closingAt(content: string, block: TextBlock, at: number): string | undefined {
  if (block.kind !== 'code' || at <= block.start || at >= block.end) return undefined;
  return FENCE.exec(content.slice(block.start, lineEnd(content, block)))?.[0];
}

/** The end of an opening fence or a table head, or the start of the block when it has neither. */
export const headEnd = (content: string, block: TextBlock): number =>
  block.kind === 'code'
    ? Math.min(lineEnd(content, block) + 1, block.end)
    : block.kind === 'table'
      ? tableHeadEnd(content, block)
      : block.start;

/** The end of the lines that name the columns. */
function tableHeadEnd(content: string, block: TextBlock): number {
  const first = lineEnd(content, block) + 1;
  const second = lineEnd(content, { ...block, start: first }) + 1;
  if (second > block.end + 1 || first - block.start > HEAD_CHARS_MAX) return block.start;
  if (isDelimiter(content.slice(first, second))) return Math.min(second, block.end);
  // In plain text cells are separated by tabs, and no line separates the head from the rows.
  return content.slice(block.start, first).includes('\t') ? first : block.start;
}

const FENCE = /^\s*(?:`{3,}|~{3,})/;
/** The longest table head; the rest of a longer line is not examined. */
const HEAD_CHARS_MAX = 10_000;
/** A table head with links may be this many times as long as a passage; a longer one is not shortened. */
const LINKS_SHARE = 8;

const isDelimiter = (line: string): boolean => line.includes('-') && /^\s*\|[\s:|-]+$/.test(line);

/** The end of the first line of a block, or where the search stops. */
function lineEnd(content: string, { start, end }: TextBlock): number {
  const found = content.slice(start, Math.min(end, start + HEAD_CHARS_MAX)).indexOf('\n');
  return found === -1 ? Math.min(end, start + HEAD_CHARS_MAX) : start + found;
}

/** Shortens a table head by removing its link targets. */
const withoutLinks = (head: string): string =>
  head
    .replace(/!\[[^\]]*\]\([^)\s]*\)/g, '')
    .replace(/\[((?:[^\]\\]|\\.)*)\]\([^)\s]*\)/g, '$1')
    .replace(/(?<=\|)[ :-]*-[ :-]*(?=\|)/g, '-');
