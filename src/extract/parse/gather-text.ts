import { cleanBlockText, GAP } from './block-text.ts';
import { hasLineEnd, isEndless } from './code-lines.ts';
import { addChild, commonAncestor, createElement } from './elements.ts';
import { breakFormula, type Formula, isTexSource } from './formula.ts';
import { type Block, type ElementNode, noteRemoved, type Tree } from './nodes.ts';
import { revealEmail } from './protected-email.ts';
import { isMissingSpace } from './missing-spaces.ts';

/** The state of the tree builder. */
export interface Builder extends Tree {
  stack: ElementNode[];
  /**
   * The number of open elements below the depth limit. They are not built; their text goes to the deepest
   * element.
   */
  overflow: number;
  block: Block | undefined;
  /** The text that was added last, and its element. */
  lastText: string;
  lastElement: ElementNode | undefined;
  breaks: number;
  linkDepth: number;
  preDepth: number;
  /** The number of open inline notes. */
  notes: number;
  pendingImages: number;
  /** The indentation of the current line of code. */
  indent: string;
  /** Whether the end of an element has just ended a line of code; the page may repeat the line break. */
  isLineEnded: boolean;
  formula: Formula | undefined;
  readHidden(attributes: string[]): string;
}

export const top = (builder: Builder): ElementNode => builder.stack[builder.stack.length - 1] as ElementNode;

/** Closes the parenthesis around a ruby annotation or an inline note, without starting a block. */
export function closeParenthesis(builder: Builder, element: ElementNode, sign: string): void {
  if (builder.block !== undefined) builder.block.text += sign;
  addChild(element, { tag: '#text', text: sign, block: builder.blocks.length });
}

/** Ends a line of code at the end of its element, unless the element ends with a line break. */
export function endCodeLine(builder: Builder, line: ElementNode): void {
  if (builder.block === undefined || hasLineEnd(line)) return;
  builder.isLineEnded = false;
  addBreak(builder);
  builder.isLineEnded = !isEndless(line);
}

/** Adds a line break. Two in a row end the paragraph. */
export function addBreak(builder: Builder): void {
  const parent = top(builder);
  if (parent.skipped) return;
  if (builder.isLineEnded) {
    builder.isLineEnded = false;
    return;
  }
  builder.breaks += 1;
  const block = builder.block;
  if (block === undefined) return;
  if (builder.breaks >= 2 && builder.preDepth === 0) return breakParagraph(builder);
  block.text += '\n';
  addChild(parent, createBreak(builder, parent, 'br'));
}

/** Starts a new paragraph. */
export function breakParagraph(builder: Builder): void {
  const parent = top(builder);
  if (builder.block !== undefined) markFrames(parent, builder.block);
  flushBlock(builder);
  addChild(parent, createBreak(builder, parent, '#paragraph'));
}

/** Old pages put all paragraphs into one `font` element, which then contains blocks. */
function markFrames(parent: ElementNode, { element }: Block): void {
  for (
    let frame: ElementNode | undefined = parent;
    frame !== undefined &&
    frame.tag === 'font' &&
    !frame.holdsBlocks &&
    commonAncestor(frame, element) === frame;
    frame = frame.parent
  )
    frame.holdsBlocks = true;
}

function createBreak(builder: Builder, parent: ElementNode, tag: string): ElementNode {
  const element = createElement(tag, [], parent, 0);
  element.first = builder.blocks.length;
  element.end = element.first;
  return element;
}

/** Characters without width, of which builders of pages make empty paragraphs and links. */
const UNSEEN = /^\s*[\u00AD\u200B-\u200D\u2060-\u2064\uFEFF][\s\u00AD\u200B-\u200D\u2060-\u2064\uFEFF]*$/;
const UNSEEN_CHARS_MAX = 8;
const FIRST_UNSEEN = 0xad;
const OPENING_BRACKET = 91;

/** Short texts are the common case, and only their ends matter. */
const isUnseen = (text: string): boolean =>
  (text.charCodeAt(0) >= FIRST_UNSEEN || text.charCodeAt(text.length - 1) >= FIRST_UNSEEN) &&
  UNSEEN.test(text);

/** Space that is more than single blanks. */
const UNEVEN = /[^\S ]| {2}/;

/** The outermost hidden element around one. */
function hiddenTop(start: ElementNode): ElementNode {
  let top = start;
  while (top.parent !== undefined && top.parent.hidden !== '') top = top.parent;
  return top;
}

