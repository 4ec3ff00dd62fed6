import type { TrainingPage } from './dataset.ts';

export interface PageScore {
  precision: number;
  recall: number;
  f1: number;
}

/** Word F1 of the kept blocks against the gold text, as WCXB counts it. */
export function scoreWords(page: TrainingPage, keep: Uint8Array): PageScore {
  const left = new Map<number, number>();
  for (const word of page.gold) left.set(word, (left.get(word) ?? 0) + 1);
  let [hits, size] = [0, 0];
  for (const [index, tokens] of page.tokens.entries()) {
    if (keep[index] !== 1) continue;
    size += tokens.length;
    for (const word of tokens) {
      const count = left.get(word) ?? 0;
      if (count > 0) {
        hits += 1;
        left.set(word, count - 1);
      }
    }
  }
  return toScore(hits, size, page.gold.length);
}

/** F1 over runs of four words, as the article benchmark counts it. */
export function scoreShingles(page: TrainingPage, keep: Uint8Array): PageScore {
  const kept: number[] = [];
  for (const [index, tokens] of page.tokens.entries()) if (keep[index] === 1) kept.push(...tokens);
  const gold = shingles([...page.gold]);
  const found = shingles(kept);
  let hits = 0;
  let [size, goldSize] = [0, 0];
  for (const [key, count] of found) {
    size += count;
    hits += Math.min(count, gold.get(key) ?? 0);
  }
  for (const count of gold.values()) goldSize += count;
  return toScore(hits, size, goldSize);
}

function shingles(words: number[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (let index = 0; index < Math.max(1, words.length - 3); index++) {
    const key = words.slice(index, index + 4).join(' ');
    if (key !== '') counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function toScore(hits: number, size: number, goldSize: number): PageScore {
  if (size === 0 || goldSize === 0) return { precision: 0, recall: 0, f1: size === goldSize ? 1 : 0 };
  const [precision, recall] = [hits / size, hits / goldSize];
  return { precision, recall, f1: hits === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}

/** True positives, false positives and misses of marked passages. */
export function scoreSegments(page: TrainingPage, keep: Uint8Array): [number, number, number] {
  const text = plain(page.texts.filter((_, index) => keep[index] === 1).join('\n'));
  const found = page.wanted.filter((segment) => text.includes(plain(segment))).length;
  const wrong = page.unwanted.filter((segment) => text.includes(plain(segment))).length;
  return [found, wrong, page.wanted.length - found];
}

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** A table of mean scores by page type, and the passages' F1. */
export function report(pages: TrainingPage[], choose: (page: TrainingPage) => Uint8Array): string {
  const types = new Map<string, PageScore[]>();
  const articles: PageScore[] = [];
  const segments = [0, 0, 0];
  for (const page of pages) {
    const keep = choose(page);
    if (page.gold.length === 0) {
      for (const [place, value] of scoreSegments(page, keep).entries())
        segments[place] = (segments[place] ?? 0) + value;
      continue;
    }
    const score = scoreWords(page, keep);
    for (const type of [page.type, 'all']) types.set(type, [...(types.get(type) ?? []), score]);
    if (page.type === 'article') articles.push(scoreShingles(page, keep));
  }
  const lines = [...types].map(
    ([type, scores]) => `${type.padEnd(14)} ${String(scores.length).padStart(5)}  ${means(scores)}`,
  );
  const [tp, fp, fn] = segments as [number, number, number];
  const [precision, recall] = [tp / Math.max(1, tp + fp), tp / Math.max(1, tp + fn)];
  lines.push(`article shingles       ${means(articles)}`);
  if (tp > 0)
    lines.push(
      `segments               ${fixed((2 * precision * recall) / (precision + recall))} ${fixed(precision)} ${fixed(recall)}`,
    );
  return lines.join('\n');
}

const fixed = (value: number): string => value.toFixed(4);

function means(scores: PageScore[]): string {
  const mean = (field: keyof PageScore): number =>
    scores.reduce((sum, score) => sum + score[field], 0) / scores.length;
  return `${fixed(mean('f1'))} ${fixed(mean('precision'))} ${fixed(mean('recall'))}`;
}
