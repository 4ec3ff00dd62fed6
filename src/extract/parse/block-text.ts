import type { Block } from './nodes.ts';

/** Stands in a text where a picture was, until the text is whole. No text holds this character: it is taken out of what is read. */
export const GAP = '\u0001';

/** Stand around a note inside a sentence, until the text is whole. */
export const NOTE_BEGIN = '\u0002';
export const NOTE_END = '\u0003';

/** Puts notes inside a sentence in parentheses, and leaves out those that say nothing. */
export const writeNotes = (text: string): string =>
  text.includes(NOTE_BEGIN)
    ? text
        .replace(/ ?\u0002([^\u0002\u0003]*)\u0003(?=([\p{L}\p{N}])?)/gu, (_, note: string, after?: string) =>
          note.trim() === '' ? '' : ` (${note.trim()})${after === undefined ? '' : ' '}`,
        )
        .replace(/[\u0002\u0003]/g, '')
    : text;

/** The text of a block as it is read: even spaces, nothing around it, and no hole where a picture was. */
export function cleanBlockText({ text, preformatted }: Block): string {
  if (preformatted) return text.replace(/^[ \t]*\n/, '').trimEnd();
  let clean = text;
  clean = writeNotes(clean);
  if (clean.includes('  ')) clean = clean.replace(/ {2,}/g, ' ');
  if (clean.includes(GAP)) clean = closeGaps(clean);
  if (clean.includes('\n')) clean = clean.replace(/ ?\n ?/g, '\n');
  return clean.trim();
}

const closeGaps = (text: string): string =>
  text
    .replace(/ ?\( ?\u0001[ \u0001]*\)/g, '')
    .replace(/ ?\u0001[ \u0001]*/g, (gap: string, at: number, whole: string) => {
      const after = whole.slice(at + gap.length, at + gap.length + 2);
      if (closesGap(after)) return '';
      return gap.includes(' ') || touches(whole.slice(at - 1, at), after) ? ' ' : '';
    });

/** Whether two texts with a picture between them would run into each other without it. */
export const touches = (before: string, after: string): boolean =>
  /[\p{L}\p{N}.,;:!?)]$/u.test(before) && /^[\p{L}\p{N}]/u.test(after) && !SPACELESS.test(before + after);

const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Whether a text begins with a sign that stands close to the word before it. */
export const closesGap = (text: string): boolean => /^\s?[,.;:!?)](?:\s|$)/.test(text);
