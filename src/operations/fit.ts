/** The door to the token budget for tools, which know operations and nothing below them. */
export { fitText, type FitOptions, type FittedText } from '../rank/fit.ts';
export { framed } from '../rank/frame.ts';
export { countTokens } from '../rank/tokens.ts';
