import { clip, oneLine } from '../core/text.ts';

const CHARS_MAX = 600;
/** Citations that a model writes by itself, in any of the usual forms. */
const CITATION =
  /\s*[[(【](?:\s*(?:\^?\d{1,3}|(?:src|find|gap)-[\w-]{1,20}|sources?:?[^\])】]{0,60})\s*[,;]?)+[\])】]/gi;
const LINK = /!?\[([^\]]{0,200})\]\([^)]{0,2000}\)/g;
const ADDRESS = /\b(?:[a-z][a-z0-9+.-]{1,15}:\/\/|www\.|data:|javascript:|mailto:)[^\s)>\]]*/gi;

/**
 * A model's words without what they may not contain: citations (their numbers are ours to give), links and addresses. `removed` says how
 * many were taken out.
 */
export function plainWords(text: string): { text: string; removed: number } {
  let removed = 0;
  const take = (pattern: RegExp, rest: string): string =>
    rest.replace(pattern, () => {
      removed += 1;
      return '';
    });
  const unlinked = oneLine(text).replace(LINK, (_whole, label: string) => {
    removed += 1;
    return label;
  });
  const plain = clip(oneLine(take(ADDRESS, take(CITATION, unlinked))), CHARS_MAX);
  return { text: plain, removed };
}
