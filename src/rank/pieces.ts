import { linesOf, type TextBlock } from './blocks.ts';
import { cutPlace } from './cut.ts';
import { headEnd, openingAt } from './frame.ts';

/**
 * Limits for pieces of a block: none is longer than `charsMax`, and the first one fits into `room` if
 * possible.
 */
export interface PieceLimits {
  charsMax: number;
  room: number;
}

/** Splits a block into pieces that fit; a block that fits stays whole. */
export function* piecesOf(
  content: string,
  block: TextBlock,
  limits: PieceLimits,
): Generator<[number, number]> {
  const { charsMax } = limits;
  const length = contentEnd(content, block.start, block.end) - block.start;
  // A smaller rest of the room stays empty.
  const room = limits.room * ROOM_PARTS >= charsMax ? limits.room : charsMax;
  if (length <= room) {
    yield [block.start, block.end];
    return;
  }
  let first = room;
  for (const [start, end] of partsOf(content, block, charsMax)) {
    let from = start;
    const last = contentEnd(content, start, end);
    const isWhole = block.kind === 'code' || block.kind === 'table';
    while (last - from > (isWhole ? charsMax : first)) {
      const to = isWhole ? linePlace(content, block, from, charsMax) : cutPlace(content, from, from + first);
      yield [from, to];
      from = to;
      first = charsMax;
    }
    if (from < end) yield [from, end];
  }
}

const ROOM_PARTS = 3;

/** A line that is too long leaves room for the context above it; a row is cut between its cells. */
function linePlace(content: string, block: TextBlock, from: number, charsMax: number): number {
  const opening = openingAt(content, block, from, charsMax)?.length ?? -1;
  const to = from + Math.max(charsMax - opening - 1, Math.ceil(charsMax / 2));
  const bar = block.kind === 'table' ? content.slice(from, to).lastIndexOf(' | ') + 1 : 0;
  return bar * 2 >= to - from ? from + bar : cutPlace(content, from, to);
}

/**
 * The offsets at which a block may be cut. The head of a table stays with its first row, and a fence with the
 * line beside it.
 */
function partsOf(content: string, block: TextBlock, charsMax: number): [number, number][] {
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

/** The end of a range without trailing white space. */
export function contentEnd(content: string, start: number, end: number): number {
  let last = end;
  while (last > start && isBlank(content.charCodeAt(last - 1))) last -= 1;
  return last;
}

const isBlank = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0;
