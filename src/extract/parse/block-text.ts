import type { Block } from './nodes.ts';

/** Placeholder for an image while the text of a block is built. Input never contains this character. */
export const GAP = '\u0001';

/** Placeholders around an inline note while the text of a block is built. */
export const NOTE_BEGIN = '\u0002';
export const NOTE_END = '\u0003';

/** Puts inline notes in parentheses and removes empty ones. */
export const writeNotes = (text: string): string =>
  text.includes(NOTE_BEGIN)
    ? text
        .replace(/ ?\u0002([^\u0002\u0003]*)\u0003(?=([\p{L}\p{N}])?)/gu, (_, note: string, after?: string) =>
          note.trim() === '' ? '' : ` (${note.trim()})${after === undefined ? '' : ' '}`,
        )
        .replace(/[\u0002\u0003]/g, '')
    : text;

/** Cleans the text of a block: collapses white space and closes the gaps that images leave. */
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

/** Whether two texts need a space between them once the image between them is gone. */
export const touches = (before: string, after: string): boolean =>
  /[\p{L}\p{N}.,;:!?)]$/u.test(before) && /^[\p{L}\p{N}]/u.test(after) && !SPACELESS.test(before + after);

const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Whether a text begins with punctuation that follows a word without a space. */
export const closesGap = (text: string): boolean => /^\s?[,.;:!?)](?:\s|$)/.test(text);
