import { asked, own, warned } from '../../core/own-text.ts';
import type { OwnText } from '../../core/text.ts';
import type { ExtractHit, ExtractInput } from '../../contract/extract.ts';
import type { Match } from '../../core/outcome.ts';
import { chunkText } from '../../rank/chunk.ts';
import { createCover } from '../../rank/cover.ts';

const NO_MATCH = own`Nothing on the page matches the query.`;

/**
 * Decides for every page whether it answers the query. Passage scores become absolute: they were relative to
 * the best of their page, even on an unrelated page.
 */
export function judgePages(
  hits: ExtractHit[],
  { query, format }: Pick<ExtractInput, 'query' | 'format'>,
): { hits: ExtractHit[]; warnings: OwnText[] } {
  if (query === undefined) return { hits, warnings: [] };
  const cover = createCover(query);
  const warnings: OwnText[] = [];
  const judged = hits.map((hit): ExtractHit => {
    const passages = hit.chunks ?? chunkText(hit.raw_content, { format });
    const best = passages.reduce((most, passage) => {
      const above = [hit.title, ...(passage.headings ?? []), passage.opening ?? ''];
      return Math.max(most, cover.of([...above, passage.text].join('\n')));
    }, 0);
    const match = cover.matchOf(best);
    warnings.push(...warningsOf(hit, match));
    const isOff = match === 'none' && hit.outcome === 'ok';
    return {
      ...hit,
      ...(hit.chunks === undefined ? {} : { chunks: hit.chunks.map((chunk) => scaled(chunk, best)) }),
      match,
      ...(isOff ? { outcome: 'degraded', reason: NO_MATCH } : {}),
    };
  });
  return { hits: judged, warnings };
}

type Passage = NonNullable<ExtractHit['chunks']>[number];

const scaled = (chunk: Passage, best: number): Passage =>
  chunk.score === undefined ? chunk : { ...chunk, score: Math.round(chunk.score * best * 1e6) / 1e6 };

function warningsOf({ url, chunks }: ExtractHit, match: Match): OwnText[] {
  if (match === 'answered') return [];
  if (match === 'weak') return [warned`${asked(url)}: the page matches the query only in part.`];
  const hasAny = chunks?.every(({ score = 0 }) => score === 0) !== true;
  const what = hasAny ? 'what comes closest' : 'its beginning';
  return [warned`${asked(url)}: nothing on the page matches the query; ${what} is returned.`];
}
