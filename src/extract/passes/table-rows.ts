import { type ElementNode, isText } from '../parse/nodes.ts';
import { keepVisible, type Pass, type PassPage } from './pass.ts';

/** Keeps the whole row when one of its cells is kept. Rows that lay out a page have large cells and are left alone. */
export const tableRows = {
  name: 'table-rows',
  why: 'Half a row of a table says something else than the row.',
  madeFor: 'pages with tables of data',
  run: keepWholeRows,
} satisfies Pass;

/** Keeps the head of a table when at least half of its rows are kept. */
export const tableHeads = {
  name: 'table-heads',
  why: 'Without the head of a table nobody knows what its numbers mean.',
  madeFor: 'pages with tables of data',
  run: keepTableHeads,
} satisfies Pass;

function keepTableHeads({ tree, keep }: Pick<PassPage, 'tree' | 'keep'>): void {
  const kept = new Uint32Array(keep.length + 1);
  for (const [index, one] of keep.entries()) kept[index + 1] = (kept[index] as number) + one;
  for (const table of tree.elements) {
    if (table.tag !== 'table' || table.first >= table.end) continue;
    const head = table.children.find(({ tag }) => tag === 'thead') ?? firstRow(table);
    if (head === undefined || isText(head) || !isHead(head, table)) continue;
    const below = (kept[table.end] as number) - (kept[head.end] as number);
    if (below === 0 || below * 2 < table.end - head.end) continue;
    keepVisible(tree, keep, head);
  }
}

const CELLS_MAX = 12;
const CELL_BLOCKS_MAX = 3;

function keepWholeRows({ tree, keep }: Pick<PassPage, 'tree' | 'keep'>): void {
  for (const row of tree.elements) {
    if (row.tag !== 'tr' || row.end - row.first < 2 || row.end - row.first > CELLS_MAX * CELL_BLOCKS_MAX)
      continue;
    const cells = cellsOf(row).filter(({ first, end }) => first < end);
    const isData = cells.length > 1 && cells.every(({ first, end }) => end - first <= CELL_BLOCKS_MAX);
    if (!isData || !cells.some(({ first, end }) => !keep.subarray(first, end).includes(0))) continue;
    keepVisible(tree, keep, row);
  }
}

const cellsOf = (row: ElementNode): ElementNode[] =>
  row.children.filter((child): child is ElementNode => child.tag === 'td' || child.tag === 'th');

function firstRow(element: ElementNode): ElementNode | undefined {
  for (const child of element.children) {
    if (isText(child)) continue;
    if (child.tag === 'tr') return child;
    if (child.tag === 'tbody') return firstRow(child);
  }
  return undefined;
}

/** Whether this is the head of the table: a small `thead`, or a row of `th` cells only. */
function isHead(head: ElementNode, table: ElementNode): boolean {
  if (head.tag === 'thead') return head.end - head.first <= table.end - head.end;
  const cells = cellsOf(head);
  return cells.length > 1 && cells.every((cell) => cell.tag === 'th');
}
