import { LIMITS } from '../core/limits.ts';
import type { ContentFormat } from '../core/query.ts';
import type { Chunk } from '../core/source.ts';
import { blocksOf, linesOf, type Block } from './blocks.ts';
import { cutPlace } from './cut.ts';

export interface ChunkOptions {
  /** Longest chunk in UTF-16 units. */
  charsMax?: number;
  format?: ContentFormat;
}

/**
 * Cuts a content into passages of at most `charsMax` characters along its structure: a heading begins a passage, paragraphs are kept whole, code
 * and tables are cut only between lines, long paragraphs between sentences. Every passage stands in the content at its offsets.
 */
export function chunkText(content: string, options: ChunkOptions = {}): Chunk[] {
  const charsMax = Math.max(2, options.charsMax ?? LIMITS.chunkCharsMax);
  const chunks: Chunk[] = [];
  const path: { level: number; title: string }[] = [];
  let open: { start: number; end: number; headings: string[]; onlyHeadings: boolean } | undefined;
  const close = () => {
    if (open !== undefined) addChunk(chunks, content, open.start, open.end, open.headings);
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
      if (open !== undefined && contentEnd(content, open.start, end) - open.start > charsMax) close();
      open ??= { start, end, headings, onlyHeadings: heading };
      open.end = end;
      open.headings = open.onlyHeadings ? headings : open.headings;
      open.onlyHeadings &&= heading;
    }
  }
  close();
  return chunks;
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

/** Where a block may be cut. The head of a table stays with its first row, or as much of it as fits: alone it says nothing. */
function partsOf(content: string, { kind, start, end }: Block, charsMax: number): [number, number][] {
  if (kind !== 'code' && kind !== 'table') return [[start, end]];
  const lines = [...linesOf(content, start, end)];
  const row = lines[TABLE_HEAD_LINES];
  const isKept = kind === 'table' && row !== undefined && (row[0] - start) * 2 <= charsMax;
  return isKept ? [[start, row[1]], ...lines.slice(TABLE_HEAD_LINES + 1)] : lines;
}

const TABLE_HEAD_LINES = 2;

/** Where a stretch ends when blanks at its end are not counted. */
function contentEnd(content: string, start: number, end: number): number {
  let last = end;
  while (last > start && isBlank(content.charCodeAt(last - 1))) last -= 1;
  return last;
}

const isBlank = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0;

function addChunk(chunks: Chunk[], content: string, from: number, to: number, headings: string[]): void {
  let start = from;
  // Leading blank lines go, the indentation of the first line stays: it means something in code and lists.
  while (start < to && /[\r\n]/.test(content[start] ?? '')) start += 1;
  const end = contentEnd(content, start, to);
  if (end <= start || content.slice(start, end).trim() === '') return;
  chunks.push({
    text: content.slice(start, end),
    start,
    end,
    ...(headings.length > 0 && { headings }),
  });
}
