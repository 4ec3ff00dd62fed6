import { wordsWithoutMarkup } from '../../evidence/plain-words.ts';
import { speaksToMachines } from '../../evidence/sentences.ts';
import type { ResearchState } from '../state.ts';

/**
 * Drops citations, links and addresses from a model's text, and imperative sentences that it may have copied
 * from a page (prompt injection). Removals are counted.
 */
export function modelWords(text: string, state: ResearchState): string {
  const words = wordsWithoutMarkup(text);
  state.removed.citations += words.removed;
  return speaksToMachines(words.text) ? '' : words.text;
}
