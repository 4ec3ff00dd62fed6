import { LIMITS } from '../core/limits.ts';
import type { ContentFormat } from '../core/query.ts';
import type { Chunk } from '../core/source.ts';
import { blocksOf, linesOf, type Block } from './blocks.ts';
import { cutPlace } from './cut.ts';
import { closingAt, headEnd, openingAt } from './frame.ts';

export interface ChunkOptions {
  /** Longest chunk in UTF-16 units. */
  charsMax?: number;
  format?: ContentFormat;
}

/**
 * Cuts a content into passages of at most `charsMax` characters along its structure: a heading begins a passage, paragraphs are kept whole, code
 * and tables are cut only between lines, long paragraphs between sentences. Every passage stands in the content at its offsets; one that was cut
 * out of a table or of code has what it needs around it (see `framed`), which counts for its length.
 */
export function chunkText(content: string, options: ChunkOptions = {}): Chunk[] {
  const charsMax = Math.max(2, options.charsMax ?? LIMITS.chunkCharsMax);
  const chunks: Chunk[] = [];
  const path: { level: number; title: string }[] = [];
  let open: OpenChunk | undefined;
  const close = () => {
    if (open !== undefined) addChunk(chunks, content, open, charsMax);
    open = undefined;
  };
  for (const block of blocksOf(content, options.format ?? 'markdown')) {
    const heading = block.kind === 'heading';
    if (heading) {
      enter(path, block);
      if (open?.onlyHeadings !== true) close();
    }
    const headings = path.map(({ title }) => title);
    for (const [start, end] of piecesOf(content, block, charsMax)) {
      const solid = contentEnd(content, start, end);
      if (open !== undefined && lengthOf(content, { ...open, solid, end, last: block }) > charsMax) close();
      open ??= openChunk(content, { start, solid, end, last: block }, charsMax);
      open.end = end;
      open.last = block;
      if (solid > start) open.solid = solid;
      open.headings = open.onlyHeadings ? headings : open.headings;
      open.onlyHeadings &&= heading;
    }
  }
  close();
  return chunks;
}

interface Stretch {
  start: number;
  /** Where it ends when blanks at its end are not counted. */
  solid: number;
  end: number;
  /** The block of its last piece. */
  last: Block;
  opening?: string | undefined;
}

interface OpenChunk extends Stretch {
  headings: string[];
  onlyHeadings: boolean;
}

function openChunk(content: string, piece: Stretch, charsMax: number): OpenChunk {
  const opening = openingAt(content, piece.last, piece.start, charsMax);
  const isRoom = lengthOf(content, { ...piece, opening }) <= charsMax;
  return { ...piece, opening: isRoom ? opening : undefined, headings: [], onlyHeadings: true };
}

/** The characters of a passage, with what stands around it. */
function lengthOf(content: string, { start, solid, end, last, opening }: Stretch): number {
  const closing = closingAt(content, last, end);
  const around = [opening, closing].reduce(
    (sum, line) => sum + (line === undefined ? 0 : line.length + 1),
    0,
  );
  return solid - start + around;
}

function enter(path: { level: number; title: string }[], block: Block): void {
  const level = block.level ?? 1;
  while ((path.at(-1)?.level ?? 0) >= level) path.pop();
  path.push({ level, title: block.title ?? '' });
}

/** A block as pieces that fit, whole when it can be. */
function* piecesOf(content: string, block: Block, charsMax: number): Generator<[number, number]> {
  if (contentEnd(content, block.start, block.end) - block.start <= charsMax) {
    yield [block.start, block.end];
    return;
  }
  for (const [start, end] of partsOf(content, block, charsMax)) {
    let from = start;
    const last = contentEnd(content, start, end);
    while (last - from > charsMax) {
      const to = cutPlace(content, from, from + charsMax);
      yield [from, to];
      from = to;
    }
    if (from < end) yield [from, end];
  }
}

/**
 * Where a block may be cut. The head of a table stays with its first row, or as much of it as fits, and a fence with the line beside it: alone
 * they say nothing.
 */
function partsOf(content: string, block: Block, charsMax: number): [number, number][] {
  const { kind, start, end } = block;
  if (kind !== 'code' && kind !== 'table') return [[start, end]];
  const lines = [...linesOf(content, start, end)];
  const below = headEnd(content, block);
  const first = lines.findIndex(([from]) => from === below);
  const row = lines[first];
  if (row !== undefined && (below - start) * 2 <= charsMax) lines.splice(0, first + 1, [start, row[1]]);
  const last = lines.at(-1);
  const above = lines.at(-2);
  if (kind === 'code' && last !== undefined && above !== undefined && last[1] - above[0] <= charsMax)
    lines.splice(-2, 2, [above[0], last[1]]);
  return lines;
}

/** Where a stretch ends when blanks at its end are not counted. */
function contentEnd(content: string, start: number, end: number): number {
  let last = end;
  while (last > start && isBlank(content.charCodeAt(last - 1))) last -= 1;
  return last;
}

const isBlank = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0;

function addChunk(chunks: Chunk[], content: string, open: OpenChunk, charsMax: number): void {
  const { solid: end, headings, opening, last } = open;
  let { start } = open;
  // Leading blank lines go, the indentation of the first line stays: it means something in code and lists.
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
