/**
 * Tells whether a range of text can produce one of the wanted terms. Most words are rejected without being
 * extracted.
 */
export type TermFilter = (text: string, start: number, end: number) => boolean;

const KEYS = 4_096;

/**
 * Filters by the first two letters, which stemming never changes. Words that may be split (identifiers),
 * normalised (`v1`, `1,000`) or folded (beyond ASCII) always pass.
 */
export function createTermFilter(terms: Iterable<string>): TermFilter {
  const pairs = new Uint8Array(KEYS);
  const firsts = new Uint8Array(128);
  for (const marked of terms) {
    const term = marked.startsWith('~') ? marked.slice(1) : marked;
    const first = term.charCodeAt(0);
    if (term.length > 1) pairs[keyOf(first, term.charCodeAt(1))] = 1;
    else if (first < 128) firsts[first] = 1;
  }
  return (text, start, end) => {
    const first = lower(text.charCodeAt(start));
    const second = lower(text.charCodeAt(start + 1));
    if (first > 127 || second > 127 || first < 0x3a || firsts[first] === 1) return true;
    if (end - start > 1 && pairs[keyOf(first, second)] === 1) return true;
    return hasParts(text, start + 1, end);
  };
}

const lower = (code: number): number => (code >= 0x41 && code <= 0x5a ? code + 0x20 : code);

const keyOf = (first: number, second: number): number => (first * 61 + second) % KEYS;

/** True for an underscore, a capital or a digit inside a word, or a letter that folding may change. */
function hasParts(text: string, from: number, end: number): boolean {
  for (let at = from; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x60 || code > 0x7a) return true;
  }
  return false;
}
