import type { Measure } from '../features/measure.ts';
import { headingOf } from '../features/survey.ts';
import type { Pass, PassPage } from './pass.ts';

const KEPT_SHARE_MIN = 0.9;
const KEPT_WORDS_MIN = 15;
const CHANCE_MIN = 0.25;

/** Keeps the headings of sections that are kept, unless the model finds a heading unlikely. */
export const sectionHeads = {
  name: 'section-heads',
  why: 'The heading of a section that is content is content, too.',
  madeFor: 'documentation and long articles',
  run: keepSectionHeads,
} satisfies Pass;

function keepSectionHeads({ survey, chances, keep }: PassPage): void {
  const { tree, measures } = survey;
  const levels = Uint8Array.from(tree.blocks, ({ element }) => Number(headingOf(element)?.tag[1] ?? 0));
  for (let index = keep.indexOf(1) + 1; index > 0 && index < levels.length; index++) {
    // The title is a field of its own.
    if (keep[index] === 1 || (levels[index] as number) < 2) continue;
    if (tree.blocks[index]?.element.hidden !== '' || (chances[index] as number) < CHANCE_MIN) continue;
    if (isKeptBelow(index, levels, measures, keep)) keep[index] = 1;
  }
}

/** Whether nearly all text below a heading is kept, up to the next heading of its level or above. Sections of one level do not overlap, so all of them together take one pass per level. */
function isKeptBelow(heading: number, levels: Uint8Array, measures: Measure[], keep: Uint8Array): boolean {
  let [all, kept] = [0, 0];
  for (let index = heading + 1; index < levels.length; index++) {
    const level = levels[index] as number;
    if (level > 0 && level <= (levels[heading] as number)) break;
    if (level > 0) continue;
    const { words } = measures[index] as Measure;
    all += words;
    if (keep[index] === 1) kept += words;
  }
  return kept >= KEPT_WORDS_MIN && kept >= KEPT_SHARE_MIN * all;
}
