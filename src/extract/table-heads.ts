import { type ElementNode, isText, type Tree } from './parse/nodes.ts';

/** The head of a table whose rows are content is content: without it nobody knows what the numbers are. */
export function keepTableHeads(tree: Tree, keep: Uint8Array): void {
  const kept = new Uint32Array(keep.length + 1);
  for (const [index, one] of keep.entries()) kept[index + 1] = (kept[index] as number) + one;
  for (const table of tree.elements) {
    if (table.tag !== 'table' || table.first >= table.end) continue;
    const head = firstRow(table);
    if (head === undefined || !isHead(head)) continue;
    const below = (kept[table.end] as number) - (kept[head.end] as number);
    if (below === 0 || below * 2 < table.end - head.end) continue;
    for (let index = head.first; index < head.end; index++)
      if (tree.blocks[index]?.element.hidden === '') keep[index] = 1;
  }
}

function firstRow(element: ElementNode): ElementNode | undefined {
  for (const child of element.children) {
    if (isText(child)) continue;
    if (child.tag === 'tr') return child;
    if (child.tag === 'thead' || child.tag === 'tbody') return firstRow(child);
  }
  return undefined;
}

const isHead = (row: ElementNode): boolean => {
  const cells = row.children.filter((child) => child.tag === 'td' || child.tag === 'th');
  return cells.length > 1 && cells.every((cell) => cell.tag === 'th');
};
