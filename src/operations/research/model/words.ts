import { plainWords } from '../../answer/plain-words.ts';
import { speaksToMachines } from '../text/sentences.ts';
import type { ResearchState } from '../state.ts';

/** A model's own words without citations, links and addresses; what is taken out is counted. Orders, which it may have from a page, are no words. */
export function modelWords(text: string, state: ResearchState): string {
  const words = plainWords(text);
  state.removed.citations += words.removed;
  return speaksToMachines(words.text) ? '' : words.text;
}
