import type { Line } from './pdf-columns.ts';
import { median } from './pdf-lines.ts';

export interface FoundTable {
  rows: string[][];
  /** The number of lines that it takes. */
  lines: number;
}

interface Column {
  x: number;
  right: number;
}

/** The table that begins at a line: at least two rows whose cells are below each other. */
export function tableAt(lines: Line[], start: number): FoundTable | undefined {
  const first = lines[start];
  if (first === undefined || first.cells.length < 2) return undefined;
  // Cells of the head may be close to each other; the row with the most cells shows the columns.
  const ahead = lines.slice(start, start + ROWS_AHEAD);
  const fullest = ahead.reduce((most, line) => (line.cells.length > most.cells.length ? line : most));
  let columns = place([], fullest) ?? [];
  let end = start;
  for (; end < lines.length && end - start < ROWS_MAX; end++) {
    const line = lines[end] as Line;
    const before = lines[end - 1];
    if (end > start && before !== undefined && before.y - line.y > line.size * PITCH_MAX) break;
    const next = place(columns, line);
    if (next === undefined || (line.cells.length === 1 && !isWithin(columns, line, before))) break;
    columns = next;
  }
  while (
    end > start &&
    lines[end - 1]?.cells.length === 1 &&
    !isWithin(columns, lines[end - 1] as Line, lines[end - 2])
  )
    end--;
  const taken = lines.slice(start, end);
  const full = taken.filter(({ cells }) => cells.length > 1);
  if (full.length < 2 || columns.length < 2) return undefined;
  const isSparse =
    full.reduce((count, { cells }) => count + cells.length, 0) < full.length * columns.length * 0.5;
  if (isSparse || (columns.length === 2 && full.every(({ cells }) => LABEL.test(cells[0]?.text ?? ''))))
    return undefined;
  const isRtl = taken.filter((line) => line.isRtl).length * 2 > taken.length;
  return { rows: rowsOf(taken, isRtl ? columns.toReversed() : columns), lines: taken.length };
}

const ROWS_MAX = 2_000;
const ROWS_AHEAD = 4;
/** The widest distance between two rows, in ems. */
const PITCH_MAX = 3.2;
/** The mark of a list item or the number of a heading. */
const LABEL =
  /^(?:[•‣▪◦●○■□–—*·\uF0A7\uF0B7-]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)]|\d+(?:\.\d+)*\.?|\[\d+\])$/i;

/**
 * The columns with the cells of a line added; undefined if a cell covers two of them. One that can be cut at a
 * gap between them is two cells, which were set close to each other.
 */
function place(columns: Column[], line: Line): Column[] | undefined {
  const next = columns.map((column) => ({ ...column }));
  const hitsOf = (cell: Column): Column[] =>
    next.filter((column) => cell.x < column.right && cell.right > column.x);
  const cells = line.cells.flatMap((cell) => {
    if (hitsOf(cell).length < 2) return [cell];
    for (const { at, left, right } of cell.gaps) {
      const parts = [
        { ...cell, text: cell.text.slice(0, at).trim(), right: left, gaps: [] },
        { ...cell, text: cell.text.slice(at).trim(), x: right, gaps: [] },
      ];
      if (parts.every((part) => hitsOf(part).length === 1)) return parts;
    }
    return [cell];
  });
  for (const cell of cells) {
    const [hit, other] = hitsOf(cell);
    if (other !== undefined) return undefined;
    if (hit === undefined) next.push({ x: cell.x, right: cell.right });
    else Object.assign(hit, { x: Math.min(hit.x, cell.x), right: Math.max(hit.right, cell.right) });
  }
  line.cells = cells;
  return next.sort((a, b) => a.x - b.x);
}

/** Whether a single cell continues the row above it: close below it, in one column, and not at its start as a paragraph would be. */
function isWithin(columns: Column[], line: Line, before: Line | undefined): boolean {
  const [first, last] = [columns[0], columns.at(-1)];
  if (before === undefined || first === undefined || last === undefined) return false;
  const isClose = before.y - line.y < line.size * 1.7;
  return isClose && line.right - line.x < (last.right - first.x) * 0.6;
}

/** A line without a first cell continues the cells above it if it is closer to them than rows are to each other. */
function rowsOf(lines: Line[], columns: Column[]): string[][] {
  const rows: string[][] = [];
  const starts = lines.filter((line) => columnOf(columns, line.cells[0] as Column) === 0);
  const pitch = median(starts.slice(1).map((line, index) => (starts[index] as Line).y - line.y));
  for (const [index, line] of lines.entries()) {
    const row = columns.map(() => '');
    for (const cell of line.cells) {
      const at = columnOf(columns, cell);
      row[at] = row[at] === '' ? cell.text : `${row[at]} ${cell.text}`;
    }
    const above = rows.at(-1);
    const gap = (lines[index - 1]?.y ?? Infinity) - line.y;
    const isMore =
      row[0] === '' &&
      (gap < pitch * 0.92 || (line.cells.length === 1 && !/^[\d\p{Sc}.,%\s-]+$/u.test(line.text)));
    // The first column may be the one whose text goes on.
    const isRest = line.cells.length === 1 && row[0] !== '' && gap < pitch * 0.8;
    if (above !== undefined && (isMore || isRest))
      for (const [at, text] of row.entries()) above[at] = joinWords(above[at] ?? '', text);
    else rows.push(row);
  }
  return rows;
}

const joinWords = (before: string, after: string): string =>
  after === ''
    ? before
    : /\p{Ll}-$/u.test(before) && /^\p{Ll}/u.test(after)
      ? before.slice(0, -1) + after
      : `${before} ${after}`.trim();

/** The column that a cell overlaps most. */
function columnOf(columns: Column[], cell: Column): number {
  const overlaps = columns.map((column) => Math.min(cell.right, column.right) - Math.max(cell.x, column.x));
  return overlaps.indexOf(Math.max(...overlaps));
}
