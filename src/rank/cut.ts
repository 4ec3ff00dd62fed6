/**
 * Where a text may be cut, best places first: behind a sentence or line, behind a word, anywhere but inside a character. Places are offsets
 * at which the next piece begins.
 */
export function cutPlace(text: string, from: number, to: number): number {
  const window = text.slice(Math.max(from, to - WINDOW_CHARS), to);
  const offset = to - window.length;
  const sentence = lastEnd(window, SENTENCE_END);
  // A sentence end that leaves most of the room unused is not worth it.
  if (sentence !== undefined && offset + sentence - from >= (to - from) * USE_MIN) return offset + sentence;
  const word = lastEnd(window, WORD_END);
  if (word !== undefined && offset + word - from >= (to - from) * USE_MIN) return offset + word;
  return characterPlace(text, from, to);
}

/** The last offset up to `to` that is not inside a surrogate pair or before a combining mark; always behind `from`. */
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
const SENTENCE_END = /[.!?…]["'”’)\]]*\s+|[。！？｡][」』）”]*|\n+/g;
const WORD_END = /\s+|[、，；：]/g;
/** What belongs to the character before it: combining marks, variation selectors, joiners. */
const JOINED = /^(?:\p{M}|\u200D|\uFE0F)/u;

function lastEnd(window: string, pattern: RegExp): number | undefined {
  let end: number | undefined;
  for (const found of window.matchAll(pattern)) end = found.index + found[0].length;
  return end;
}

const isHigh = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xd800;
const isLow = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00;
