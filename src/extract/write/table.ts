import { writeCode, writeInline } from './inline.ts';
import { attributeOf, type ElementNode, isText, textOf } from '../parse/nodes.ts';
import type { WriterContext } from './writer-context.ts';

const COLUMNS_MAX = 60;

/**
 * Writes a table as GFM. Layout tables (one column, nested tables, cells full of blocks) are written as
 * their contents.
 */
export function writeTable(
  table: ElementNode,
  context: WriterContext,
  writeCell: (cell: ElementNode) => string[],
): string[] {
  const rows: ElementNode[][] = [];
  const captions: ElementNode[] = [];
  collectRows(table, rows, captions);
  const before = captions.flatMap(writeCell);
  if (isEquation(table))
    return rows.map((row) => row.flatMap(writeCell).join(' ')).filter((line) => line !== '');
  if (isLayout(table, rows)) return [...before, ...rows.flatMap((row) => row.flatMap(writeCell))];
  const taken: number[] = [];
  const lines = rows
    .map((row) => writeRow(row, context, taken))
    .filter((row) => row.some((cell) => cell !== ''));
  // The rest of a layout table is not a table.
  const isRemnant =
    !context.keepsAll(table) && lines.every((row) => row.filter((cell) => cell !== '').length < 2);
  if (isRemnant) return [...before, ...rows.flatMap((row) => row.flatMap(writeCell))];
  const columns = usedColumns(lines);
  const [head, ...body] = lines.map((row) => `| ${columns.map((column) => row[column] ?? '').join(' | ')} |`);
  if (head === undefined) return before;
  return [...before, [head, `|${' --- |'.repeat(columns.length)}`, ...body].join('\n')];
}

/** The columns that say something: others only make room. */
function usedColumns(lines: string[][]): number[] {
  const width = Math.min(
    COLUMNS_MAX,
    lines.reduce((most, row) => Math.max(most, row.length), 0),
  );
  return Array.from({ length: width }, (_, column) => column).filter((column) =>
    lines.some((row) => (row[column] ?? '') !== ''),
  );
}

function collectRows(element: ElementNode, rows: ElementNode[][], captions: ElementNode[]): void {
  for (const child of element.children) {
    if (isText(child) || child.skipped) continue;
    if (child.tag === 'tr') {
      rows.push(child.children.filter((cell): cell is ElementNode => cell.tag === 'td' || cell.tag === 'th'));
    } else if (child.tag === 'caption') captions.push(child);
    else if (child.tag !== 'td' && child.tag !== 'th' && child.tag !== 'table')
      collectRows(child, rows, captions);
    else rows.push([child]);
  }
}

const TEXT_BLOCKS = new Set(['p', 'div', 'br', 'center', 'section', 'figure']);

function isLayout(table: ElementNode, rows: ElementNode[][]): boolean {
  if (attributeOf(table, 'role') === 'presentation') return true;
  if (rows.every((row) => isSingle(row))) return true;
  return rows.some((row) => row.some((cell) => holdsStructure(cell, 0)));
}

/** At most one cell of the row says something: the others indent it. */
const isSingle = (row: ElementNode[]): boolean =>
  row.filter((cell) => cell.first < cell.end).length <= 1 && row.every(({ tag }) => tag !== 'th');

/** Formulas with their numbers, laid out in cells. */
const isEquation = (table: ElementNode): boolean =>
  /(^|[\s_-])(equation|eqn)/.test(attributeOf(table, 'class') ?? '');

/** True when a cell holds what a line cannot: another table, code of several lines, headings or long runs of paragraphs. */
function holdsStructure(element: ElementNode, level: number): boolean {
  if (element.end - element.first > 12 && level === 0) return true;
  for (const child of element.children) {
    if (isText(child) || !(child.isBlock || child.holdsBlocks)) continue;
    if (STRUCTURE.has(child.tag)) return true;
    if (child.tag === 'pre' ? !isLine(child) : holdsStructure(child, level + 1)) return true;
  }
  return false;
}

const STRUCTURE = new Set(['table', 'h1', 'h2', 'h3', 'blockquote', 'form', 'article']);

/** One line of code fits a cell. */
const isLine = (pre: ElementNode): boolean => !/\S\s*\n\s*\S/.test(textOf(pre));

/** A cell that spans columns or rows leaves room in them; `taken` counts for how many more rows each column is. */
function writeRow(row: ElementNode[], context: WriterContext, taken: number[]): string[] {
  const cells: string[] = [];
  const leaveRoom = () => {
    for (let left = taken[cells.length] ?? 0; left > 0; left = taken[cells.length] ?? 0) {
      taken[cells.length] = left - 1;
      cells.push('');
    }
  };
  for (const cell of row) {
    leaveRoom();
    if (cells.length >= COLUMNS_MAX) break;
    const end = Math.min(cells.length + spanOf(cell, 'colspan'), COLUMNS_MAX);
    const rows = spanOf(cell, 'rowspan');
    taken[cells.length] = rows - 1;
    cells.push(writeCellLine(cell, context));
    for (; cells.length < end; cells.push('')) taken[cells.length] = rows - 1;
  }
  leaveRoom();
  return cells;
}

const spanOf = (cell: ElementNode, name: 'colspan' | 'rowspan'): number =>
  Math.max(1, Number.parseInt(attributeOf(cell, name) ?? '1', 10) || 1);

function writeCellLine(cell: ElementNode, context: WriterContext): string {
  const parts: string[] = [];
  gather(cell, context, parts);
  return parts.join('<br>').replace(/\s+/g, ' ').replace(/\|/g, '\\|');
}

function pushLine(parts: string[], text: string): void {
  if (text.trim() !== '') parts.push(text.trim());
}

/** One line per paragraph or list item of the cell. */
function gather(element: ElementNode, context: WriterContext, parts: string[]): void {
  let run: ElementNode['children'] = [];
  const end = () => {
    if (run.length > 0) pushLine(parts, writeInline(run, context));
    run = [];
  };
  for (const child of element.children) {
    const isContainer = !isText(child) && (child.isBlock || child.holdsBlocks || TEXT_BLOCKS.has(child.tag));
    if (!isContainer) run.push(child);
    else {
      end();
      if (child.skipped || child.tag === 'br' || context.drops(child)) continue;
      if (child.tag === 'pre') pushLine(parts, writeCode(child, context));
      else gather(child, context, parts);
    }
  }
  end();
}
