import { FOLDED, hiddenBy } from './hidden.ts';
import type { ElementNode, Tree } from './nodes.ts';

/** A page shows at least this share of its text; less means that a script shows the rest once the page is ready. */
const SHOWN_MIN = 0.1;

/** A hidden element with nearly all of the page's text is not hidden from readers. One with half of it may be a message for machines. */
export function revealMajority({ blocks, elements }: Tree): void {
  const all = blocks.reduce((sum, block) => sum + block.text.length, 0);
  const veils = elements.filter((element) => element.hidden !== '' && element.parent?.hidden === '');
  for (const veil of veils) {
    const own = blocks.slice(veil.first, veil.end).reduce((sum, block) => sum + block.text.length, 0);
    if (all - own >= SHOWN_MIN * all) continue;
    veil.hidden = '';
    for (let order = veil.order + 1; order < elements.length; order++) {
      const element = elements[order] as ElementNode;
      if (element.depth <= veil.depth) return;
      element.hidden = element.parent?.hidden || hiddenBy(element.attributes).replace(FOLDED, '');
    }
    return;
  }
}
