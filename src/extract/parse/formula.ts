import { readAttribute } from './attributes.ts';
import { writeLinearMath } from './linear-math.ts';
import { attributeOf, type ElementNode, isText, type TreeNode } from './nodes.ts';

/** A formula that is being read. */
export interface Formula {
  /** Its characters, which are not yet in the text of the block. */
  text: string;
  /** The TeX that it was made from, if the page tells. */
  tex: string;
  /** How many elements the page had when it began. */
  elements: number;
  /** Whether a block ended inside. */
  isBroken: boolean;
}

export const beginFormula = (elements: number): Formula => ({ text: '', tex: '', elements, isBroken: false });

/** The characters of a formula in which a block ends; it stays as it is. */
export function breakFormula(formula: Formula): string {
  const { text } = formula;
  formula.text = '';
  formula.isBroken = true;
  return text;
}

/** Pages keep the source of a formula beside it; what else may stand there is for other programs. */
export const isTexSource = ({ tag, attributes }: ElementNode): boolean =>
  tag === 'annotation' && /tex/i.test(readAttribute(attributes, 'encoding') ?? '');

/** MediaWiki puts every formula into such braces. */
const STYLED = /^\{\\(?:display|text|script)style\s([^]*)\}$/;

export const isStyledTex = (text: string): boolean => STYLED.test(text);

/** A remark in TeX goes to the end of its line; programs that write TeX break lines with empty ones. */
const REMARK = /(?<!\\)%(?:[^\n]*\n\s*|\s*\]\]>\s*$)/g;

/** TeX without what stands around it. */
export function cleanTex(text: string): string {
  const trimmed = text.replace(REMARK, '').replace(/\s+/g, ' ').trim();
  return (STYLED.exec(trimmed)?.[1] ?? trimmed).replace(/^\$+|\$+$/g, '').trim();
}

const LINEAR_CHARS_MAX = 5_000;
const LINEAR_ELEMENTS_MAX = 2_000;

/**
 * The text of a formula, where `x²` and `x₂` would both be `x2`: the TeX that the page tells, or its parts written in one line. Undefined where neither can be
 * had: then its characters are its text.
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

/** What a script that draws formulas is given: TeX in a script element of its own. */
export const isTexScript = (attributes: string[]): boolean =>
  readAttribute(attributes, 'type')?.startsWith('math/tex') === true;

/** Whether a node shows the formula that the script element after it holds. */
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

/** The TeX that an element is drawn from, where it tells. */
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

/** Scripts that typeset formulas draw them once for the eye and once for readers; the drawn one is marked so. */
export const isDrawing = ({ tag, attributes }: ElementNode): boolean =>
  readAttribute(attributes, 'aria-hidden') === 'true' &&
  (tag === 'nobr' || /(^|\s)katex-html(\s|$)/.test(readAttribute(attributes, 'class') ?? ''));
