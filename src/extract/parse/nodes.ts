import { readAttribute } from './attributes.ts';
import type { Names } from './class-groups.ts';
import type { PageHead } from './head.ts';
import type { StyleText } from './style-sheet.ts';

export interface TextNode {
  tag: '#text';
  text: string;
  block: number;
}

export interface ElementNode {
  tag: string;
  attributes: string[];
  parent: ElementNode | undefined;
  children: TreeNode[];
  depth: number;
  /** Its index in `Tree.elements`; -1 for the root and for skipped elements. */
  order: number;
  /** Text blocks of this subtree are `first` to `end` (exclusive). */
  first: number;
  end: number;
  /** The words of its class and id. */
  classNames: Names | undefined;
  idNames: Names | undefined;
  /** Bits of the class groups found in class, id, itemprop and role. */
  groups: number;
  /** Why readers cannot see its text, inherited; empty if they can. */
  hidden: string;
  /** Whether readers have to open it first, such as a tab or an answer in a FAQ. Inherited. */
  folded: boolean;
  skipped: boolean;
  isBlock: boolean;
  /** An inline element around block-level ones, such as a link around a card. */
  holdsBlocks: boolean;
}

export type TreeNode = TextNode | ElementNode;

/** A run of text that no block-level element interrupts. */
export interface Block {
  text: string;
  /** The lowest element that contains the whole block; may be inline. */
  element: ElementNode;
  linkChars: number;
  links: number;
  images: number;
  preformatted: boolean;
}

/** The beginning of a text that was left out because readers cannot see it. */
export interface RemovedText {
  /** What hides it, such as `display:none`. */
  why: string;
  excerpt: string;
  element?: ElementNode;
}

const [REMOVED_MAX, EXCERPT_CHARS] = [20, 200];

/** Adds a text to a list of those that were left out; parts of one element are joined. */
export function noteRemoved(list: RemovedText[], why: string, text: string, element?: ElementNode): void {
  const part = text.replace(/\s+/g, ' ').trim();
  const last = list.at(-1);
  if (part === '') return;
  if (element !== undefined && last?.element === element)
    last.excerpt = `${last.excerpt} ${part}`.slice(0, EXCERPT_CHARS);
  else if (list.length < REMOVED_MAX)
    list.push({ why, excerpt: part.slice(0, EXCERPT_CHARS), ...(element === undefined ? {} : { element }) });
}

export interface Tree {
  root: ElementNode;
  blocks: Block[];
  head: PageHead;
  elements: ElementNode[];
  /** The number of characters in hidden inline elements, which are in no block. */
  hiddenChars: number;
  /** The same texts, the first of them. */
  hidden: RemovedText[];
  sheets: StyleText[];
}

export const isText = (node: TreeNode): node is TextNode => node.tag === '#text';

export const attributeOf = (element: ElementNode, name: string): string | undefined =>
  readAttribute(element.attributes, name);

/** All text below an element. */
export function textOf(element: ElementNode): string {
  return element.children.map((child) => (isText(child) ? child.text : textOf(child))).join('');
}

/** Leaves an element and all in it out of what is written. */
export function skip(element: ElementNode): void {
  element.skipped = true;
  for (const child of element.children) if (!isText(child)) skip(child);
}

const NODES_MAX = 20;
const TEXT_CHARS_MAX = 80;

/**
 * The text of a small element, or an empty string for a large one. Bounded, because hostile pages nest
 * deeply.
 */
export function shortText(element: ElementNode): string {
  const waiting: TreeNode[] = [element];
  let text = '';
  let nodes = 0;
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    nodes += 1;
    if (nodes > NODES_MAX || (!isText(node) && node.children.length > NODES_MAX)) return '';
    if (isText(node)) text += node.text;
    else waiting.push(...node.children.toReversed());
  }
  return text.length > TEXT_CHARS_MAX ? '' : text.replace(/\s+/g, ' ').trim();
}
