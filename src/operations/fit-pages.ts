import type { ExtractHit, ExtractInput } from '../contract/extract.ts';

/** Cuts every page to the caller's tokens. Tokens never exceed bytes, so a cut by bytes is always within the cap. */
export async function fitPages(hits: ExtractHit[], input: ExtractInput): Promise<ExtractHit[]> {
  const tokensMax = input.max_tokens;
  if (tokensMax === undefined) return hits;
  return hits.map((hit) => {
    const bytes = Buffer.from(hit.raw_content);
    if (bytes.length <= tokensMax) return hit;
    return {
      ...hit,
      raw_content: bytes
        .subarray(0, tokensMax)
        .toString('utf8')
        .replace(/\uFFFD$/, ''),
      truncated: true,
    };
  });
}
