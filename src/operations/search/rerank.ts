import { HeadgateError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { warned } from '../../core/own-text.ts';
import type { Attempt } from '../../core/outcome.ts';
import type { SearchQuery } from '../../core/query.ts';
import type { Source } from '../../core/source.ts';
import { clip } from '../../core/text.ts';
import { askRerank } from '../../routing/ask-rerank.ts';
import type { Ctx } from '../../routing/services.ts';
import type { Found } from '../answer/found.ts';
import type { Services } from '../services.ts';

/** Ranks the best results with the configured reranker. If it does not answer in time, the order stays, with a warning. */
export async function reranked(found: Found, query: SearchQuery, ctx: Ctx<Services>): Promise<Found> {
  const passages = found.sources.slice(0, LIMITS.rerankPassagesMax).map(passageOf);
  if (passages.length < 2) return found;
  try {
    const { scores, credits, attempts } = await askRerank({ text: query.text, passages }, ctx);
    return {
      ...found,
      sources: ordered(found.sources, scores),
      attempts: [...found.attempts, ...attempts],
      ...(credits > 0 && { credits: (found.credits ?? 0) + credits }),
    };
  } catch (thrown) {
    ctx.call.signal.throwIfAborted();
    const error = HeadgateError.from(thrown);
    if (error.type === 'internal') throw thrown;
    return {
      ...found,
      attempts: [...found.attempts, ...((error.data['attempts'] as Attempt[] | undefined) ?? [])],
      warnings: [...found.warnings, warned`The results were not reranked: ${error.message}`],
    };
  }
}

const passageOf = ({ title, snippet }: Source): string =>
  clip(`${title}\n${snippet}`, LIMITS.rerankPassageCharsMax);

/** The results with scores first, best first; the others follow in their order and never score higher. */
function ordered(sources: Source[], scores: { index: number; score: number }[]): Source[] {
  const best = scores.toSorted((a, b) => b.score - a.score || a.index - b.index);
  const ranked = best.flatMap(({ index, score }) => {
    const { scoreBy: _, ...source } = sources[index] as Source;
    return [{ ...source, score: Math.round(score * 1e4) / 1e4 }];
  });
  const lowest = ranked.at(-1)?.score ?? 1;
  const known = new Set(best.map(({ index }) => index));
  const rest = sources.filter((_, index) => !known.has(index));
  return [...ranked, ...rest.map((source) => ({ ...source, score: Math.min(source.score, lowest) }))];
}
