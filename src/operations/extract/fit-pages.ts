import type { ExtractHit, ExtractInput } from '../../contract/extract.ts';
import { byScore, fillBudget } from '../../rank/fill.ts';
import { joinChunks } from '../../rank/join.ts';
import { seenPassage } from '../../rank/links.ts';
import { fitText } from '../../rank/fit.ts';

/** Cuts every page to the caller's token limit; a cut page has a cursor to continue. */
export async function fitPages(hits: ExtractHit[], input: ExtractInput): Promise<ExtractHit[]> {
  const { max_tokens: tokensMax, cursor, format } = input;
  if (tokensMax === undefined && cursor === undefined) return hits;
  return Promise.all(
    hits.map(async (page) => {
      const hit = tokensMax === undefined ? page : await withBestPassages(page, tokensMax);
      const fitted = await fitText(hit.raw_content, { tokensMax: tokensMax ?? TOKENS_MAX, cursor, format });
      return {
        ...hit,
        raw_content: fitted.text,
        ...(fitted.opening === undefined ? {} : { opening: fitted.opening }),
        ...(fitted.closing === undefined ? {} : { closing: fitted.closing }),
        truncated: fitted.truncated || (hit.chunks?.length ?? 0) < (page.chunks?.length ?? 0),
        ...(fitted.cursor === undefined
          ? {}
          : { cursor: fitted.cursor, remaining_tokens: fitted.remainingTokens }),
      };
    }),
  );
}

/** The passages that fit, chosen by rank, without addresses of links; when none fits, the best one is cut below. */
async function withBestPassages(hit: ExtractHit, tokensMax: number): Promise<ExtractHit> {
  if (hit.chunks === undefined || hit.chunks.length === 0) return hit;
  const filled = await fillBudget(hit.chunks, tokensMax, seenPassage);
  const chunks = filled.length > 0 ? filled : hit.chunks.toSorted(byScore).slice(0, 1);
  return { ...hit, chunks, raw_content: joinChunks(chunks.map(seenPassage)) };
}

/** Continuing without a limit returns the rest. */
const TOKENS_MAX = 10_000_000;
