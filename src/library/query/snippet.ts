import type { ContentFormat } from '../../core/query.ts';
import type { Chunk } from '../../core/source.ts';
import { chunkText } from '../../rank/chunk.ts';
import { createTermFilter } from '../../rank/term-filter.ts';
import { tokeniseFolded, tokeniseForeign } from '../../rank/tokenise.ts';
import type { WeightedTerm } from './score.ts';

/** The passages of a range of content that match the query best, in order, with offsets into the content. */
export function pickSnippets(
  content: string,
  stretch: { start: number; end: number; format: ContentFormat },
  terms: WeightedTerm[],
  chunksMax: number,
): Chunk[] {
  const weights = new Map(terms.map(({ term, weight }) => [term, weight]));
  const whole = terms.reduce((sum, { weight }) => sum + weight, 0) || 1;
  const filter = createTermFilter(weights.keys());
  const isForeign = terms.some(({ term }) => term.startsWith('~'));
  const chunks = chunkText(content.slice(stretch.start, stretch.end), { format: stretch.format });
  const scored = chunks.map((chunk) => {
    const found = new Set(tokeniseFolded(chunk.text, filter));
    if (isForeign) for (const term of tokeniseForeign(chunk.text, filter)) found.add(term);
    let score = 0;
    for (const [term, weight] of weights) if (found.has(term)) score += weight;
    return {
      ...chunk,
      start: chunk.start + stretch.start,
      end: chunk.end + stretch.start,
      score: Math.round((score / whole) * 1e6) / 1e6,
    };
  });
  const best = scored.toSorted((a, b) => b.score - a.score || a.start - b.start).slice(0, chunksMax);
  return best.filter(({ score }, at) => at === 0 || score > 0).sort((a, b) => a.start - b.start);
}
