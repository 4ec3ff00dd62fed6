import { stem } from '../../src/rank/stem.ts';

/** The yardstick: BM25 over words (Porter; pairs for Japanese and Chinese) with the pool's own term weights, k1 1.2, b 0.75. */
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
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length || 1;
  return (query: string): Float64Array => {
    const scores = new Float64Array(texts.length);
    for (const term of new Set(plainTerms(query))) {
      const posting = postings.get(term);
      if (posting === undefined) continue;
      const weight = Math.log(1 + (texts.length - posting.size + 0.5) / (posting.size + 0.5));
      for (const [at, count] of posting) {
        const norm = 1.2 * (0.25 + (0.75 * (lengths[at] ?? 0)) / mean);
        scores[at] = (scores[at] ?? 0) + (weight * count * 2.2) / (count + norm);
      }
    }
    return scores;
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
