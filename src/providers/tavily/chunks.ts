import type { Chunk, Source } from '../../core/source.ts';

/** The separator that Tavily and compatible services put between passages of one page. */
const SEAM = ' [...] ';

/**
 * The passages of a source with their offsets in its content. A source without content has them in its
 * snippet; a passage that is not in the content word by word is left to the snippet.
 */
export function chunksOf(source: Source): Chunk[] {
  const whole = source.content;
  if (whole === undefined || whole.includes(SEAM)) return split(whole ?? source.snippet);
  return split(source.snippet).flatMap(({ text }) => {
    const start = whole.indexOf(text);
    return start === -1 ? [] : [{ text, start, end: start + text.length }];
  });
}

function split(joined: string): Chunk[] {
  let start = 0;
  return joined.split(SEAM).flatMap((part) => {
    const chunk = { text: part, start, end: start + part.length };
    start = chunk.end + SEAM.length;
    return part.trim() === '' ? [] : [chunk];
  });
}
