import type { Measure } from '../features/measure.ts';
import type { Block } from '../parse/nodes.ts';
import type { Pass, PassPage } from './pass.ts';

const REPEAT_WORDS_MIN = 6;
const REPEATS_ALLOWED = new Set(['td', 'th', 'pre', 'code']);

/** Whether a block may repeat another: cells and code often do. */
export const mayRepeat = (block: Block): boolean =>
  block.preformatted || REPEATS_ALLOWED.has(block.element.tag);

/** A single word or number that repeats may be a score. */
const DOUBLE_WORDS_MIN = 2;
/** A shorter text may be true of two things: `Toxic to cats and dogs` applies to many plants. */
const ALONE_WORDS_MIN = 10;
const ITEMS = new Set(['li', 'dt', 'dd']);
/** Two things may have two facts in common; a list that is there twice has more. */
const ITEMS_AROUND_MIN = 2;

/** Drops repeated text: a long one, a short one right after itself, and one whose neighbours are repeated with it. */
export const repeats = {
  name: 'repeats',
  why: 'The page has the same text twice; once is enough.',
  madeFor: 'pages with one text for wide and one for narrow screens, teasers and pull quotes',
  run: dropRepeats,
} satisfies Pass;

function dropRepeats({ survey, keep }: Pick<PassPage, 'survey' | 'keep'>): void {
  const { tree, measures } = survey;
  const { blocks } = tree;
  const kept = Array.from(blocks.keys()).filter((index) => keep[index] === 1);
  const textAt = (place: number): string | undefined => blocks[kept[place] ?? -1]?.text;
  const places = new Map<string, number>();
  let last = '';
  for (const [place, index] of kept.entries()) {
    const block = blocks[index] as Block;
    if (mayRepeat(block)) {
      last = '';
      continue;
    }
    const { words } = measures[index] as Measure;
    const first = places.get(block.text);
    if (words >= DOUBLE_WORDS_MIN && block.text === last) keep[index] = 0;
    else if (first === undefined) places.set(block.text, place);
    else if (words >= REPEAT_WORDS_MIN) {
      const isItem = ITEMS.has(block.element.tag);
      const isSame = (side: number): boolean =>
        textAt(place + side) !== undefined && textAt(place + side) === textAt(first + side);
      const around = countRun(isSame, -1) + countRun(isSame, 1);
      if (isItem ? around >= ITEMS_AROUND_MIN : around > 0 || words >= ALONE_WORDS_MIN) keep[index] = 0;
    }
    last = block.text;
  }
}

/** How many texts on one side of a repeated one are repeated with it, of the nearest two. */
const countRun = (isSame: (side: number) => boolean, side: number): number =>
  isSame(side) ? (isSame(2 * side) ? 2 : 1) : 0;
