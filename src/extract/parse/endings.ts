import { takeFormula } from './formula.ts';
import { addText, type Builder } from './gather-text.ts';
import { type ElementNode, textOf } from './nodes.ts';

const CUT_CHARS_MAX = 10_000;

/** Removes an element that was just read from its block and from the tree. */
export function takeBack({ block }: Builder, element: ElementNode): void {
  // Cutting the end off a long text copies it every time.
  if (block === undefined || block.text.length > CUT_CHARS_MAX) return;
  const text = textOf(element);
  if (!block.text.endsWith(text)) return;
  block.text = block.text.slice(0, -text.length);
  element.skipped = true;
}

/** Adds a finished formula to the text. */
export function endFormula(builder: Builder, math: ElementNode): void {
  const { formula } = builder;
  builder.formula = undefined;
  if (formula === undefined || math.skipped) return;
  const text = takeFormula(math, formula, builder.elements.length);
  if (text !== undefined) addText(builder, text);
  else if (builder.block !== undefined) builder.block.text += formula.text;
}
