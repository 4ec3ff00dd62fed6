import { LIMITS } from '../core/limits.ts';
import type { ContentFormat } from '../core/query.ts';
import type { Chunk } from '../core/source.ts';
import { blocksOf, type TextBlock } from './blocks.ts';
import { closingAt, openingAt, pageMarkAt, withHeading } from './frame.ts';
import { contentEnd, piecesOf } from './pieces.ts';

export interface ChunkOptions {
  /** The longest chunk in UTF-16 units. */
  charsMax?: number;
  format?: ContentFormat;
}

/**
 * Splits a content into passages of at most `charsMax` characters along its structure: a heading begins a
 * passage, paragraphs are kept whole, code and tables are cut only between lines, and long paragraphs between
 * sentences. Every passage is in the content at its offsets. One that was cut out of a table or code has the
 * necessary context around it (see `framed`), which counts towards its length. One of a content with page
 * marks is on one page and says which.
 */
export function chunkText(content: string, options: ChunkOptions = {}): Chunk[] {
  const charsMax = Math.max(2, options.charsMax ?? LIMITS.chunkCharsMax);
  const chunks: Chunk[] = [];
  const path: Heading[] = [];
  let open: OpenChunk | undefined;
  const close = () => {
    if (open !== undefined) addChunk(chunks, content, open, charsMax);
    open = undefined;
  };
  let page: string | undefined;
  for (const block of blocksOf(content, options.format ?? 'markdown')) {
    const mark = pageMarkAt(content, block);
    if (mark !== undefined) {
      close();
      page = mark;
      continue;
    }
    const heading = block.kind === 'heading';
    if (heading) {
      enter(path, block);
      if (open?.onlyHeadings !== true) close();
    }
    const headings = path.map(({ title }) => title);
    const lead = open === undefined ? undefined : leadBefore(content, open, block, charsMax);
    if (open !== undefined && lead !== undefined && lead > open.start) {
      const { start } = open;
      addChunk(chunks, content, { ...open, end: lead, solid: contentEnd(content, start, lead) }, charsMax);
      const opening = withHeading(path.at(-1), page, charsMax);
      open = { ...open, start: lead, lead, opening };
      if (leadBefore(content, open, block, charsMax) !== undefined) open.opening = page;
    }
    const room = lead === undefined ? charsMax : charsMax - (block.start - lead);
    for (const [start, end] of piecesOf(content, block, { charsMax, room })) {
      const solid = contentEnd(content, start, end);
      if (open !== undefined && !isRoomIn(content, open, { start, solid, end, last: block }, charsMax))
        close();
      open ??= openChunk(content, { start, solid, end, last: block, page }, path.at(-1), charsMax);
      open.end = end;
      open.last = block;
      if (solid > start) open.solid = solid;
      open.headings = open.onlyHeadings ? headings : open.headings;
      open.onlyHeadings &&= heading;
    }
    if (open !== undefined) open.lead = leadAfter(content, open, block);
  }
  close();
  return chunks;
}

interface Stretch {
  start: number;
  /** Its end without trailing white space. */
  solid: number;
  end: number;
  /** The block of its last piece. */
  last: TextBlock;
  opening?: string | undefined;
  /** The mark of its page. */
  page?: string | undefined;
}

interface OpenChunk extends Stretch {
  headings: string[];
  onlyHeadings: boolean;
  /** The start of trailing lines that only introduce what follows. */
  lead?: number | undefined;
}

/**
 * True when a passage can take one more piece. The rest of a split row cannot take the next row, which must
 * be below its table head.
 */
function isRoomIn(content: string, open: OpenChunk, piece: Stretch, charsMax: number): boolean {
  const { start, solid, end, last } = piece;
  if (lengthOf(content, { ...open, solid, end, last }) > charsMax) return false;
  const isRest = open.start > last.start && content[open.start - 1] !== '\n';
  return !(last.kind === 'table' && isRest && content[start - 1] === '\n');
}

