/** The words of a text as the published benchmarks count them. */
const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}_]+/gu) ?? [];

function countAll(items: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

export interface Score {
  precision: number;
  recall: number;
  f1: number;
}

/** How well one bag finds another. */
export function scoreBags(gold: string[], found: string[]): Score {
  if (gold.length === 0 || found.length === 0) {
    const f1 = gold.length === found.length ? 1 : 0;
    return { precision: f1, recall: f1, f1 };
  }
  const counts = countAll(gold);
  let hits = 0;
  for (const item of found) {
    const left = counts.get(item) ?? 0;
    if (left > 0) hits += 1;
    counts.set(item, left - 1);
  }
  return {
    precision: hits / found.length,
    recall: hits / gold.length,
    f1: (2 * hits) / (gold.length + found.length),
  };
}

/** The measure of WCXB. */
export const scoreWords = (gold: string, text: string): Score =>
  scoreBags(wordsOf(gold.toLowerCase()), wordsOf(text.toLowerCase()));

/** The measure of the article benchmark: runs of four words. */
export function scoreShingles(gold: string, text: string): Score {
  const shingles = (words: string[]): string[] =>
    Array.from({ length: Math.max(1, words.length - 3) }, (_, index) =>
      words.slice(index, index + 4).join(' '),
    );
  return scoreBags(shingles(wordsOf(gold)), shingles(wordsOf(text)));
}

/** Marked passages found: true positives, false positives, misses. */
export function segments(wanted: string[], unwanted: string[], text: string): [number, number, number] {
  const plain = (part: string): string => part.replace(/\s+/g, ' ').trim();
  const whole = plain(text);
  const hits = wanted.filter((part) => whole.includes(plain(part))).length;
  return [hits, unwanted.filter((part) => whole.includes(plain(part))).length, wanted.length - hits];
}

export const mean = (values: number[]): number =>
  values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0) / values.length;
