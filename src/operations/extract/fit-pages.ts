import type { ExtractHit, ExtractInput } from '../../contract/extract.ts';
import { fitText } from '../../rank/fit.ts';

/** Cuts every page to the caller's token limit; a cut page has a cursor to continue. */
export async function fitPages(hits: ExtractHit[], input: ExtractInput): Promise<ExtractHit[]> {
  const { max_tokens: tokensMax, cursor, format } = input;
  if (tokensMax === undefined && cursor === undefined) return hits;
  return Promise.all(
    hits.map(async (hit) => {
      const fitted = await fitText(hit.raw_content, { tokensMax: tokensMax ?? TOKENS_MAX, cursor, format });
      return {
        ...hit,
        raw_content: fitted.text,
        ...(fitted.opening === undefined ? {} : { opening: fitted.opening }),
        ...(fitted.closing === undefined ? {} : { closing: fitted.closing }),
        truncated: fitted.truncated,
        ...(fitted.cursor === undefined
          ? {}
          : { cursor: fitted.cursor, remaining_tokens: fitted.remainingTokens }),
      };
    }),
  );
}

/** Continuing without a limit returns the rest. */
const TOKENS_MAX = 10_000_000;
