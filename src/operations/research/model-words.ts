import { plainWords } from '../plain-words.ts';
import type { ResearchState } from './state.ts';

/** A model's own words without citations, links and addresses; what is taken out is counted. */
export function modelWords(text: string, state: ResearchState): string {
  const words = plainWords(text);
  state.removed.citations += words.removed;
  return words.text;
}
