import { LIMITS } from '../../core/limits.ts';
import { type ElementNode, isText, type Tree, shortText, type TreeNode, textOf } from './nodes.ts';
import { readAttribute } from './attributes.ts';
import { drawsCell, endCell, endRating, nameDrawing } from './cell-pictures.ts';
import { isCodeLine, namesLine } from './code-lines.ts';
import { addChild, createElement } from './elements.ts';
import { beginFormula, isDrawing, isTexScript, isTypeset, readTex, takeFormula } from './formula.ts';
import {
  addBreak,
  addText,
  breakParagraph,
  type Builder,
  closeParenthesis,
  countImage,
  endCodeLine,
  flushBlock,
  top,
} from './gather-text.ts';
import { createHiddenReader, FOLDED } from './hidden.ts';
import { createHead, readHeadTag } from './head.ts';
import { beginsNote, closeNote, isInlineNote, isNoteNumber, isNoteToggle, openNote } from './inline-notes.ts';
import { revealLink } from './protected-email.ts';
import { unhide } from './unhide.ts';
import { scanHtml } from './scan.ts';
import { placeStreamed } from './streamed.ts';
import { readWrittenImage } from './written-image.ts';
import { CELL_TAGS, IMPLIED_END, ROW_HOLDERS, TABLE_TAGS, TAG, tagFlags } from './tags.ts';

/**
 * Parses HTML into a light tree with text blocks, in one pass. Depth and number of elements are bounded, but
 * no text is lost.
 */
export function buildTree(html: string): Tree {
  const root = createElement('#root', [], undefined, 0);
  const builder: Builder = {
    root,
    blocks: [],
    head: createHead(),
    elements: [],
    hiddenChars: 0,
    hidden: [],
    sheets: [],
    stack: [root],
    overflow: 0,
    block: undefined,
    lastText: '',
    lastElement: undefined,
    breaks: 0,
    linkDepth: 0,
    preDepth: 0,
    notes: 0,
    pendingImages: 0,
    indent: '',
    isLineEnded: false,
    formula: undefined,
    readHidden: createHiddenReader(),
  };
  const readsAlso: string[] = [];
  scanHtml(placeStreamed(html), {
    readsAlso,
    open: (name, attributes, selfClosing) => openElement(builder, name, attributes, selfClosing),
    close: (name) => closeElement(builder, name),
    text: (text) => addText(builder, text),
    raw: (name, content) => {
      const { attributes, parent } = top(builder);
      if (name === 'title' && parent?.tag === 'svg') nameDrawing(parent, content);
      if (name === 'xmp') writeSample(builder, attributes, content);
      else if (name === 'script' && isTexScript(attributes)) writeTexScript(builder, content);
      else if (name === 'style') keepSheet(builder, attributes, content, readsAlso);
      else readHeadTag(builder.head, name, attributes, content);
    },
  });
  popTo(builder, 0);
  root.end = builder.blocks.length;
  unhide(builder);
  return builder;
}

const SHEETS_MAX = 500;
const NAMES_MAX = 50;

