/** The words of a text as the published benchmarks count them. */
const tokenize = (text: string): string[] => text.match(/[\p{L}\p{N}_]+/gu) ?? [];

function countAll(items: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

/** F1 of two bags. */
export function bagF1(gold: string[], found: string[]): number {
  if (gold.length === 0 || found.length === 0) return gold.length === found.length ? 1 : 0;
  const counts = countAll(gold);
  let hits = 0;
  for (const item of found) {
    const left = counts.get(item) ?? 0;
    if (left > 0) hits += 1;
    counts.set(item, left - 1);
  }
  return (2 * hits) / (gold.length + found.length);
}

/** Word F1 of WCXB. */
export const wordF1 = (gold: string, text: string): number =>
  bagF1(tokenize(gold.toLowerCase()), tokenize(text.toLowerCase()));

/** F1 over runs of four words, the measure of the article benchmark. */
export function shingleF1(gold: string, text: string): number {
  const shingles = (words: string[]): string[] =>
    Array.from({ length: Math.max(1, words.length - 3) }, (_, index) =>
      words.slice(index, index + 4).join(' '),
    );
  return bagF1(shingles(tokenize(gold)), shingles(tokenize(text)));
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
