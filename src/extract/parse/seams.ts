import { commonAncestor } from './elements.ts';
import type { ElementNode } from './nodes.ts';

/** The last text of a block that is being read, and whose it is. */
export interface Ending {
  text: string;
  element: ElementNode;
}

const ENDS_WORD = /[\p{Ll}\p{N}.!?:)%]/u;
const LETTERS_MIN = 2;
const WORD_MIN = 3;

/**
 * Whether two texts of different elements that touch are two words: pages leave the room between them to a style. `iPhone` or `H₂O` are one word, `NameAda` and
 * `$20$15` are two.
 */
export function isSeam(
  { text: before, element: first }: Ending,
  after: string,
  second: ElementNode,
): boolean {
  if (first === second || before.length < LETTERS_MIN) return false;
  // Only the two characters at the seam are looked at first: most seams have a space.
  const [end, start] = [before.slice(-1), after.slice(0, 1)];
  if (end === ' ' || start === ' ') return false;
  const isLikely = after.length >= LETTERS_MIN && /\p{Lu}/u.test(start) && ENDS_WORD.test(end);
  if (!isLikely && !(isPair(before, after, end, start) && areBeside(first, second))) return false;
  return !isTight(first) && !isTight(second);
}

/** What is one piece in a sentence and two between elements of their own: words, a word and a number, numbers that are more than digits, a price. */
function isPair(before: string, after: string, end: string, start: string): boolean {
  if (/\p{Ll}/u.test(start)) return after.length >= WORD_MIN && /\p{Ll}/u.test(end);
  if (/\d/.test(start))
    return /\p{L}/u.test(end)
      ? before.length >= WORD_MIN
      : /[\d%]/.test(end) && /[\p{L}%]/u.test(before + after);
  return /^[+−-]?[$€£¥]/.test(after) && /[\p{L}\p{N}.%)]/u.test(end);
}

function areBeside(first: ElementNode, second: ElementNode): boolean {
  const holder = commonAncestor(first, second);
  return holder !== first && holder !== second;
}

const TIGHT = new Set(['code', 'kbd', 'samp', 'tt', 'var', 'sup', 'sub', 'ruby', 'rt', 'rb', 'math']);

/** Code and what is set above or below a line is one piece. */
function isTight(start: ElementNode): boolean {
  for (let element: ElementNode | undefined = start; element !== undefined; element = element.parent) {
    if (TIGHT.has(element.tag)) return true;
    if (element.isBlock) return false;
  }
  return false;
}
