import { type PdfSegment, sum } from './pdf-lines.ts';

/** Text on one baseline: one cell, or several with wide gaps between them. */
export interface Line extends PdfSegment {
  cells: PdfSegment[];
}

/**
 * The regions of a page in reading order, each with its lines from the top to the bottom. `gutters` are those of
 * the pages before, for a page that is mostly filled with something wide; its own is added.
 */
export function regionsOf(segments: PdfSegment[], gutters: number[]): Line[][] {
  const own = gutterOf(segments);
  for (const gutter of own === undefined ? gutters.slice(-1) : [own, ...gutters.slice(-1)]) {
    const regions = cut(segments, gutter, 0);
    if (regions.length < 2) continue;
    if (gutter === own) gutters.push(own);
    return regions.map(linesOf);
  }
  return segments.length === 0 ? [] : [linesOf(segments)];
}

/** Columns within columns are looked for this deep: four columns. */
const DEPTH_MAX = 2;
const BIN = 2;

/** Cuts a region at the gutter between its columns, where it has some. */
function cut(segments: PdfSegment[], gutter: number | undefined, depth: number): PdfSegment[][] {
  if (gutter === undefined || depth > DEPTH_MAX) return [segments];
  const regions: PdfSegment[][] = [];
  let wide: PdfSegment[] = [];
  let left: PdfSegment[] = [];
  let right: PdfSegment[] = [];
  const flush = (): void => {
    if (!areColumns(left, right)) wide.push(...left, ...right);
    else {
      if (wide.length > 0) regions.push(wide);
      wide = [];
      const isRtl = sum([...left, ...right], (one) => (one.isRtl ? 1 : -1)) > 0;
      const [first, second] = isRtl ? [right, left] : [left, right];
      for (const side of [first, second]) regions.push(...cut(side, gutterOf(side), depth + 1));
    }
    [left, right] = [[], []];
  };
  for (const segment of segments.toSorted((a, b) => b.y - a.y)) {
    if (segment.x >= gutter - BIN) right.push(segment);
    else if (segment.right <= gutter + BIN) left.push(segment);
    else {
      flush();
      wide.push(segment);
    }
  }
  flush();
  return wide.length > 0 ? [...regions, wide] : regions;
}

/** The place in the middle of a region that the fewest lines cross. */
function gutterOf(all: PdfSegment[]): number | undefined {
  // Code is as wide as it is.
  const segments = all.filter(({ isMono }) => !isMono);
  if (segments.length < LINES_MIN * 2) return undefined;
  const { from, to } = extentOf(segments);
  const bins = Math.ceil((to - from) / BIN);
  if (!(bins > 20 && bins < BINS_MAX)) return undefined;
  // First where segments begin and end, then how many there are.
  const crossed = new Float64Array(bins + 1);
  for (const { x, right } of segments) {
    const start = Math.floor((x - from) / BIN);
    const end = Math.min(bins - 1, Math.floor((right - from) / BIN));
    if (end < start) continue;
    crossed[start]! += 1;
    crossed[end + 1]! -= 1;
  }
  for (let bin = 1; bin < bins; bin++) crossed[bin]! += crossed[bin - 1] ?? 0;
  let best: { at: number; crossed: number; width: number } | undefined;
  for (let bin = Math.floor(bins * 0.15); bin < bins * 0.85; bin++) {
    const count = crossed[bin] ?? 0;
    let end = bin;
    while (end + 1 < bins && crossed[end + 1] === count) end++;
    const width = end - bin + 1;
    if (best === undefined || count < best.crossed || (count === best.crossed && width > best.width))
      best = { at: from + ((bin + end + 1) / 2) * BIN, crossed: count, width };
    bin = end;
  }
  return best !== undefined && best.crossed < segments.length * CROSSED_MAX ? best.at : undefined;
}

const LINES_MIN = 3;
const BINS_MAX = 10_000;
const CROSSED_MAX = 0.4;

/** Whether two sides are columns of running text: lines that are long and about as wide as their side. Cells of a table are not. */
function areColumns(left: PdfSegment[], right: PdfSegment[]): boolean {
  const [first, second] = [left, right].map(proseOf) as [Prose, Prose];
  const isMost = ({ long, lines }: Prose): boolean =>
    long >= Math.min(LINES_MIN, lines) && long > lines * PROSE_MIN;
  if (first.long === 0 || second.long === 0) return false;
  // Beside much running text there may be hardly any: the end of an article, or a table.
  return (
    (isMost(first) && isMost(second)) ||
    [first, second].some(({ long, lines }) => long > LINES_MIN * 2 && long > lines / 2)
  );
}

interface Prose {
  lines: number;
  long: number;
}

function proseOf(side: PdfSegment[]): Prose {
  const { from, to } = extentOf(side);
  const long = side.filter(
    (one) => one.text.length >= CHARS_MIN && one.right - one.x > (to - from) * FILLED_MIN,
  );
  return { lines: new Set(side.map(({ y }) => Math.round(y))).size, long: long.length };
}

/** From the left end of some segments to their right end. */
function extentOf(segments: PdfSegment[]): { from: number; to: number } {
  let from = Infinity;
  let to = -Infinity;
  for (const { x, right } of segments) {
    if (x < from) from = x;
    if (right > to) to = right;
  }
  return { from, to };
}

const CHARS_MIN = 18;
const FILLED_MIN = 0.7;
const PROSE_MIN = 0.3;

/** Groups the segments of a region by baseline. */
function linesOf(segments: PdfSegment[]): Line[] {
  const rows: PdfSegment[][] = [];
  for (const segment of segments.toSorted((a, b) => b.y - a.y)) {
    const row = rows.at(-1);
    const first = row?.[0];
    if (
      row !== undefined &&
      first !== undefined &&
      first.y - segment.y < Math.min(first.size, segment.size) * 0.4
    )
      row.push(segment);
    else rows.push([segment]);
  }
  return rows.map((row) => {
    if (row.length === 1) return Object.assign(row[0] as PdfSegment, { cells: row });
    const cells = row.sort((a, b) => a.x - b.x);
    const isRtl = sum(cells, (cell) => (cell.isRtl ? 1 : -1)) > 0;
    if (isRtl) cells.reverse();
    const main = cells.reduce((most, cell) => (cell.text.length > most.text.length ? cell : most));
    const { from: x, to: right } = extentOf(cells);
    return { ...main, text: cells.map(({ text }) => text).join(' '), x, right, isRtl, cells };
  });
}
