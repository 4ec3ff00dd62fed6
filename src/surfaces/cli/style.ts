import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Colours for a terminal, plain text for a pipe. */
export const createStyle =
  (isTerminal: boolean) =>
  (style: Style, text: string): string =>
    isTerminal ? styleText(style, text) : text;
