import { readAttribute } from './attributes.ts';
import { isStyledTex } from './formula.ts';

/** An image that stands for characters. */
export interface WrittenImage {
  kind: 'formula' | 'emoji';
  text: string;
}

const ALT_CHARS_MAX = 2_000;
const FORMULA_NAMES = /(^|[\s_-])(math|mathjax|tex|latex)([\s_-]|$)/i;
const FORMULA_SOURCES = /\/math\/render\/|latex\.(php|codecogs)|\/latex\//i;
const EMOJI =
  /^(?=.*[\p{Extended_Pictographic}\p{RI}])[\p{Extended_Pictographic}\p{Emoji_Component}]{1,12}$/u;

/**
 * What an image says where a text could have been: a formula in TeX, or an emoji. Without it a sentence about a formula would have a hole. Other descriptions tell
 * what is to be seen, and are no part of the sentence around them.
 */
export function readWrittenImage(attributes: string[]): WrittenImage | undefined {
  const alt = readAttribute(attributes, 'alt')?.trim() ?? '';
  if (alt === '' || alt.length > ALT_CHARS_MAX) return undefined;
  if (EMOJI.test(alt)) return { kind: 'emoji', text: alt };
  const isFormula =
    isStyledTex(alt) ||
    FORMULA_NAMES.test(readAttribute(attributes, 'class') ?? '') ||
    FORMULA_SOURCES.test(readAttribute(attributes, 'src') ?? '');
  if (!isFormula) return undefined;
  return { kind: 'formula', text: alt };
}
