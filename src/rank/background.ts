import { openTable, readWords } from '../core/table-text.ts';
import stored from './background.json' with { type: 'json' };
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

interface Background {
  /** The words of each step, and then the pairs of characters: those of step `i` have a share of 2^(-i / steps per octave). */
  words: string[][];
  characters: string[][];
}

let read: Background | undefined;
let known: Map<string, number> | undefined;
let knownGrams: Map<number, number> | undefined;

function background(): Background {
  if (read !== undefined) return read;
  const table = openTable(stored.packed);
  const steps = (words: string): string[][] => {
    const lists: string[][] = [];
    const terms = readWords(words);
    for (const [index, step] of table.bytes(terms.length, 1).entries())
      (lists[step] ??= []).push(terms[index] as string);
    return Array.from(lists, (list) => list ?? []);
  };
  read = { words: steps(stored.words), characters: steps(stored.characters) };
  return read;
}

function shares(): Map<string, number> {
  if (known !== undefined) return known;
  known = new Map();
  for (const list of [background().words, background().characters]) {
    for (const [step, terms] of list.entries()) {
      for (const term of terms) known.set(term, 2 ** (-step / STEPS_PER_OCTAVE));
    }
  }
  return known;
}

function gramShares(): Map<number, number> {
  if (knownGrams !== undefined) return knownGrams;
  knownGrams = new Map();
  for (const [step, terms] of background().words.entries()) {
    const share = 2 ** (-step / STEPS_PER_OCTAVE);
    for (const term of terms) addGrams(knownGrams, term, share);
  }
  return knownGrams;
}

function addGrams(shares: Map<number, number>, term: string, share: number): void {
  for (const gram of grams(term)) {
    const before = shares.get(gram) ?? 0;
    shares.set(gram, before + share * (1 - before));
  }
}
