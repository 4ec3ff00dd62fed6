import type { Chunk } from '../core/source.ts';
import { framed, withoutHeading } from './frame.ts';

/** The separator between passages of one source, as Tavily writes it. */
const CHUNK_JOINT = ' [...] ';

/**
 * Joins the passages of a source. Next to code, tables, lists and headings the separator has its own line. A
 * table or code block that was split between two passages is joined again.
 */
export const joinChunks = (chunks: Chunk[]): string =>
  chunks.reduce((whole, chunk, index) => {
    const next = chunks[index + 1];
    const closing = next !== undefined && isContinued(chunk, next) ? undefined : chunk.closing;
    const before = chunks[index - 1];
    if (before !== undefined && isContinued(before, chunk))
      return `${whole}${'\n'.repeat(chunk.start - before.end)}${framed({ text: chunk.text, closing })}`;
    const isSameSection = before?.headings?.join('\n') === chunk.headings?.join('\n');
    const opening = isSameSection ? withoutHeading(chunk.opening) : chunk.opening;
    const text = framed({ text: chunk.text, opening, closing });
    if (index === 0) return text;
    const lastLine = whole.slice(whole.lastIndexOf('\n') + 1);
    const isApart = STRUCTURE.test(lastLine) || STRUCTURE.test(text);
    return `${whole}${isApart ? `\n\n${CHUNK_JOINT}\n\n` : CHUNK_JOINT}${text}`;
  }, '');

/** True when a passage continues the table or code in which the previous one stopped. */
const isContinued = (before: Chunk, chunk: Chunk): boolean =>
  withoutHeading(chunk.opening) !== undefined &&
  chunk.start - before.end > 0 &&
  chunk.start - before.end <= LINE_ENDS_MAX;

/** Only line breaks may be between the two. */
const LINE_ENDS_MAX = 2;

const STRUCTURE = /^\s*(?:```|~~~|\||#{1,6} |>|[-*+] |\d+[.)] |: |---$)/;
