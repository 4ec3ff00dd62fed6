import type { ElementNode, TreeNode } from './nodes.ts';
import { TAG } from './tags.ts';

/** Creates an element without adding it to its parent. `flags` are those of its tag. */
export function createElement(
  tag: string,
  attributes: string[],
  parent: ElementNode | undefined,
  flags: number,
): ElementNode {
  return {
    tag,
    attributes,
    parent,
    children: NO_CHILDREN,
    depth: parent === undefined ? 0 : parent.depth + 1,
    order: -1,
    first: 0,
    end: 0,
    classNames: undefined,
    idNames: undefined,
    groups: 0,
    hidden: parent === undefined ? '' : parent.hidden,
    folded: parent !== undefined && parent.folded,
    skipped: (parent !== undefined && parent.skipped) || (flags & TAG.skipped) !== 0,
    isBlock: (flags & TAG.block) !== 0,
    holdsBlocks: false,
  };
}

/**
 * Shared by all elements without children: most elements have none or one, and an array each would dominate
 * the memory.
 */
const NO_CHILDREN: TreeNode[] = [];

export function addChild(parent: ElementNode, child: TreeNode): void {
  if (parent.children === NO_CHILDREN) parent.children = [child];
  else parent.children.push(child);
}

/** The lowest common ancestor. */
export function commonAncestor(first: ElementNode, second: ElementNode): ElementNode {
  let a = first;
  let b = second;
  while (a !== b) {
    if (a.depth >= b.depth && a.parent !== undefined) a = a.parent;
    else if (b.parent !== undefined) b = b.parent;
    else return a;
  }
  return a;
}
