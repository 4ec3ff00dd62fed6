import { FOLDED, hiddenBy } from './hidden.ts';
import type { ElementNode, Tree } from './nodes.ts';

/** A hidden element with most of the page's text is not hidden from readers: a script shows it once the page is ready. */
export function revealMajority({ blocks, elements }: Tree): void {
  const all = blocks.reduce((sum, block) => sum + block.text.length, 0);
  const veils = elements.filter((element) => element.hidden !== '' && element.parent?.hidden === '');
  for (const veil of veils) {
    const own = blocks.slice(veil.first, veil.end).reduce((sum, block) => sum + block.text.length, 0);
    if (own * 2 <= all) continue;
    veil.hidden = '';
    for (let order = veil.order + 1; order < elements.length; order++) {
      const element = elements[order] as ElementNode;
      if (element.depth <= veil.depth) return;
      element.hidden = element.parent?.hidden || hiddenBy(element.attributes).replace(FOLDED, '');
    }
    return;
  }
}