/**
 * The start of lines that introduce a block for which the passage has no room; undefined when there is room
 * or no such line.
 */
function leadBefore(
  content: string,
  open: OpenChunk,
  block: TextBlock,
  charsMax: number,
): number | undefined {
  const solid = contentEnd(content, block.start, block.end);
  if (lengthOf(content, { ...open, solid, end: block.end, last: block }) <= charsMax) return undefined;
  // A definition follows the term that it defines, in the block before it; so does the rest of a list item.
  const isRest = /^(?:: |[ \t]{2,4}[^\s-])/.test(content.slice(block.start, block.start + 5));
  return isRest && open.last.start >= open.start ? (open.lead ?? open.last.start) : open.lead;
}

/** The same for the passage that ends with a block now. */
function leadAfter(content: string, open: OpenChunk, block: TextBlock): number | undefined {
  if (open.onlyHeadings) return open.start;
  if (block.start < open.start || !isLead(content.slice(block.start, open.solid))) return undefined;
  return open.lead ?? block.start;
}

/**
 * True for a line that only introduces what follows: a question, a title in bold, the name of a list, a
 * sentence that ends with a colon.
 */
function isLead(text: string): boolean {
  if (
    text.length > LEAD_CHARS_MAX ||
    text.includes('\n') ||
    /^[ \t]{2}|^\s*(?:[-*+>|:] |\d+[.)] |```|~~~)/.test(text)
  )
    return false;
  if (/[:：?？؟]\**$/.test(text) || /^\*\*[^*]+\*\*$/.test(text)) return true;
  return text.length <= LABEL_CHARS_MAX && !/[.!?。！？…)"”」』\]]\**$/.test(text);
}

const LEAD_CHARS_MAX = 200;
const LABEL_CHARS_MAX = 40;

/**
 * Starts a passage with the heading of its section and the context of its table or code, as far as there is
 * room.
 */
function openChunk(
  content: string,
  piece: Stretch,
  heading: Heading | undefined,
  charsMax: number,
): OpenChunk {
  const head = openingAt(content, piece.last, piece.start, charsMax);
  const { page } = piece;
  const own = page === undefined || head === undefined ? (page ?? head) : `${page}\n\n${head}`;
  const openings = [
    withHeading(piece.last.kind === 'heading' ? undefined : heading, own, charsMax),
    own,
    page,
  ];
  const opening = openings.find((one) => lengthOf(content, { ...piece, opening: one }) <= charsMax);
  return { ...piece, opening, headings: [], onlyHeadings: true };
}

/** The length of a passage including its context. */
function lengthOf(content: string, { start, solid, end, last, opening }: Stretch): number {
  const closing = closingAt(content, last, end);
  const around = [opening, closing].reduce(
    (sum, line) => sum + (line === undefined ? 0 : line.length + 1),
    0,
  );
  return solid - start + around;
}

interface Heading {
  level: number;
  title: string;
}

function enter(path: Heading[], block: TextBlock): void {
  const level = block.level ?? 1;
  while ((path.at(-1)?.level ?? 0) >= level) path.pop();
  path.push({ level, title: block.title ?? '' });
}

function addChunk(chunks: Chunk[], content: string, open: OpenChunk, charsMax: number): void {
  const { solid: end, headings, opening, last } = open;
  let { start } = open;
  // Leading blank lines are removed; the indentation of the first line matters in code and lists, and stays.
  while (start < end && /[\r\n]/.test(content[start] ?? '')) start += 1;
  if (end <= start || content.slice(start, end).trim() === '') return;
  const closing = lengthOf(content, open) <= charsMax ? closingAt(content, last, open.end) : undefined;
  chunks.push({
    text: content.slice(start, end),
    start,
    end,
    ...(opening !== undefined && { opening }),
    ...(closing !== undefined && { closing }),
    ...(headings.length > 0 && { headings }),
  });
}
