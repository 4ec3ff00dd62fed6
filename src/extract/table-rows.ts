import { keepVisible } from './choice/keep-visible.ts';
import { type ElementNode, isText, type Tree } from './parse/nodes.ts';

/** The head of a table whose rows are content is content: without it nobody knows what the numbers are. */
export function keepTableHeads(tree: Tree, keep: Uint8Array): void {
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

/** A row of which one cell is content is content: half a row says something else. Rows that lay out a page have large cells. */
export function keepWholeRows(tree: Tree, keep: Uint8Array): void {
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

/** A head that says so and is small beside what stands below it, or a row of nothing but heads. */
function isHead(head: ElementNode, table: ElementNode): boolean {
  if (head.tag === 'thead') return head.end - head.first <= table.end - head.end;
  const cells = cellsOf(head);
  return cells.length > 1 && cells.every((cell) => cell.tag === 'th');
}
