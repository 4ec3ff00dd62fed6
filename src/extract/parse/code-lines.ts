import { type ElementNode, isText, type TreeNode } from './nodes.ts';
import { readAttribute } from './attributes.ts';

const LINE_CLASS = /(?:^|\s)(?:(?:[\w-]*code|token|view|cm|highlight|hljs|codemirror)-)?line(?:\s|$)/i;
const BLOCK_STYLE = /(?:^|;)\s*display\s*:\s*(?:block|flex)\s*(?:;|!|$)/i;
const STYLE_CHARS_MAX = 400;

/** Whether the class of an element says that it is a line of code. */
export const namesLine = (attributes: string[]): boolean =>
  LINE_CLASS.test(readAttribute(attributes, 'class') ?? '');

/** Whether an inline element is a line of the code around it. */
export function isCodeLine({ tag, attributes, isBlock }: ElementNode): boolean {
  if (isBlock || attributes.length === 0) return false;
  if (tag !== 'span') return tag === 'div';
  return (
    namesLine(attributes) ||
    BLOCK_STYLE.test((readAttribute(attributes, 'style') ?? '').slice(0, STYLE_CHARS_MAX))
  );
}

/** Whether a line of code ends with a line break. */
export function hasLineEnd(line: ElementNode): boolean {
  let last: TreeNode | undefined = line;
  while (last !== undefined && !isText(last) && last.tag !== 'br') last = last.children.at(-1);
  return last !== undefined && (!isText(last) || last.text.endsWith('\n'));
}

/**
 * Whether the line break after a line is a line of its own. Gatsby removes the one after the lines that it
 * highlights.
 */
export const isEndless = ({ attributes }: ElementNode): boolean =>
  readAttribute(attributes, 'class')?.startsWith('gatsby-') === true;
