import table from './background.json' with { type: 'json' };
import { grams } from './grams.ts';

/**
 * How common a term is in ordinary web text: the share of passages that contain it, 0 when it is rare. The
 * candidates of one search were already filtered by a search engine, so their own frequencies say little
 * about which words matter.
 */
export const backgroundShare = (term: string): number => shares().get(term) ?? 0;

/** The same for a gram of four characters, derived from the words that contain it. */
export const gramShare = (gram: number): number => gramShares().get(gram) ?? 0;

/** True for words that are in every other text (`how`, `what`, `the`). */
export const isCommon = (term: string): boolean => backgroundShare(term) > COMMON_SHARE_MIN;

const COMMON_SHARE_MIN = 0.05;
const STEPS_PER_OCTAVE = 2;

let known: Map<string, number> | undefined;
let knownGrams: Map<number, number> | undefined;

function shares(): Map<string, number> {
  if (known !== undefined) return known;
  known = new Map();
  for (const list of [table.words, table.characters]) {
    for (const [step, terms] of list.entries()) {
      for (const term of terms.split(' ')) known.set(term, 2 ** (-step / STEPS_PER_OCTAVE));
    }
  }
  return known;
}

function gramShares(): Map<number, number> {
  if (knownGrams !== undefined) return knownGrams;
  knownGrams = new Map();
  for (const [step, terms] of table.words.entries()) {
    const share = 2 ** (-step / STEPS_PER_OCTAVE);
    for (const term of terms.split(' ')) addGrams(knownGrams, term, share);
  }
  return knownGrams;
}

function addGrams(shares: Map<number, number>, term: string, share: number): void {
  for (const gram of grams(term)) {
    const before = shares.get(gram) ?? 0;
    shares.set(gram, before + share * (1 - before));
  }
}
