import type { Source } from '../core/source.ts';
import { canonicalUrl } from '../core/url.ts';

/**
 * The usual constant of reciprocal rank fusion: the top of one list does not outweigh agreement between
 * lists.
 */
const RANK_OFFSET = 60;

/**
 * Merges ranked lists by reciprocal rank fusion: pages that several lists contain, or that rank high, come
 * first. Spellings of one URL become one source with all of its providers, the longest text and the first
 * spelling. A list with a weight below one has less of a say.
 */
export function fuse(lists: Source[][], weights: readonly number[] = []): Source[] {
  const merged = new Map<string, { source: Source; sum: number }>();
  for (const [place, list] of lists.entries()) {
    const counted = new Set<string>();
    for (const [rank, source] of list.entries()) {
      const key = canonicalUrl(source.url);
      // A list that contains a page twice has one vote for it.
      const vote = counted.has(key) ? 0 : (weights[place] ?? 1) / (RANK_OFFSET + rank + 1);
      counted.add(key);
      const before = merged.get(key);
      const named = { ...source, foundBy: source.foundBy ?? [source.provider] };
      if (before === undefined) merged.set(key, { source: named, sum: vote });
      else merged.set(key, { source: mergeSources(before.source, named), sum: before.sum + vote });
    }
  }
  const ordered = [...merged.values()].sort((a, b) => b.sum - a.sum);
  const best = ordered[0]?.sum || 1;
  return ordered.map(({ source, sum }) => ({
    ...source,
    score: Math.round((sum / best) * 1e6) / 1e6,
    scoreBy: 'rank',
  }));
}

function mergeSources(first: Source, second: Source): Source {
  const content = longer(first.content, second.content);
  const chunks = content === first.content ? (first.chunks ?? second.chunks) : second.chunks;
  const merged: Source = {
    ...second,
    ...first,
    title: first.title === '' ? second.title : first.title,
    snippet: longer(first.snippet, second.snippet) ?? '',
    foundBy: [...new Set([...(first.foundBy ?? []), ...(second.foundBy ?? [])])],
  };
  if (content !== undefined) merged.content = content;
  // Offsets belong to the content they were made for.
  if (chunks === undefined) delete merged.chunks;
  else merged.chunks = chunks;
  return merged;
}

const longer = (a: string | undefined, b: string | undefined): string | undefined =>
  (b?.length ?? -1) > (a?.length ?? -1) ? b : a;
