import { attributeOf, type ElementNode, isText, type TreeNode } from './nodes.ts';
import { readAttribute } from './attributes.ts';
import { writeLinearMath } from './linear-math.ts';

/** A formula that is being parsed. */
export interface Formula {
  /** Its text, which is not yet in the block. */
  text: string;
  /** Its TeX source, if the page has it. */
  tex: string;
  /** How many elements the page had when it began. */
  elements: number;
  /** Whether a block ended inside. */
  isBroken: boolean;
}

export const beginFormula = (elements: number): Formula => ({ text: '', tex: '', elements, isBroken: false });

/** Ends a formula that a block boundary interrupts, and returns its text. */
export function breakFormula(formula: Formula): string {
  const { text } = formula;
  formula.text = '';
  formula.isBroken = true;
  return text;
}

/** Whether an annotation is the TeX source of a formula. */
export const isTexSource = ({ tag, attributes }: ElementNode): boolean =>
  tag === 'annotation' && /tex/i.test(readAttribute(attributes, 'encoding') ?? '');

/** The wrapper that MediaWiki puts around every formula. */
const STYLED = /^\{\\(?:display|text|script)style\s([^]*)\}$/;

export const isStyledTex = (text: string): boolean => STYLED.test(text);

/** Comments in TeX end with the line. Generators use empty ones to break lines. */
const REMARK = /(?<!\\)%(?:[^\n]*\n\s*|\s*\]\]>\s*$)/g;

/** Normalises TeX: removes comments, delimiters and style wrappers. */
export function cleanTex(text: string): string {
  const trimmed = text.replace(REMARK, '').replace(/\s+/g, ' ').trim();
  return (STYLED.exec(trimmed)?.[1] ?? trimmed).replace(/^\$+|\$+$/g, '').trim();
}

const LINEAR_CHARS_MAX = 5_000;
const LINEAR_ELEMENTS_MAX = 2_000;

/**
 * The text of a formula: its TeX source, or a linear form such as `x^2`. Undefined if there is neither; then
 * its characters are used.
 */
export function takeFormula(math: ElementNode, formula: Formula, elements: number): string | undefined {
  if (formula.isBroken) return undefined;
  const tex = cleanTex(attributeOf(math, 'alttext') ?? formula.tex);
  const isLong = formula.text.length > LINEAR_CHARS_MAX || elements - formula.elements > LINEAR_ELEMENTS_MAX;
  if (tex === '' && isLong) return undefined;
  const text = tex === '' ? writeLinearMath(math) : `$${tex}$`;
  if (text === '') return undefined;
  math.attributes = tex === '' ? [] : ['alttext', tex];
  math.children = [];
  return text;
}

/** Whether a script element holds TeX for MathJax. */
export const isTexScript = (attributes: string[]): boolean =>
  readAttribute(attributes, 'type')?.startsWith('math/tex') === true;

/** Whether a node is the rendered form of the formula in the script after it. */
export const isTypeset = (node: TreeNode | undefined): boolean =>
  node !== undefined && !isText(node) && /mathjax/i.test(attributeOf(node, 'class') ?? '') && hasText(node);

const NODES_MAX = 50;

/** Whether an element shows anything; of a large one that is taken for granted, because many scripts may follow it. */
function hasText(element: ElementNode): boolean {
  const waiting: TreeNode[] = [element];
  for (const node of waiting) {
    if (isText(node) ? node.text.trim() !== '' : waiting.length > NODES_MAX) return true;
    if (!isText(node)) waiting.push(...node.children.slice(0, NODES_MAX));
  }
  return false;
}

const TEX_ATTRIBUTES = new Set(['data-tex', 'data-latex', 'data-math']);
const FORMULA_CLASS = /math|tex|formula|equation/i;

/** The TeX source in the attributes of an element. */
export function readTex(tag: string, attributes: string[]): string | undefined {
  if (tag !== 'span' && tag !== 'div') return undefined;
  for (let index = 0; index < attributes.length; index += 2) {
    if (!TEX_ATTRIBUTES.has(attributes[index] as string)) continue;
    const isNamed = FORMULA_CLASS.test(readAttribute(attributes, 'class') ?? '');
    const tex = attributes[index + 1] as string;
    return isNamed && tex.trim() !== '' && tex !== 'true' ? tex : undefined;
  }
  return undefined;
}

/** Whether an element is the visual copy of a formula, which KaTeX and MathJax mark as `aria-hidden`. */
export const isDrawing = ({ tag, attributes }: ElementNode): boolean =>
  readAttribute(attributes, 'aria-hidden') === 'true' &&
  (tag === 'nobr' || /(^|\s)katex-html(\s|$)/.test(readAttribute(attributes, 'class') ?? ''));
