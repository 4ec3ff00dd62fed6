import type { Block } from './blocks.ts';

/** A stretch of content, and what it needs around it to be read by itself when it was cut out of a table or of code. */
export interface Framed {
  text: string;
  /** The heading of its section, and the head of the table or the fence of the code that the text begins inside of. */
  opening?: string | undefined;
  /** The fence that ends the code the text stops inside of. */
  closing?: string | undefined;
}

/** The text within its frame. */
export function framed({ text, opening, closing }: Framed): string {
  const begun = opening === undefined ? text : `${opening}\n${text}`;
  return closing === undefined ? begun : `${begun}${begun.endsWith('\n') ? '' : '\n'}${closing}`;
}

/** What a text needs before it that begins at an offset inside a block; undefined when nothing, or nothing that is short enough. */
export function openingAt(content: string, block: Block, at: number, charsMax: number): string | undefined {
  const end = headEnd(content, block);
  if (end === block.start || at < end || at >= block.end) return undefined;
  if (end - block.start > charsMax * LINKS_SHARE) return undefined;
  const whole = content.slice(block.start, end).trimEnd();
  if (block.kind === 'code') return whole.length * 4 <= charsMax ? whole : undefined;
  // Only a row can stand below a head; the rest of one that was cut cannot.
  if (content[at - 1] !== '\n') return undefined;
  if (whole.length * 4 <= charsMax) return whole;
  const short = withoutLinks(whole);
  return short.length * 2 <= charsMax ? short : undefined;
}

/** An opening below the heading of the section, where that is short. */
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

/** An opening without the heading of the section; undefined when it is nothing else. */
export function withoutHeading(opening: string | undefined): string | undefined {
  const rest = opening?.replace(/^#{1,6} [^\n]*\n\n?/, '');
  return rest === '' ? undefined : rest;
}

/** What a text needs behind it that ends at an offset inside a block. */
export function closingAt(content: string, block: Block, at: number): string | undefined {
  if (block.kind !== 'code' || at <= block.start || at >= block.end) return undefined;
  return FENCE.exec(content.slice(block.start, lineEnd(content, block)))?.[0];
}

/** Where the fence of code, or the head of a table, ends; where the block begins when it has neither. */
export const headEnd = (content: string, block: Block): number =>
  block.kind === 'code'
    ? Math.min(lineEnd(content, block) + 1, block.end)
    : block.kind === 'table'
      ? tableHeadEnd(content, block)
      : block.start;

/** Behind the lines that say what the columns are. */
function tableHeadEnd(content: string, block: Block): number {
  const first = lineEnd(content, block) + 1;
  const second = lineEnd(content, { ...block, start: first }) + 1;
  if (second > block.end + 1 || first - block.start > HEAD_CHARS_MAX) return block.start;
  if (isDelimiter(content.slice(first, second))) return Math.min(second, block.end);
  // In plain text cells are apart by tabs, and nothing stands between the head and the rows.
  return content.slice(block.start, first).includes('\t') ? first : block.start;
}

const FENCE = /^\s*(?:`{3,}|~{3,})/;
/** A head has not more; the rest of a line of megabytes is not looked at. */
const HEAD_CHARS_MAX = 10_000;
/** A head with links may be this many times as long as a passage before nobody tries to make it fit. */
const LINKS_SHARE = 8;

const isDelimiter = (line: string): boolean => line.includes('-') && /^\s*\|[\s:|-]+$/.test(line);

/** Where the first line of a block ends, or where nobody looks any further. */
function lineEnd(content: string, { start, end }: Block): number {
  const found = content.slice(start, Math.min(end, start + HEAD_CHARS_MAX)).indexOf('\n');
  return found === -1 ? Math.min(end, start + HEAD_CHARS_MAX) : start + found;
}

/** A head that is long because of where its cells lead to is shorter without. */
const withoutLinks = (head: string): string =>
  head
    .replace(/!\[[^\]]*\]\([^)\s]*\)/g, '')
    .replace(/\[((?:[^\]\\]|\\.)*)\]\([^)\s]*\)/g, '$1')
    .replace(/(?<=\|)[ :-]*-[ :-]*(?=\|)/g, '-');
