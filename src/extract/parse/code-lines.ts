import { readAttribute } from './attributes.ts';
import { type ElementNode, isText, type TreeNode } from './nodes.ts';

const LINE_CLASS = /(?:^|\s)(?:(?:[\w-]*code|token|view|cm|highlight|hljs|codemirror)-)?line(?:\s|$)/i;
const BLOCK_STYLE = /(?:^|;)\s*display\s*:\s*(?:block|flex)\s*(?:;|!|$)/i;
const STYLE_CHARS_MAX = 400;

/** Whether a class tells that an element of code is a line of it: a style of the page ends it then. */
export const namesLine = (attributes: string[]): boolean =>
  LINE_CLASS.test(readAttribute(attributes, 'class') ?? '');

/** Whether an element that is inline for us is a line of the code that it stands in. */
export function isCodeLine({ tag, attributes, isBlock }: ElementNode): boolean {
  if (isBlock || attributes.length === 0) return false;
  if (tag !== 'span') return tag === 'div';
  return (
    namesLine(attributes) ||
    BLOCK_STYLE.test((readAttribute(attributes, 'style') ?? '').slice(0, STYLE_CHARS_MAX))
  );
}

/** Whether the last thing in a line of code is its end. */
export function hasLineEnd(line: ElementNode): boolean {
  let last: TreeNode | undefined = line;
  while (last !== undefined && !isText(last) && last.tag !== 'br') last = last.children.at(-1);
  return last !== undefined && (!isText(last) || last.text.endsWith('\n'));
}

/** Gatsby takes the end away behind the lines that it marks: one that is there belongs to the next line, which is empty. */
export const isEndless = ({ attributes }: ElementNode): boolean =>
  readAttribute(attributes, 'class')?.startsWith('gatsby-') === true;
