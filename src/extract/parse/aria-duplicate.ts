import { readAttribute } from './attributes.ts';
import { type ElementNode, isText, shortText, type TreeNode } from './nodes.ts';

/**
 * Whether an `aria-hidden` span visually repeats the screen-reader text just before it. Shops print prices
 * this way.
 */
export function isAriaDuplicate(element: ElementNode): boolean {
  if (element.tag !== 'span' || readAttribute(element.attributes, 'aria-hidden') !== 'true') return false;
  const siblings = element.parent?.children ?? [];
  const before = siblings.at(-2);
  const spoken = before !== undefined && isBlank(before) ? siblings.at(-3) : before;
  if (spoken === undefined || isText(spoken)) return false;
  const said = compact(spoken);
  return said !== '' && said === compact(element);
}

const isBlank = (node: TreeNode): boolean => isText(node) && node.text.trim() === '';

const compact = (element: ElementNode): string => shortText(element).replaceAll(' ', '');
