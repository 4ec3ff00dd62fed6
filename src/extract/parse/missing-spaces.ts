import { commonAncestor } from './elements.ts';
import type { ElementNode } from './nodes.ts';

const ENDS_WORD = /[\p{Ll}\p{N}.!?:)%]/u;
const SPACE = 32;
const NEVER_BEGINS = [...' .,;:!?)]"’”'].map((sign) => sign.charCodeAt(0));
const LETTERS_MIN = 2;
const WORD_MIN = 3;

/**
 * Whether a space is missing between the adjacent texts of two elements, because the page separates them by
 * style only. `iPhone` and `H₂O` are one word, `NameAda` and `$20$15` are two.
 */
export function isMissingSpace(
  before: string,
  after: string,
  first: ElementNode,
  second: ElementNode,
): boolean {
  if (first === second || before.length < LETTERS_MIN) return false;
  // Most texts end with a space, or are followed by punctuation.
  if (before.charCodeAt(before.length - 1) === SPACE || NEVER_BEGINS.includes(after.charCodeAt(0)))
    return false;
  const [end, start] = [before.slice(-1), after.slice(0, 1)];
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