/** Adds text to the block that is open, or opens one. */
export function addText(builder: Builder, raw: string): void {
  const parent = top(builder);
  if (parent.skipped) {
    if (parent.hidden !== '') {
      builder.hiddenChars += raw.trim().length;
      noteRemoved(builder.hidden, parent.hidden, raw.slice(0, 1_000), hiddenTop(parent));
    }
    if (builder.formula !== undefined && isTexSource(parent)) builder.formula.tex += raw;
    return;
  }
  if (builder.isLineEnded) return addBehindLine(builder, raw);
  const isPre = builder.preDepth > 0;
  // Most text between tags is only space.
  if (builder.block === undefined && raw.trim() === '') {
    if (isPre) builder.indent = raw.slice(raw.lastIndexOf('\n') + 1);
    return;
  }
  if (raw.length <= UNSEEN_CHARS_MAX && isUnseen(raw)) return;
  const revealed = raw.charCodeAt(0) === OPENING_BRACKET ? revealEmail(raw, parent.attributes) : raw;
  const placed =
    parent.tag === 'sup' || parent.tag === 'sub' ? place(builder, parent.tag, revealed) : revealed;
  const shown = builder.block === undefined && isPre ? builder.indent + placed : placed;
  const even = isPre || !UNEVEN.test(shown) ? shown : shown.replace(/\s+/g, ' ');
  const text = !isPre && isApart(builder, even, parent) ? ` ${even}` : even;
  const isBlank = text === ' ' || text === '' || (isPre && text.trim() === '');
  if (isBlank && builder.breaks > 0 && !isPre) return;
  if (!isBlank) builder.breaks = 0;
  builder.block ??= startBlock(builder, parent, isPre);
  builder.lastText = text;
  builder.lastElement = parent;
  const block = builder.block;
  if (block.element !== parent && !isBlank) block.element = commonAncestor(block.element, parent);
  if (builder.formula === undefined) block.text += text;
  else builder.formula.text += text;
  if (builder.linkDepth > 0) block.linkChars += text.length;
  addChild(parent, { tag: '#text', text, block: builder.blocks.length });
}

/** Text behind a line of code that is ended: the end that the page has for it is left out. */
function addBehindLine(builder: Builder, raw: string): void {
  builder.isLineEnded = false;
  const rest = raw.replace(/^[ \t]*\r?\n/, '');
  if (rest !== '') addText(builder, rest);
}

/** Raised and lowered text, but not that of code, and not the number of a link, which is the mark of a note. */
function place({ block, preDepth, linkDepth }: Builder, tag: 'sup' | 'sub', text: string): string {
  if (preDepth > 0 || linkDepth > 0) return text;
  return tag === 'sup' ? writeSuperscript(text) : writeSubscript(text, block?.text.slice(-1) ?? '');
}

/** Whether a text needs a space before it that the page leaves to its style. */
const isApart = (
  { block, formula, lastText, lastElement }: Builder,
  text: string,
  element: ElementNode,
): boolean =>
  block !== undefined &&
  formula === undefined &&
  lastElement !== undefined &&
  isMissingSpace(lastText, text, lastElement, element);

function startBlock(builder: Builder, element: ElementNode, preformatted: boolean): Block {
  const block = { text: '', element, linkChars: 0, links: 0, images: builder.pendingImages, preformatted };
  builder.pendingImages = 0;
  return block;
}

/** Ends the block that is open. */
export function flushBlock(builder: Builder): void {
  builder.breaks = 0;
  builder.indent = '';
  builder.isLineEnded = false;
  const block = builder.block;
  if (block === undefined) return;
  builder.block = undefined;
  builder.lastElement = undefined;
  if (builder.formula !== undefined) block.text += breakFormula(builder.formula);
  block.text = cleanBlockText(block);
  builder.blocks.push(block);
}

/** Counts an image for the block that is open, or for the next one. */
export function countImage(builder: Builder): void {
  const { block } = builder;
  if (block === undefined) builder.pendingImages += 1;
  else {
    block.images += 1;
    if (!block.preformatted) block.text += GAP;
  }
}

const mapOf = (plain: string, placed: string): Map<string, string> => {
  const signs = [...placed];
  return new Map([...plain].map((sign, index) => [sign, signs[index] as string]));
};
const SUPERSCRIPT = mapOf('0123456789+-−bcdfghijklmnprstuvwxyz', '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ᵇᶜᵈᶠᵍʰⁱʲᵏˡᵐⁿᵖʳˢᵗᵘᵛʷˣʸᶻ');
const SUBSCRIPT = mapOf('0123456789ijkmnptx', '₀₁₂₃₄₅₆₇₈₉ᵢⱼₖₘₙₚₜₓ');

/** Numbers, lists of them, charges, and powers with a letter. Others are mostly endings: 1st, XIXe, Mme. */
const HIGH = /^(?:[+−-]?\d{1,4}(?:[,–] ?\d{1,4})*|\d{0,2}[+−-]|\d?[b-df-np-z](?:[+−-]\d{1,3})?)$/;
/** No superscript characters exist for these. */
const BROKEN = /^[+−-]?\d{1,4}[./]\d{1,4}$/;
const LOW = /^[ijkmnptx]$/;

/** Writes superscript text with Unicode characters, because 10⁶ is not 106. */
function writeSuperscript(text: string): string {
  const body = text.trim();
  if (BROKEN.test(body)) return `^(${body})`;
  return HIGH.test(body) ? body.replace(/./g, (sign) => SUPERSCRIPT.get(sign) ?? sign) : text;
}

/**
 * Writes subscript text with Unicode characters, such as xᵢ. Only where plain digits would be ambiguous: CO2
 * stays as it is.
 */
function writeSubscript(text: string, before: string): string {
  const isNumber = /^\d{1,3}$/.test(text) && /[\d/⁄]$/.test(before);
  return isNumber || LOW.test(text) ? text.replace(/./g, (sign) => SUBSCRIPT.get(sign) ?? sign) : text;
}
