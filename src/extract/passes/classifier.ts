import { chooseBlocks } from '../choice/choose.ts';
import type { Survey } from '../features/survey.ts';
import type { Pass, PassPage } from './pass.ts';

/** Keeps the blocks that the model takes for content. All other passes correct this choice. */
export const classifier = {
  name: 'classifier',
  why: 'A model of boosted trees gives each block a probability; the blocks with the best expected F1 are kept.',
  madeFor: 'every page',
  run(page: PassPage): void {
    page.keep = chooseBlocks(visibleWords(page.survey), page.chances);
  },
} satisfies Pass;

/** Hidden blocks are dropped whatever is chosen, so their words must not count. */
const visibleWords = ({ tree, measures }: Survey): Float64Array =>
  Float64Array.from(measures, ({ words }, index) => (tree.blocks[index]?.element.hidden === '' ? words : 0));
