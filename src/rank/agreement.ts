import { backgroundShare } from './background.ts';
import { BACKGROUND_PASSAGES, inverseFrequency } from './bm25.ts';

/** How many of the best passages are compared; the rest keep their scores and stay below. */
const COMPARED = 30;
/** Pseudo-relevance feedback: the top passages act as references, weighted by their score. */
const SPEAKERS = 5;
const SPEAKER_POWER = 8;
/** The share of the best score that a passage gains when it is identical to the references. */
const GAIN = 0.8;

/**
 * Pseudo-relevance feedback: raises the scores of the best passages by how similar their words are to those
 * of the top ones. What good passages have in common is what was meant, even in words that the query lacks. A
 * first passage that stands out is the only reference, so that it stays first.
 */
export function addAgreement(scores: Float64Array, wordsOf: (at: number) => string[]): void {
  const best = Array.from(scores.keys())
    .filter((at) => (scores[at] ?? 0) > 0)
    .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
    .slice(0, COMPARED);
  const highest = scores[best[0] ?? 0] ?? 0;
  const passages = directionsOf(best.map((at) => wordsOf(at)));
  const spoken = new Map<string, number>();
  let speakers = 0;
  for (const [place, at] of best.slice(0, SPEAKERS).entries()) {
    const say = ((scores[at] ?? 0) / highest) ** SPEAKER_POWER;
    speakers += say;
    for (const [word, part] of passages[place] ?? []) spoken.set(word, (spoken.get(word) ?? 0) + say * part);
  }
  for (const [place, at] of best.entries()) {
    let shared = 0;
    for (const [word, part] of passages[place] ?? []) shared += part * (spoken.get(word) ?? 0);
    scores[at] = (scores[at] ?? 0) + (GAIN * highest * shared) / speakers;
  }
}

/** Each text as a unit vector of its words, rare words weighing more. */
function directionsOf(texts: string[][]): Map<string, number>[] {
  const counts = texts.map(countWords);
  const found = countWords(counts.flatMap((counted) => [...counted.keys()]));
  const total = texts.length + BACKGROUND_PASSAGES;
  return counts.map((counted) => {
    let squares = 0;
    for (const [word, count] of counted) {
      const everywhere = (found.get(word) ?? 0) + BACKGROUND_PASSAGES * backgroundShare(word);
      const weight = (1 + Math.log(count)) * inverseFrequency(everywhere, total);
      counted.set(word, weight);
      squares += weight * weight;
    }
    const length = Math.sqrt(squares) || 1;
    for (const [word, weight] of counted) counted.set(word, weight / length);
    return counted;
  });
}

function countWords(words: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