/** Keeps a style sheet, unless it is for browsers without scripts, and has the attributes read that it names. */
function keepSheet({ sheets, stack }: Builder, attributes: string[], text: string, names: string[]): void {
  const isApart = stack.some(({ tag }) => tag === 'noscript' || tag === 'template');
  if (isApart || sheets.length >= SHEETS_MAX) return;
  sheets.push({ media: readAttribute(attributes, 'media') ?? '', text });
  for (const [, name = ''] of text.matchAll(/\[((?:data|aria)-[\w-]{1,40})/g))
    if (names.length < NAMES_MAX && !names.includes(name)) names.push(name);
}

function openElement(builder: Builder, name: string, attributes: string[], selfClosing: boolean): void {
  // The template of a shadow root is visible; others are not.
  const isShadow = name === 'template' && readAttribute(attributes, 'shadowrootmode') !== undefined;
  const isLine = name === 'div' && builder.preDepth > 0 && namesLine(attributes);
  const flags = isShadow ? TAG.block : isLine ? 0 : tagFlags(name);
  const isVoid = (flags & TAG.void) !== 0;
  if (isVoid ? name === 'meta' || name === 'link' || name === 'base' : name === 'html')
    readHeadTag(builder.head, name, attributes, '');
  if (name === 'br') return addBreak(builder);
  if ((name === 'body' || name === 'html') && builder.stack.some((element) => element.tag === name)) return;
  if (name === 'body') popTo(builder, Math.max(1, indexOf(builder, 'head')));
  if ((flags & ENDING) !== 0) endImplied(builder, name, flags);
  if ((flags & TAG.block) !== 0) flushBlock(builder);
  if (name === 'input') return writeCheckbox(builder, attributes);
  if (isVoid && name !== 'img' && name !== 'hr') return;
  if (name === 'img' && writeImage(builder, attributes)) return;
  if (isFull(builder)) {
    if (!isVoid && !selfClosing) builder.overflow += 1;
    return;
  }
  const parent = top(builder);
  if (name === 'a') revealLink(attributes);
  else if (builder.preDepth === 0 && standsApart(name, attributes)) addText(builder, ' ');
  const isFormula = writeTexAttribute(builder, name, attributes);
  const element = createElement(name, attributes, parent, flags);
  element.skipped ||= isFormula;
  element.first = builder.blocks.length;
  element.end = element.first;
  if (builder.notes > 0 ? isNoteNumber(name, attributes, parent) : isNoteToggle(name, attributes))
    element.skipped = true;
  if (!element.skipped) enterTree(builder, element, parent);
  else if (name === 'svg' && drawsCell(builder, parent)) addChild(parent, element);
  if (name === 'img') countImage(builder);
  if (isVoid || (selfClosing && (element.skipped || builder.formula !== undefined))) return;
  builder.stack.push(element);
  if (name === 'a') builder.linkDepth += 1;
  else if (name === 'pre') builder.preDepth += 1;
  // The reading of a ruby character stands in parentheses after it.
  else if (name === 'rt') addText(builder, '(');
  else if (isInlineNote(name, attributes) && !element.skipped && builder.preDepth === 0) openNote(builder);
  else if (name === 'math') builder.formula = beginFormula(builder.elements.length);
}

const isFull = ({ stack, elements }: Builder): boolean =>
  stack.length >= LIMITS.extractDepthMax || elements.length >= LIMITS.extractElementsMax;

/** Buttons and tabs have room around them, whatever their source looks like. */
const standsApart = (name: string, attributes: string[]): boolean =>
  name === 'button' || (name === 'span' && readAttribute(attributes, 'role') === 'tab');

/** A box that nobody can tick tells whether something is done. */
function writeCheckbox(builder: Builder, attributes: string[]): void {
  const isState =
    readAttribute(attributes, 'type') === 'checkbox' && readAttribute(attributes, 'disabled') !== undefined;
  if (isState) addText(builder, readAttribute(attributes, 'checked') === undefined ? '☐ ' : '☑ ');
}

/** Formulas and emoji are text, also where a page draws them; true when the image was one. */
function writeImage(builder: Builder, attributes: string[]): boolean {
  const written = readWrittenImage(attributes);
  if (written === undefined || builder.readHidden(attributes) !== '') return false;
  if (written.kind === 'emoji') addText(builder, written.text);
  else writeFormula(builder, written.text);
  return true;
}

function writeFormula(builder: Builder, tex: string): void {
  openElement(builder, 'math', ['alttext', tex], false);
  closeElement(builder, 'math');
}

/** A formula that an element only draws is written in its place; true when it did. */
function writeTexAttribute(builder: Builder, name: string, attributes: string[]): boolean {
  const tex = attributes.length === 0 || builder.preDepth > 0 ? undefined : readTex(name, attributes);
  if (tex === undefined || builder.readHidden(attributes) !== '') return false;
  writeFormula(builder, tex);
  return true;
}

/** TeX for a script that draws it is written in its place, unless what was drawn already stands before it. */
function writeTexScript(builder: Builder, tex: string): void {
  const script = builder.stack.pop() as ElementNode;
  const drawn = top(builder).children.findLast((node) => !isText(node) || node.text.trim() !== '');
  const isDisplay = (readAttribute(script.attributes, 'type') ?? '').includes('display');
  if (isDisplay) breakParagraph(builder);
  if (!isTypeset(drawn)) writeFormula(builder, tex);
  if (isDisplay) breakParagraph(builder);
  builder.stack.push(script);
}

/** `xmp` shows its source as it is: in code it is that code, elsewhere a piece of its own. */
function writeSample(builder: Builder, attributes: string[], source: string): void {
  const isApart = builder.preDepth === 0;
  if (isApart) openElement(builder, 'pre', attributes, false);
  // It begins a line, whatever stands before it.
  builder.indent = '';
  addText(builder, source);
  if (isApart) closeElement(builder, 'pre');
}

const ENDING = TAG.endsParagraph | TAG.impliesEnd | TAG.heading;

/** Hangs an element below its parent, unless it turns out to be hidden inside a line. */
function enterTree(builder: Builder, element: ElementNode, parent: ElementNode): void {
  if (element.isBlock) markHolders(parent);
  const { attributes } = element;
  if (attributes.length > 0) {
    // MathJax clips what it writes for those who do not see its drawing.
    if (element.hidden === '' && element.tag !== 'mjx-assistive-mml')
      hide(element, builder.readHidden(attributes));
    if (isDrawing(element)) element.skipped = true;
  }
  if (element.skipped) return;
  addChild(parent, element);
  element.order = builder.elements.length;
  builder.elements.push(element);
}

/** A hidden block is kept apart and judged later; hidden words inside a visible sentence are left out at once. */
function hide(element: ElementNode, reason: string): void {
  if (reason === FOLDED) {
    element.folded = true;
    return;
  }
  element.hidden = reason;
  if (element.hidden !== '' && !element.isBlock) element.skipped = true;
}

function markHolders(parent: ElementNode): void {
  for (
    let holder: ElementNode | undefined = parent;
    holder !== undefined && !holder.isBlock && !holder.holdsBlocks;
    holder = holder.parent
  )
    holder.holdsBlocks = true;
}

function endImplied(builder: Builder, name: string, flags: number): void {
  if ((flags & TAG.endsParagraph) !== 0) endParagraph(builder);
  if ((flags & TAG.heading) !== 0 && (tagFlags(top(builder).tag) & TAG.heading) !== 0)
    popTo(builder, builder.stack.length - 1);
  const rule = (flags & TAG.impliesEnd) === 0 ? undefined : IMPLIED_END.get(name);
  if (rule === undefined) return;
  let lowest = -1;
  for (let index = builder.stack.length - 1; index > 0; index--) {
    const tag = (builder.stack[index] as ElementNode).tag;
    if (rule.within.has(tag)) break;
    if (rule.closes.has(tag)) lowest = index;
    if (lowest > 0 && (name === 'li' || name === 'a' || name === 'dt' || name === 'dd')) break;
  }
  if (lowest > 0) popTo(builder, lowest);
  // Cells without a row make one.
  const isLoose = (name === 'td' || name === 'th') && ROW_HOLDERS.has(top(builder).tag);
  if (isLoose && !isFull(builder)) openElement(builder, 'tr', [], false);
}

/** An open paragraph ends when only inline elements stand between it and the new block. */
function endParagraph(builder: Builder): void {
  for (let index = builder.stack.length - 1; index > 0; index--) {
    const element = builder.stack[index] as ElementNode;
    if (element.tag === 'p') return popTo(builder, index);
    if (element.isBlock) return;
  }
}

function closeElement(builder: Builder, name: string): void {
  if (name === 'br') return addBreak(builder);
  if (builder.overflow > 0) {
    builder.overflow -= 1;
    if ((tagFlags(name) & TAG.block) !== 0) flushBlock(builder);
    return;
  }
  const isInline = (tagFlags(name) & TAG.block) === 0 && name !== 'a';
  for (let index = builder.stack.length - 1; index > 0; index--) {
    const element = builder.stack[index] as ElementNode;
    if (element.tag === name) return popTo(builder, index);
    // A stray end tag must not tear down the structure around it.
    if (isInline && element.isBlock) return;
    if (CELL_TAGS.has(element.tag) && !TABLE_TAGS.has(name)) return;
  }
  if (name === 'p') flushBlock(builder);
}

function indexOf(builder: Builder, tag: string): number {
  for (let index = builder.stack.length - 1; index > 0; index--)
    if ((builder.stack[index] as ElementNode).tag === tag) return index;
  return -1;
}

function popTo(builder: Builder, length: number): void {
  while (builder.stack.length > Math.max(1, length)) {
    const { tag } = top(builder);
    if (tag === 'math') endFormula(builder, top(builder));
    else if (tag === 'td' || tag === 'th') endCell(builder, top(builder));
    else endRating(builder, top(builder));
    const element = builder.stack.pop() as ElementNode;
    if (element.tag === 'rt' && !element.skipped) closeParenthesis(builder, element, ')');
    else if (builder.notes > 0 && beginsNote(element)) closeNote(builder, element);
    if (element.isBlock) flushBlock(builder);
    element.end = builder.blocks.length + (builder.block === undefined ? 0 : 1);
    if (isAriaDuplicate(element)) takeBack(builder, element);
    else if (builder.preDepth > 0 && isCodeLine(element) && !element.skipped) endCodeLine(builder, element);
    if (element.tag === 'a') builder.linkDepth -= 1;
    if (element.tag === 'pre') builder.preDepth -= 1;
  }
  if (length === 0) flushBlock(builder);
}

/**
 * Whether an `aria-hidden` span visually repeats the screen-reader text just before it. Shops print prices
 * this way.
 */
function isAriaDuplicate(element: ElementNode): boolean {
  if (element.tag !== 'span' || readAttribute(element.attributes, 'aria-hidden') !== 'true') return false;
  const siblings = element.parent?.children ?? [];
  const before = siblings.at(-2);
  const spoken = before !== undefined && isBlank(before) ? siblings.at(-3) : before;
  if (spoken === undefined || isText(spoken)) return false;
  const said = compact(spoken);
  return said !== '' && said === compact(element);
}

const isBlank = (node: TreeNode): boolean => isText(node) && node.text.trim() === '';

const compact = (element: ElementNode): string => shortText(element).replaceAll(' ', '');

const CUT_CHARS_MAX = 10_000;

/** Removes an element that was just read from its block and from the tree. */
function takeBack({ block }: Builder, element: ElementNode): void {
  // Cutting the end off a long text copies it every time.
  if (block === undefined || block.text.length > CUT_CHARS_MAX) return;
  const text = textOf(element);
  if (!block.text.endsWith(text)) return;
  block.text = block.text.slice(0, -text.length);
  element.skipped = true;
}

/** Adds a finished formula to the text. */
function endFormula(builder: Builder, math: ElementNode): void {
  const { formula } = builder;
  builder.formula = undefined;
  if (formula === undefined || math.skipped) return;
  const text = takeFormula(math, formula, builder.elements.length);
  if (text !== undefined) addText(builder, text);
  else if (builder.block !== undefined) builder.block.text += formula.text;
}
