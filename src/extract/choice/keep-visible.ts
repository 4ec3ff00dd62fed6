import type { ElementNode, Tree } from '../parse/nodes.ts';

/** Keeps what readers see of an element. */
export function keepVisible(tree: Tree, keep: Uint8Array, { first, end }: ElementNode): void {
  for (let index = first; index < end; index++)
    if (tree.blocks[index]?.element.hidden === '') keep[index] = 1;
}
