import type { Source } from '../core/source.ts';
import { canonicalUrl } from '../core/url.ts';

const K = 60;

/**
 * Merges ranked lists by reciprocal rank fusion: a page found by several, or found high, comes first. Nothing is lost and
 * nothing is there twice; `foundBy` says who found what.
 */
export function fuse(lists: Source[][]): Source[] {
  const merged = new Map<string, Merged>();
  for (const list of lists) {
    for (const [rank, source] of list.entries()) {
      const key = canonicalUrl(source.url);
      merged.set(key, add(merged.get(key), source, 1 / (K + rank + 1)));
    }
  }
  const ranked = [...merged.values()].sort((a, b) => b.weight - a.weight);
  const best = ranked[0]?.weight ?? 1;
  return ranked.map(({ source, weight, foundBy }) => ({
    ...source,
    score: weight / best,
    foundBy: [...foundBy],
  }));
}

interface Merged {
  source: Source;
  weight: number;
  foundBy: Set<string>;
}

function add(known: Merged | undefined, source: Source, weight: number): Merged {
  const who = source.foundBy ?? [source.provider];
  if (known === undefined) return { source, weight, foundBy: new Set(who) };
  return {
    source: richer(known.source, source),
    weight: known.weight + weight,
    foundBy: new Set([...known.foundBy, ...who]),
  };
}

/** The first one's identity with whatever the other knows more. */
function richer(first: Source, second: Source): Source {
  return {
    ...first,
    title: first.title || second.title,
    snippet: second.snippet.length > first.snippet.length ? second.snippet : first.snippet,
    content: first.content ?? second.content,
    publishedDate: first.publishedDate ?? second.publishedDate,
    favicon: first.favicon ?? second.favicon,
    images: first.images ?? second.images,
  };
}
