import type { Segment } from '../segment/segment.ts';
import type { WeightedTerm } from './score.ts';

const PREFIX_CHARS_MIN = 3;
const PREFIX_WEIGHT = 0.5;
const TYPO_WEIGHT = 0.4;
const GUESSES_MAX = 3;

/** Words of titles and names of packages, by their first letter. */
export type FieldNames = Map<string, { name: string; letters: number }[]>;

export function collectNames(segments: Segment[]): FieldNames {
  const names: FieldNames = new Map();
  for (const name of new Set(segments.flatMap(({ index }) => index.names()))) {
    const first = name[0] ?? '';
    const list = names.get(first);
    const entry = { name, letters: lettersOf(name) };
    if (list === undefined) names.set(first, [entry]);
    else list.push(entry);
  }
  return names;
}

/**
 * Suggests words of titles and names of packages for a term that no document has: completions, or words
 * within one or two edits. The first letter is assumed to be right, as it nearly always is.
 */
export function guessNames(term: string, libraries: FieldNames[]): WeightedTerm[] {
  if (term.length < PREFIX_CHARS_MIN || !/^[a-z0-9]+$/.test(term)) return [];
  const slipsMax = term.length >= 8 ? 2 : term.length >= 4 ? 1 : 0;
  const guesses = new Map<string, { name: string; weight: number; rank: number }>();
  const letters = lettersOf(term);
  for (const names of libraries) {
    for (const { name, letters: others } of names.get(term[0] ?? '') ?? []) {
      if (name.startsWith(term)) guesses.set(name, { name, weight: PREFIX_WEIGHT, rank: 10 + name.length });
      else if (
        Math.abs(name.length - term.length) <= slipsMax &&
        // An edit changes at most two letters of the set, so nearly all names are rejected by their letters.
        bitsOf(letters ^ others) <= slipsMax * 2 &&
        slips(term, name, slipsMax) <= slipsMax
      ) {
        guesses.set(name, { name, weight: TYPO_WEIGHT, rank: 0 });
      }
    }
  }
  return [...guesses.values()]
    .sort((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : 1))
    .slice(0, GUESSES_MAX)
    .map(({ name, weight }) => ({ term: name, weight }));
}

/** The set of letters of a word as bits; other characters share the remaining bits. */
function lettersOf(word: string): number {
  let bits = 0;
  for (let at = 0; at < word.length; at += 1) bits |= 1 << (word.charCodeAt(at) % 32);
  return bits;
}

function bitsOf(value: number): number {
  let count = 0;
  for (let rest = value; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** The edit distance with transpositions; counting stops above `max`. */
export function slips(a: string, b: string, max: number): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      next.push(cost);
    }
    if (Math.min(...next) > max) return max + 1;
    before = row;
    row = next;
  }
  return row[b.length] ?? max + 1;
}
