import { sentenceEnds } from '../core/sentences.ts';

/**
 * Finds the best offset at which to cut a text: after a sentence or line, after a word, or anywhere but
 * inside a character. The next piece begins at that offset.
 */
export function cutPlace(text: string, from: number, to: number): number {
  const least = from + (to - from) * USE_MIN;
  const begin = Math.max(from, to - WINDOW_CHARS);
  const window = text.slice(begin, to);
  // A sentence end that leaves most of the room unused is not worth it.
  const sentence = Math.max(begin + (lastEnd(window, LINE_END) ?? 0), lastSentenceEnd(text, begin, to));
  const place = sentence > begin && sentence >= least ? sentence : begin + (lastEnd(window, WORD_END) ?? 0);
  if (place === begin || place < least) return characterPlace(text, from, to);
  const link = linkAround(text, place);
  return link !== undefined && link >= least ? link : place;
}

/**
 * The last offset up to `to` that is not inside a surrogate pair or before a combining mark; always after
 * `from`.
 */
export function characterPlace(text: string, from: number, to: number): number {
  if (to >= text.length) return text.length;
  let place = to;
  while (place > from + 1 && to - place < MARKS_MAX && JOINED.test(text.slice(place, place + 2))) place -= 1;
  if (isLow(text, place) && isHigh(text, place - 1)) place -= 1;
  if (place > from) return place;
  return isLow(text, from + 1) && isHigh(text, from) ? from + 2 : from + 1;
}

const WINDOW_CHARS = 2_000;
const USE_MIN = 0.5;
const MARKS_MAX = 16;
/** How many characters after the window are read, to see what follows a full stop. */
const LOOK_CHARS = 40;
const LINE_END = /\n+/g;
const WORD_END = /\s+|[、，；：]/g;
/** Characters that belong to the one before them: combining marks, variation selectors, joiners. */
const JOINED = /^(?:\p{M}|\u200D|\uFE0F)/u;

function lastEnd(window: string, pattern: RegExp): number | undefined {
  const last = Array.from(window.matchAll(pattern)).at(-1);
  return last === undefined ? undefined : last.index + last[0].length;
}

/** The start of the next sentence after the last one that ends before `to`. */
function lastSentenceEnd(text: string, from: number, to: number): number {
  let last = from;
  for (const end of sentenceEnds(text, from, Math.min(text.length, to + LOOK_CHARS))) {
    let next = end;
    while (next < to && /\s/.test(text[next] ?? '')) next += 1;
    // White space after a sentence belongs to it.
    if (end > to || /\s/.test(text[next] ?? '')) break;
    last = next;
  }
  return last;
}

/**
 * The start of the link whose text contains an offset; `[two words](address)` is not cut between the words.
 */
function linkAround(text: string, place: number): number | undefined {
  const before = text.slice(Math.max(0, place - LINK_WORDS_MAX), place);
  const open = before.lastIndexOf('[');
  if (open === -1 || before.includes(']', open)) return undefined;
  return /^[^[\]\n]*\]\(/.test(text.slice(place, place + LINK_WORDS_MAX))
    ? place - before.length + open
    : undefined;
}

const LINK_WORDS_MAX = 300;

const isHigh = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xd800;
const isLow = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00;
