import { clip, oneLine } from '../../core/text.ts';
import type { ResearchState } from './state.ts';

const CHARS_MAX = 600;
/** Citations that a model writes by itself, in any of the usual forms. */
const CITATION =
  /\s*[[(【](?:\s*(?:\^?\d{1,3}|(?:src|find|gap)-[\w-]{1,20}|sources?:?[^\])】]{0,60})\s*[,;]?)+[\])】]/gi;
const LINK = /!?\[([^\]]{0,200})\]\([^)]{0,2000}\)/g;
const ADDRESS = /\b(?:[a-z][a-z0-9+.-]{1,15}:\/\/|www\.|data:|javascript:|mailto:)[^\s)>\]]*/gi;

/**
 * A model's own words, without what they may not contain: citations (numbers come from the state alone), links and addresses. What is taken
 * out is counted.
 */
export function modelWords(text: string, state: ResearchState): string {
  const take = (pattern: RegExp, rest: string, keep = ''): string =>
    rest.replace(pattern, () => {
      state.removed.citations += 1;
      return keep;
    });
  const unlinked = oneLine(text).replace(LINK, (_whole, label: string) => {
    state.removed.citations += 1;
    return label;
  });
  return clip(oneLine(take(ADDRESS, take(CITATION, unlinked))), CHARS_MAX);
}
