import type { OwnText } from '../../core/text.ts';
import type { Survey } from '../features/survey.ts';
import type { ElementNode, RemovedText, Tree } from '../parse/nodes.ts';

/** A page on its way through the passes. They change `keep`, the text of blocks, and which elements are skipped. */
export interface PassPage {
  tree: Tree;
  url: string | undefined;
  /** Measures of the page as it was parsed. */
  survey: Survey;
  /** By block: the probability that it is content. */
  chances: Float32Array;
  /** By block: 1 if it is kept. */
  keep: Uint8Array;
  /** Words that are kept. */
  words: number;
  /** Characters that readers cannot see, and that were dropped for it. */
  hiddenChars: number;
  /** The first of these texts. */
  removed: RemovedText[];
  warnings: OwnText[];
}

/** One step of extraction. Passes run in the order of the list in `index.ts`. */
export interface Pass {
  /** The name that `headgate extract --explain` prints. */
  name: string;
  why: string;
  /** The kind of page that it was made for. */
  madeFor: string;
  run(page: PassPage): void;
}

/** Keeps the visible blocks of an element. */
export function keepVisible(tree: Tree, keep: Uint8Array, { first, end }: ElementNode): void {
  for (let index = first; index < end; index++)
    if (tree.blocks[index]?.element.hidden === '') keep[index] = 1;
}
