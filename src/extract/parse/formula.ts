import { readAttribute } from './attributes.ts';
import { attributeOf, type Block, type ElementNode } from './nodes.ts';

/** A formula that is being read: where it began in the text of its block, and the TeX that it was made from, if the page tells. */
export interface Formula {
  block: Block | undefined;
  start: number;
  tex: string;
}

export const beginFormula = (block: Block | undefined): Formula => ({
  block,
  start: block?.text.length ?? 0,
  tex: '',
});

/** Pages keep the source of a formula beside it; what else may stand there is for other programs. */
export const isTexSource = ({ tag, attributes }: ElementNode): boolean =>
  tag === 'annotation' && /tex/i.test(readAttribute(attributes, 'encoding') ?? '');

/** MediaWiki puts every formula into such braces. */
const STYLED = /^\{\\(?:display|text|script)style\s([^]*)\}$/;

export const isStyledTex = (text: string): boolean => STYLED.test(text);

/** TeX without what stands around it. */
export function cleanTex(text: string): string {
  const trimmed = text.replace(/\s+/g, ' ').trim();
  return (STYLED.exec(trimmed)?.[1] ?? trimmed).replace(/^\$+|\$+$/g, '').trim();
}

/**
 * Gives a formula its TeX and takes its characters from the block's text again, where `x²` and `x₂` would both be `x2`. Undefined when the page tells no
 * TeX: then the characters stay.
 */
export function takeTex(math: ElementNode, begun: Formula, block: Block | undefined): string | undefined {
  const tex = cleanTex(attributeOf(math, 'alttext') ?? begun.tex);
  if (tex === '' || (begun.block !== undefined && begun.block !== block)) return undefined;
  if (block !== undefined) block.text = block.text.slice(0, begun.start);
  math.attributes = ['alttext', tex];
  math.children = [];
  return tex;
}

/** Scripts that typeset formulas draw them once for the eye and once for readers; the drawn one is marked so. */
export const isDrawing = ({ tag, attributes }: ElementNode): boolean =>
  readAttribute(attributes, 'aria-hidden') === 'true' &&
  (tag === 'nobr' || /(^|\s)katex-html(\s|$)/.test(readAttribute(attributes, 'class') ?? ''));
