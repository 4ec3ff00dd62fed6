/**
 * Where a text may be cut, best places first: behind a sentence or line, behind a word, anywhere but inside a character. Places are offsets
 * at which the next piece begins.
 */
export function cutPlace(text: string, from: number, to: number): number {
  const least = from + (to - from) * USE_MIN;
  const begin = Math.max(from, to - WINDOW_CHARS);
  const window = text.slice(begin, to);
  // A sentence end that leaves most of the room unused is not worth it.
  const sentence = lastEnd(window, SENTENCE_END, (start, end) =>
    isSentenceEnd(text, begin + start, begin + end),
  );
  const word = sentence !== undefined && begin + sentence >= least ? sentence : lastEnd(window, WORD_END);
  if (word === undefined || begin + word < least) return characterPlace(text, from, to);
  const link = linkAround(text, begin + word);
  return link !== undefined && link >= least ? link : begin + word;
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
const SENTENCE_END = /[.!?…]["'”’)\]]*(?:\[\^[^\]\s]{1,12}\])*\s+|[。！？｡][」』）”]*|\n+/g;
const WORD_END = /\s+|[、，；：]/g;
/** What belongs to the character before it: combining marks, variation selectors, joiners. */
const JOINED = /^(?:\p{M}|\u200D|\uFE0F)/u;

function lastEnd(
  window: string,
  pattern: RegExp,
  accepts: (start: number, end: number) => boolean = () => true,
): number | undefined {
  const ends = Array.from(window.matchAll(pattern), ({ index, 0: { length } }) => ({
    index,
    end: index + length,
  }));
  return ends.findLast(({ index, end }) => accepts(index, end))?.end;
}

/** Whether a full stop ends a sentence: not behind an abbreviation or an ordinal number, and not before a small letter. */
function isSentenceEnd(text: string, start: number, end: number): boolean {
  if (text[start] !== '.') return true;
  if (/^\p{Ll}/u.test(text.slice(end, end + 2))) return false;
  return !ABBREVIATION.test(text.slice(Math.max(0, start - 12), start + 1));
}

const ABBREVIATION =
  /(?:^|[\s(„“"'])(?:\d{1,2}|\p{L}|\p{L}\.\s?\p{L}|abb|approx|bzw|ca|cf|dr|etc|fig|inkl|mr|mrs|ms|no|nr|prof|st|vgl|vs)\.$/iu;

/** Where the link begins in whose words a place is; `[two words](address)` is not cut between the two. */
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
