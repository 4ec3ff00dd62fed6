import { attributeOf, type ElementNode, isText, type Tree, type TreeNode } from './parse/nodes.ts';

/** The signs that documentation puts behind headings and definitions to link to them. */
const SIGN = /^[¶#§∞🔗⚓]\uFE0F?$/u;
const EDIT = /(^|\s)mw-editsection(\s|$)/;

/**
 * Leaves out what stands at a heading for whoever writes or cites the page: a link to the heading itself, and the wiki's link to edit it. They say nothing about the
 * content and cost a reader a line of address each. Only what can be taken from the text as well is taken.
 */
export function dropPermalinks(tree: Tree): void {
  for (const element of tree.elements) {
    if (!isPermalink(element)) continue;
    const block = tree.blocks[element.first];
    const text = shortText(element);
    if (block === undefined || text === '' || !(block.text.endsWith(text) || block.text.startsWith(text)))
      continue;
    block.text = block.text.endsWith(text)
      ? block.text.slice(0, -text.length).trimEnd()
      : block.text.slice(text.length).trimStart();
    skip(element);
  }
}

function skip(element: ElementNode): void {
  element.skipped = true;
  for (const child of element.children) if (!isText(child)) skip(child);
}

function isPermalink(element: ElementNode): boolean {
  if (element.skipped) return false;
  if (element.tag === 'span') return EDIT.test(attributeOf(element, 'class') ?? '');
  if (element.tag !== 'a' || element.holdsBlocks) return false;
  const href = attributeOf(element, 'href') ?? '';
  return href.includes('#') && SIGN.test(shortText(element));
}

const NODES_MAX = 20;
const TEXT_CHARS_MAX = 80;

/** The text of an element that holds little; nothing for all others, which a hostile page may nest as deep as it likes. */
function shortText(element: ElementNode): string {
  const waiting: TreeNode[] = [element];
  let text = '';
  let nodes = 0;
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    nodes += 1;
    if (nodes > NODES_MAX || (!isText(node) && node.children.length > NODES_MAX)) return '';
    if (isText(node)) text += node.text;
    else waiting.push(...node.children.toReversed());
  }
  return text.length > TEXT_CHARS_MAX ? '' : text.replace(/\s+/g, ' ').trim();
}
