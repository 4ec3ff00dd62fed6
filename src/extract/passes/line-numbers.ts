import { attributeOf, type ElementNode, isText, textOf, type Tree } from '../parse/nodes.ts';
import type { Pass, PassPage } from './pass.ts';

const NUMBERS =
  /(?:^|[\s_-])(?:gutter|linenos?|linenodiv|line-?num(?:ber)?s?|lnt|lntd|ln|hljs-ln-n(?:umbers)?)(?:[\s_-]|$)/i;
/** What a reader who copies the code shall not copy. */
const UNSELECTABLE = /(?:^|[\s;-])(?:user-select\s*:\s*none|(?:user-)?select-none)(?:[\s;!]|$)/i;
const STYLE_CHARS_MAX = 400;

/** Removes the line numbers that highlighters put beside or before the lines of code and mark by class or style. */
export const lineNumbers = {
  name: 'line-numbers',
  why: 'Line numbers are not part of the code; nobody could run it with them.',
  madeFor: 'documentation and technical blogs',
  run: dropLineNumbers,
} satisfies Pass;

/** Removes line numbers that nothing marks: each line begins with its number, from one on. */
export const countedLines = {
  name: 'counted-lines',
  why: 'Elements that count the lines of a listing from one are line numbers, even if nothing says so.',
  madeFor: 'technical blogs with a highlighter of their own',
  run: dropCountedLines,
} satisfies Pass;

function dropLineNumbers({ tree }: Pick<PassPage, 'tree'>): void {
  const isNamed = createNameJudge();
  for (const pre of tree.elements) {
    if (pre.tag !== 'pre' || pre.skipped) continue;
    if (isLineNumberColumn(pre)) blank(tree, pre);
    else if (skipNumbers(pre, isNamed)) rewrite(tree, pre);
  }
}

type NameJudge = (element: ElementNode) => boolean;

/** Creates a check whether a class or style marks line numbers. Cached per page: there are few different ones. */
function createNameJudge(): NameJudge {
  const known = new Map<string, boolean>();
  return (element) => {
    const style = attributeOf(element, 'style')?.slice(0, STYLE_CHARS_MAX) ?? '';
    const names = `${attributeOf(element, 'class') ?? ''} ${style}`;
    let isNamed = known.get(names);
    if (isNamed === undefined) {
      isNamed = NUMBERS.test(names) || UNSELECTABLE.test(names);
      known.set(names, isNamed);
    }
    return isNamed;
  };
}

function dropCountedLines({ tree }: Pick<PassPage, 'tree'>): void {
  for (const pre of tree.elements)
    if (pre.tag === 'pre' && !pre.skipped && skipCount(pre)) rewrite(tree, pre);
}

/** A column of numbers beside the code, named so at itself or at its cell. */
function isLineNumberColumn(pre: ElementNode): boolean {
  const names = [pre, pre.parent, pre.parent?.parent, pre.children.find((child) => !isText(child))]
    .map((place) => (place === undefined || isText(place) ? '' : (attributeOf(place, 'class') ?? '')))
    .join(' ');
  return NUMBERS.test(names) && isCount(linesOf(pre).trim().split(/\s+/), pre);
}

/** All text below an element, with the line breaks that are elements. */
const linesOf = (element: ElementNode): string =>
  element.children
    .map((child) => (isText(child) ? child.text : child.tag === 'br' ? '\n' : linesOf(child)))
    .join('');

/** Whether the numbers are consecutive. A single number counts only if it is alone in a table cell. */
const isCount = (numbers: string[], pre: ElementNode): boolean =>
  (numbers.length > 1 || pre.parent?.tag === 'td') &&
  numbers.every((number, index) => /^\d{1,6}$/.test(number) && Number(number) === Number(numbers[0]) + index);

/** Skips the numbers at the start of the lines, if they count from one; returns whether there were any. */
function skipCount(pre: ElementNode): boolean {
  const starts: ElementNode[] = [];
  collectStarts(pre, starts);
  const isNumbered =
    starts.length > 1 && starts.every((start, index) => textOf(start).trim() === String(index + 1));
  for (const start of isNumbered ? starts : []) start.skipped = true;
  return isNumbered;
}

/** What the lines below an element begin with: the inline element before the block-level one with the line itself. */
function collectStarts(element: ElementNode, starts: ElementNode[]): void {
  const [first, second] = element.children;
  if (
    first !== undefined &&
    !isText(first) &&
    !first.isBlock &&
    second !== undefined &&
    !isText(second) &&
    second.isBlock
  )
    starts.push(first);
  else for (const child of element.children) if (!isText(child)) collectStarts(child, starts);
}

/** Skips the elements with line numbers; returns whether there were any. */
function skipNumbers(element: ElementNode, isNamed: NameJudge): boolean {
  let isFound = false;
  for (const child of element.children) {
    if (isText(child) || child.skipped) continue;
    if (isNamed(child) && /^\s*\d*\s*$/.test(textOf(child))) {
      child.skipped = true;
      isFound = true;
    } else if (skipNumbers(child, isNamed)) isFound = true;
  }
  return isFound;
}

function blank(tree: Tree, pre: ElementNode): void {
  pre.skipped = true;
  const cell = pre.parent;
  // Without the column of numbers most of these tables are just code.
  if (cell?.tag === 'td' && cell.first === pre.first && cell.end === pre.end) cell.tag = 'div';
  for (const block of tree.blocks.slice(pre.first, pre.end)) block.text = '';
}

/** Writes the text of the blocks of some code again, without what is skipped. */
function rewrite(tree: Tree, pre: ElementNode): void {
  const texts = new Map<number, string[]>();
  gather(pre, texts);
  for (let index = pre.first; index < pre.end; index++) {
    const block = tree.blocks[index];
    if (block !== undefined)
      block.text = (texts.get(index) ?? [])
        .join('')
        .replace(/^[ \t]*\n/, '')
        .trimEnd();
  }
}

function gather(element: ElementNode, texts: Map<number, string[]>): void {
  for (const child of element.children) {
    if (isText(child)) add(texts, child.block, child.text);
    else if (child.tag === 'br') add(texts, child.first, '\n');
    else if (!child.skipped) gather(child, texts);
  }
}

function add(texts: Map<number, string[]>, block: number, text: string): void {
  const list = texts.get(block);
  if (list === undefined) texts.set(block, [text]);
  else list.push(text);
}
