import { styleText } from 'node:util';
import type { SafeText } from '../core/text.ts';

type Style = Parameters<typeof styleText>[0];

/** Colours for a terminal, plain text for a pipe. Untrusted text must be escaped before it is styled. */
export const createStyle =
  (isTerminal: boolean) =>
  (style: Style, text: SafeText): SafeText =>
    isTerminal ? (styleText(style, text) as SafeText) : text;
