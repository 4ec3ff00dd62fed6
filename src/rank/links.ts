import type { Framed } from './frame.ts';

/** Code, or a link or picture with its address; addresses may have a pair of parentheses. */
const LINKS =
  /(`{3,}[^]*?(?:`{3,}|$)|`[^`\n]*`)|!?\[((?:[^[\]\\\n]|\\.){0,500})\]\((?:[^()\s]|\([^()\s]*\)){0,2000}(?: "[^"\n]*")?\)/g;

/** The text as a reader sees it: links and pictures without their addresses. Code is left as it is. */
export const withoutAddresses = (text: string): string =>
  text.includes('](')
    ? text.replace(LINKS, (_all, code?: string, shown?: string) => code ?? shown ?? '')
    : text;

/** A passage as a reader sees it. One that was cut out of code has no links. */
export const seenPassage = <Passage extends Framed>(passage: Passage): Passage =>
  passage.opening?.includes('```') === true || passage.opening?.includes('~~~') === true
    ? passage
    : { ...passage, text: withoutAddresses(passage.text) };
