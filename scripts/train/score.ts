import { mean, type Score, scoreShingles, scoreWords, segments } from '../../benchmarks/extraction/metric.ts';
import type { JudgedPage } from './dataset.ts';

/** A table of mean scores by page type, of articles by runs of words, and of the marked passages: F1, precision, recall. */
export function report(pages: JudgedPage[], texts: string[]): string {
  const types = new Map<string, Score[]>();
  const add = (type: string, score: Score): void => {
    types.set(type, [...(types.get(type) ?? []), score]);
  };
  const passages = [0, 0, 0];
  for (const [index, page] of pages.entries()) {
    const text = texts[index] as string;
    if (page.gold === undefined) {
      for (const [place, count] of segments(page.wanted, page.unwanted, text).entries())
        passages[place] = (passages[place] as number) + count;
      continue;
    }
    if (page.set === 'articles') {
      add(page.type === 'news' ? 'news shingles' : 'gathered shingles', scoreArticle(page, page.gold, text));
      continue;
    }
    const score = scoreWords(page.gold, text);
    add('all', score);
    if (page.gold === '') add('no gold text', score);
    else {
      add('with gold text', score);
      add(page.type, score);
      if (page.type === 'article') add('article shingles', scoreShingles(page.gold, text));
    }
  }
  const lines = [...types].map(([type, scores]) => writeLine(type, scores.length, meansOf(scores)));
  const [hits, wrong, missed] = passages as [number, number, number];
  const [precision, recall] = [hits / Math.max(1, hits + wrong), hits / Math.max(1, hits + missed)];
  return [
    ...lines,
    writeLine('passages', hits + missed, { precision, recall, f1: harmonic(precision, recall) }),
  ].join('\n');
}

/** Text that may be left out or not is no error either way. */
function scoreArticle({ optional }: JudgedPage, gold: string, text: string): Score {
  const [plain, generous] = [scoreShingles(gold, text), scoreShingles(`${optional}\n${gold}`, text)];
  return generous.f1 > plain.f1 ? generous : plain;
}

/** The mean F1 of pages and, as the article benchmark counts, the F1 of mean precision and mean recall. */
function meansOf(scores: Score[]): Score & { ofMeans: number } {
  const [precision, recall] = [
    mean(scores.map((score) => score.precision)),
    mean(scores.map((score) => score.recall)),
  ];
  return {
    f1: mean(scores.map((score) => score.f1)),
    precision,
    recall,
    ofMeans: harmonic(precision, recall),
  };
}

const harmonic = (precision: number, recall: number): number =>
  (2 * precision * recall) / Math.max(1e-9, precision + recall);

function writeLine(
  name: string,
  count: number,
  { f1, precision, recall, ofMeans }: Score & { ofMeans?: number },
): string {
  const figures = [f1, precision, recall].map((value) => value.toFixed(4)).join(' ');
  const last = ofMeans === undefined ? '' : `  of means ${ofMeans.toFixed(4)}`;
  return `${name.padEnd(18)} ${String(count).padStart(5)}  ${figures}${last}`;
}
