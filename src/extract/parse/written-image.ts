import { readAttribute } from './attributes.ts';
import { isStyledTex } from './formula.ts';

/** An image that stands for text. */
export interface WrittenImage {
  kind: 'formula' | 'emoji';
  text: string;
}

const ALT_CHARS_MAX = 2_000;
const FORMULA_NAMES = /(^|[\s_-])(math|mathjax|tex|latex)([\s_-]|$)/i;
const FORMULA_SOURCES = /\/math\/render\/|latex\.(php|codecogs)|\/latex\/|[?&]cht=tx&/i;
const EMOJI =
  /^(?=.*[\p{Extended_Pictographic}\p{RI}])[\p{Extended_Pictographic}\p{Emoji_Component}]{1,12}$/u;

/**
 * Reads an image that stands for text: a formula (as TeX) or an emoji. Other alternative texts describe a
 * picture and are not part of the sentence.
 */
export function readWrittenImage(attributes: string[]): WrittenImage | undefined {
  const source = readAttribute(attributes, 'src') ?? '';
  const alt = readAttribute(attributes, 'alt')?.trim() || texInAddress(source);
  if (alt === '' || alt.length > ALT_CHARS_MAX) return undefined;
  if (EMOJI.test(alt)) return { kind: 'emoji', text: alt };
  const isFormula =
    isStyledTex(alt) ||
    isTex(alt) ||
    FORMULA_NAMES.test(readAttribute(attributes, 'class') ?? '') ||
    FORMULA_SOURCES.test(source);
  if (!isFormula) return undefined;
  return { kind: 'formula', text: alt };
}

const COMMANDS_MIN = 2;

/** No description of a picture has commands like these. */
const isTex = (text: string): boolean =>
  text.includes('\\') &&
  (/\\[a-z]{2,}\*?\s?\{/i.test(text) || (text.match(/\\[a-z]{2,}/gi)?.length ?? 0) >= COMMANDS_MIN);

const DRAWN_FROM = /(?:latex\.codecogs\.com\/[\w.]+\?|[?&]cht=tx&(?:amp;)?chl=)([^&]+)/i;

/** Services that draw formulas have them in the address. */
function texInAddress(address: string): string {
  const tex = DRAWN_FROM.exec(address.slice(0, ALT_CHARS_MAX))?.[1];
  if (tex === undefined) return '';
  try {
    return decodeURIComponent(tex.replaceAll('+', ' ')).trim();
  } catch {
    return '';
  }
}
