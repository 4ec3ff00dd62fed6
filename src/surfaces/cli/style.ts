import { styleText } from 'node:util';
import type { SafeText } from '../../core/text.ts';

type Style = Parameters<typeof styleText>[0];

/** Colours for a terminal, plain text for a pipe. A text that is not ours could move the cursor, so it has to be escaped first. */
export const createStyle =
  (isTerminal: boolean) =>
  (style: Style, text: SafeText): SafeText =>
    isTerminal ? (styleText(style, text) as SafeText) : text;
