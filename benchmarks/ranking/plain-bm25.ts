import { stem } from '../../src/rank/stem.ts';

/**
 * The yardstick: BM25 over words (Porter; pairs for Japanese and Chinese), k1 1.2, b 0.75. Term weights and the mean length come from the texts that
 * are ranked: all, or those named. Scores are in the order of these.
 */
export function createPlainBm25(texts: string[]) {
  const postings = new Map<string, Map<number, number>>();
  const lengths = texts.map((text, at) => {
    const terms = plainTerms(text);
    for (const term of terms) {
      const posting = postings.get(term) ?? new Map<number, number>();
      postings.set(term, posting.set(at, (posting.get(at) ?? 0) + 1));
    }
    return terms.length;
  });
  const everything = lengths.map((_, at) => at);
  return (query: string, among = everything): Float64Array => {
    const scores = new Float64Array(texts.length);
    const mean = among.reduce((sum, at) => sum + (lengths[at] ?? 0), 0) / among.length || 1;
    for (const term of new Set(plainTerms(query))) {
      const posting = postings.get(term);
      if (posting === undefined) continue;
      const holders =
        among.length === texts.length ? [...posting.keys()] : among.filter((at) => posting.has(at));
      const weight = Math.log(1 + (among.length - holders.length + 0.5) / (holders.length + 0.5));
      for (const at of holders) {
        const count = posting.get(at) ?? 0;
        const norm = 1.2 * (0.25 + (0.75 * (lengths[at] ?? 0)) / mean);
        scores[at] = (scores[at] ?? 0) + (weight * count * 2.2) / (count + norm);
      }
    }
    return Float64Array.from(among, (at) => scores[at] ?? 0);
  };
}

const PAIRED = /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+)/u;

function plainTerms(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return words.flatMap((word) => word.split(PAIRED).filter(Boolean).flatMap(termsOfRun));
}

function termsOfRun(run: string): string[] {
  if (!PAIRED.test(run)) return [stem(run)];
  return run.length === 1 ? [run] : Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2));
}
