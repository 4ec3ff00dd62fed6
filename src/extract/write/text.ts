import type { Block, ElementNode, Tree } from '../parse/nodes.ts';

/**
 * Writes the kept blocks as plain text: a blank line between paragraphs, one line per list item and per
 * table row.
 */
export function writeText(tree: Tree, keep: Uint8Array): string {
  let out = '';
  let previous: Block | undefined;
  for (const [index, block] of tree.blocks.entries()) {
    if (keep[index] !== 1 || block.text === '') continue;
    if (previous !== undefined) out += separator(previous, block);
    out += block.text;
    previous = block;
  }
  return out;
}

function separator(before: Block, after: Block): string {
  if (before.preformatted && after.preformatted && isSameCode(before.element, after.element)) return '\n';
  const [first, second] = [nearest(before.element), nearest(after.element)];
  if (first === undefined || second === undefined) return '\n\n';
  if (first.tag === 'li' && second.tag === 'li') return '\n';
  const isRow = isCell(first) && isCell(second);
  if (!isRow) return '\n\n';
  return first.parent === second.parent ? (first === second ? '\n' : '\t') : '\n';
}

/** Lines of code may be elements of their own. */
const isSameCode = (first: ElementNode, second: ElementNode): boolean => {
  const pre = preOf(first);
  return pre !== undefined && pre === preOf(second);
};

function preOf(start: ElementNode): ElementNode | undefined {
  let element: ElementNode | undefined = start;
  while (element !== undefined && element.tag !== 'pre') element = element.parent;
  return element;
}

const isCell = (element: ElementNode): boolean => element.tag === 'td' || element.tag === 'th';

function nearest(start: ElementNode): ElementNode | undefined {
  let element: ElementNode | undefined = start;
  for (let level = 0; level < 4 && element !== undefined; level++) {
    if (element.tag === 'li' || isCell(element)) return element;
    element = element.parent;
  }
  return undefined;
}
