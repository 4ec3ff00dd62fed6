import type { Terms } from '../rank/bm25.ts';
import { rarityOf } from '../rank/cover.ts';
import { isStopWord } from '../rank/stop-words.ts';
import type { ResearchSource } from './state.ts';

/** As if each sentence had terms of this much more weight, so that a short one does not count as a whole. */
const TERMS_ADDED = 15;

interface Shared {
  source: ResearchSource;
  terms: string[];
  /** Whether other sites have it word for word, as notices and comments: that says nothing about its words. */
  isCopied: boolean;
}

/** The words and numbers of a sentence that say something beyond the question. The first words are those of its heading. */
export const tellingTerms = (
  [words = []]: Terms,
  headingWords: number,
  asked: ReadonlySet<string>,
): string[] =>
  [...new Set(Array.from(words, String).slice(headingWords))].filter(
    (word) => !asked.has(word) && !isStopWord(word),
  );

/** The telling terms of each source, without what other sites have word for word. */
export function termsBySource(sentences: Shared[]): Map<ResearchSource, Set<string>> {
  const termsIn = new Map<ResearchSource, Set<string>>();
  for (const { source, terms, isCopied } of sentences) {
    if (isCopied) continue;
    const known = termsIn.get(source) ?? new Set();
    termsIn.set(source, known);
    for (const term of terms) known.add(term);
  }
  return termsIn;
}

/**
 * How much of each sentence other pages about the question have too, 1 for the most: what several of them tell is
 * what there is to know. The root lets a word that one other page has count, too. `pages` says how well each page matches.
 */
export function sharedWith(
  sentences: Shared[],
  termsIn: ReadonlyMap<ResearchSource, Set<string>>,
  pages: ReadonlyMap<ResearchSource, number>,
): number[] {
  const weightOf = (source: ResearchSource): number => pages.get(source) ?? 0;
  const weights = new Map<string, number>();
  let total = 0;
  for (const [source, terms] of termsIn) {
    const weight = weightOf(source);
    total += weight;
    for (const term of terms) weights.set(term, (weights.get(term) ?? 0) + weight);
  }
  const shares = sentences.map(({ source, terms }) => {
    const own = weightOf(source);
    const known = termsIn.get(source);
    if (total <= own) return 0;
    let shared = 0;
    let all = TERMS_ADDED;
    for (const term of terms) {
      const rarity = rarityOf(term);
      all += rarity;
      const others = (weights.get(term) ?? 0) - (known?.has(term) === true ? own : 0);
      shared += rarity * Math.sqrt(others / (total - own));
    }
    return shared / all;
  });
  const most = shares.reduce((max, share) => Math.max(max, share), 0) || 1;
  return shares.map((share) => share / most);
}
