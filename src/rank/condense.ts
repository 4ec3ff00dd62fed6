/** Words that carry little: they go first when a query must become shorter. */
const COMMON = new Set(
  'a an and are as at be been but by can could did do does for from had has have how i if in into is it its just may me might my of on or our please should so some tell than that the their them then there these they this to us was we were what when where which who why will with would you your about also any find give know like need want'.split(
    ' ',
  ),
);

/**
 * Shortens a query to a provider's limit, the same way every time: quoted phrases, names, numbers and rare words stay, in
 * their order; common words go first, then the least telling of the rest.
 */
export function condenseQuery(
  text: string,
  limits: { charsMax: number; wordsMax?: number },
): { text: string; condensed: boolean } {
  const whole = text.trim();
  const wordsMax = limits.wordsMax ?? Number.POSITIVE_INFINITY;
  if (whole.length <= limits.charsMax && countWords(whole) <= wordsMax)
    return { text: whole, condensed: false };

  const parts = [...whole.matchAll(/"[^"]+"|\S+/g)].map((match, index) => ({
    text: match[0],
    index,
    weight: weigh(match[0]),
  }));
  const seen = new Set<string>();
  const unique = parts.filter(
    ({ text: part }) => !seen.has(part.toLowerCase()) && seen.add(part.toLowerCase()),
  );
  const kept: typeof parts = [];
  let chars = -1;
  let words = 0;
  for (const part of [...unique].sort((a, b) => b.weight - a.weight || a.index - b.index)) {
    const more = countWords(part.text);
    if (chars + 1 + part.text.length > limits.charsMax || words + more > wordsMax) continue;
    kept.push(part);
    chars += 1 + part.text.length;
    words += more;
  }
  // One endless word, as in languages without spaces, can only be cut.
  if (kept.length === 0) return { text: cut(whole, limits.charsMax), condensed: true };
  return {
    text: kept
      .sort((a, b) => a.index - b.index)
      .map((part) => part.text)
      .join(' '),
    condensed: true,
  };
}

function weigh(part: string): number {
  if (part.startsWith('"')) return 4;
  const word = part.replace(/^\W+|\W+$/gu, '');
  if (/\d/.test(word)) return 3;
  if (/^\p{Lu}/u.test(word) && !COMMON.has(word.toLowerCase())) return 3;
  if (COMMON.has(word.toLowerCase())) return 0;
  return 1 + Math.min(word.length, 12) / 12;
}

function cut(text: string, max: number): string {
  const end = /[\uD800-\uDBFF]$/.test(text.slice(0, max)) ? max - 1 : max;
  return text.slice(0, end);
}

const countWords = (text: string): number => text.split(/\s+/).length;
