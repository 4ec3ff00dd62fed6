import type { Measure } from '../features/measure.ts';
import type { Survey } from '../features/survey.ts';
import type { Block } from '../parse/nodes.ts';

/**
 * Code and formulas between two texts that are content are content, too: the texts that the model learned from often leave them out, and readers of a manual
 * come for them.
 */
export function keepBetween({ tree, measures }: Survey, keep: Uint8Array): void {
  let isOpen = false;
  let waiting: number[] = [];
  for (const [index, block] of tree.blocks.entries()) {
    if (keep[index] === 1) {
      for (const code of waiting) keep[code] = 1;
      waiting = [];
      isOpen = true;
    } else if (isCode(block)) {
      if (isOpen && block.element.hidden === '') waiting.push(index);
    } else if ((measures[index] as Measure).words > LABEL_WORDS_MAX) {
      waiting = [];
      isOpen = false;
    }
  }
}

/** A button that copies, the name of a language. */
const LABEL_WORDS_MAX = 3;
/** Whole formulas with punctuation between, and the number of an equation. */
const FORMULA = /^(?:\$[^$]+\$[\s.,;]*)+$|^\(\d{1,3}(?:\.\d{1,3})*[a-z]?\)$/;

const isCode = ({ preformatted, text }: Block): boolean =>
  preformatted || ((text.startsWith('$') || text.startsWith('(')) && FORMULA.test(text));
