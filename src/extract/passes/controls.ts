import { attributeOf, type ElementNode, type Tree } from '../parse/nodes.ts';

const TARGETS = ['aria-controls', 'data-target', 'data-bs-target', 'popovertarget', 'commandfor', 'href'];
const IDS_MAX = 5_000;

/**
 * The controls of a page by the ids that they open; of several the last. A plain link opens nothing without a script, which a
 * tab says that it has.
 */
export function findControls({ elements, head }: Tree): Map<string, ElementNode> {
  const found = new Map<string, ElementNode>();
  const isTab = (element: ElementNode): boolean =>
    head.scripts.length > 0 || attributeOf(element, 'role') === 'tab';
  for (const element of elements) {
    if (element.attributes.length === 0 || element.hidden !== '') continue;
    for (const name of TARGETS) {
      const value = attributeOf(element, name);
      if (value === undefined || found.size >= IDS_MAX) continue;
      if (name === 'href' && !(value.startsWith('#') && isTab(element))) continue;
      for (const word of value.slice(0, 400).split(/\s+/)) found.set(word.replace(/^#/, ''), element);
    }
  }
  return found;
}
