import { noteRemoved } from '../parse/nodes.ts';
import type { Pass, PassPage } from './pass.ts';

/** Drops the blocks that readers cannot see, and counts their characters. */
export const hiddenText = {
  name: 'hidden-text',
  why: 'Readers cannot see it: a menu for narrow screens, a closed dialog, or instructions for machines.',
  madeFor: 'pages that hide text by style, and hostile pages',
  run(page: Pick<PassPage, 'tree' | 'keep' | 'hiddenChars' | 'removed'>): void {
    page.hiddenChars += page.tree.hiddenChars;
    for (const { why, excerpt } of page.tree.hidden) noteRemoved(page.removed, why, excerpt);
    for (const [index, { element, text }] of page.tree.blocks.entries()) {
      if (element.hidden === '') continue;
      page.hiddenChars += text.length;
      noteRemoved(page.removed, element.hidden, text.slice(0, 1_000));
      page.keep[index] = 0;
    }
  },
} satisfies Pass;
