import { isCommon } from '../rank/background.ts';
import type { Terms } from '../rank/bm25.ts';
import { rarityOf } from '../rank/cover.ts';
import { isStopWord } from '../rank/stop-words.ts';
import type { ResearchSource } from './state.ts';

/** As if each sentence had this many more terms, so that a short one does not count as a whole. */
const TERMS_ADDED = 6;

interface Shared {
  source: ResearchSource;
  terms: string[];
  /** Whether other sites have it word for word, as notices and comments: that says nothing about its words. */
  isCopied: boolean;
}

/** The words and numbers of a sentence that say something beyond the question. */
export const tellingTerms = ([words = []]: Terms, asked: ReadonlySet<string>): string[] =>
  [...new Set(Array.from(words, String))].filter(
    (word) => !asked.has(word) && !isStopWord(word) && (!isCommon(word) || /\d/.test(word)),
  );

/**
 * How much of each sentence other pages about the question have too, 1 for the most: what several of them tell is
 * what there is to know. `pages` says how well each page matches.
 */
export function sharedWith(sentences: Shared[], pages: ReadonlyMap<ResearchSource, number>): number[] {
  const weightOf = (source: ResearchSource): number => pages.get(source) ?? 0;
  const termsIn = new Map<ResearchSource, Set<string>>();
  for (const { source, terms, isCopied } of sentences) {
    if (isCopied) continue;
    const known = termsIn.get(source) ?? new Set();
    termsIn.set(source, known);
    for (const term of terms) known.add(term);
  }
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
      shared += (rarity * others) / (total - own);
    }
    return shared / all;
  });
  const most = shares.reduce((max, share) => Math.max(max, share), 0) || 1;
  return shares.map((share) => share / most);
}
