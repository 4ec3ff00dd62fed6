import type { Block } from './nodes.ts';

/** Stands in a text where a picture was, until the text is whole. No text holds this character: it is taken out of what is read. */
export const GAP = '\u0001';

/** The text of a block as it is read: even spaces, nothing around it, and no hole where a picture was. */
export function cleanBlockText({ text, preformatted }: Block): string {
  if (preformatted) return text.replace(/^[ \t]*\n/, '').trimEnd();
  let clean = text;
  if (clean.includes('  ')) clean = clean.replace(/ {2,}/g, ' ');
  if (clean.includes(GAP)) clean = closeGaps(clean);
  if (clean.includes('\n')) clean = clean.replace(/ ?\n ?/g, '\n');
  return clean.trim();
}

const closeGaps = (text: string): string =>
  text
    .replace(/ ?\( ?\u0001[ \u0001]*\)/g, '')
    .replace(/ ?\u0001[ \u0001]*/g, (gap: string, at: number, whole: string) =>
      gap.includes(' ') && !closesGap(whole.slice(at + gap.length, at + gap.length + 2)) ? ' ' : '',
    );

/** Whether a text begins with a sign that stands close to the word before it. */
export const closesGap = (text: string): boolean => /^\s?[,.;:!?)](?:\s|$)/.test(text);
