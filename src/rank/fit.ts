import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { ContentFormat } from '../core/query.ts';
import { blocksOf, type TextBlock } from './blocks.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { characterPlace, cutPlace } from './cut.ts';
import { closingAt, framed, headEnd, openingAt, type Framed } from './frame.ts';
import { bytesFit, countTokens, estimateTokens, placeOfTokens } from './tokens.ts';

export interface FitOptions {
  /** A hard limit: the text never has more tokens (o200k). */
  tokensMax: number;
  /** Continues where an earlier answer stopped. */
  cursor?: string | undefined;
  format?: ContentFormat;
}

/**
 * A part of a text. If it starts inside a table or code, or stops inside code, it has the context that makes
 * it readable alone.
 */
export interface FittedText extends Framed {
  truncated: boolean;
  /** What follows this text: characters exactly, tokens estimated. */
  remainingChars: number;
  remainingTokens: number;
  /** Pass it back to continue; the texts joined without their context are the whole. Absent at the end. */
  cursor?: string;
}

/**
 * Cuts a text to a token budget, between blocks, lines, sentences or words, in this order of preference. The
 * added context counts towards the budget.
 */
export async function fitText(text: string, options: FitOptions): Promise<FittedText> {
  if (!(options.tokensMax >= LIMITS.fitTokensMin)) {
    throw new HeadgateError('invalid_request', `The token budget must be at least ${LIMITS.fitTokensMin}.`);
  }
  const start = options.cursor === undefined ? 0 : readCursor(text, options.cursor);
  const { end, opening, closing } = await fittingPart(text, start, options);
  const rest = text.length - end;
  return {
    text: text.slice(start, end),
    ...(opening !== undefined && { opening }),
    ...(closing !== undefined && { closing }),
    truncated: rest > 0,
    remainingChars: rest,
    remainingTokens: rest === 0 ? 0 : estimateTokens(text.slice(end)),
    ...(rest > 0 && { cursor: writeCursor(text, end) }),
  };
}

/**
 * How often the exact count may correct the estimate before the cut is made by bytes, which is always safe.
 */
const CORRECTIONS_MAX = 6;
/** An estimate this far above the budget is not worth an exact count. */
const HOPELESS = 1.5;
/** A piece that uses this share of its budget is full enough. */
const FULL = 0.85;

interface Part extends Omit<Framed, 'text'> {
  end: number;
}

async function fittingPart(text: string, start: number, { tokensMax, format }: FitOptions): Promise<Part> {
  if (start === 0 && bytesFit(text, tokensMax)) return { end: text.length };
  const blocks = blocksOf(text, format ?? 'markdown');
  const blockAt = (place: number) => blocks[blocks.findLastIndex((block) => block.start < place)];
  const around = blockAt(start);
  const opening = around === undefined ? undefined : openingAt(text, around, start, tokensMax);
  const partTo = (end: number): Part => {
    const last = blockAt(end);
    return { end, opening, closing: last === undefined ? undefined : closingAt(text, last, end) };
  };
  const before = (wanted: number) => placeBefore(text, blocks, start, wanted);
  const whole = text.slice(start);
  const guess = start + placeOfTokens(whole, tokensMax * HOPELESS);
  let part = partTo(guess >= text.length ? text.length : before(start + placeOfTokens(whole, tokensMax)));
  let best: Part | undefined;
  for (let correction = 0; correction < CORRECTIONS_MAX; correction += 1) {
    const piece = framed({ ...part, text: text.slice(start, part.end) });
    if (bytesFit(piece, tokensMax)) return part;
    const tokens = await countTokens(piece);
    if (tokens <= tokensMax) {
      best = part;
      if (part.end === text.length || tokens >= tokensMax * FULL) return part;
    }
    // Slightly less than the proportion, so that one correction is nearly always enough.
    part = partTo(before(start + Math.floor(((part.end - start) * tokensMax * 0.97) / tokens)));
    if (best !== undefined && part.end <= best.end) return best;
  }
  // There are never more tokens than bytes, and a UTF-16 unit has at most three.
  return best ?? { end: characterPlace(text, start, start + Math.max(1, Math.floor(tokensMax / 3))) };
}

/** The best offset to cut at or before another one, always after `start`. */
function placeBefore(text: string, blocks: TextBlock[], start: number, wanted: number): number {
  if (wanted >= text.length) return text.length;
  const to = Math.max(wanted, start + 1);
  const least = start + (to - start) / 2;
  const last = blocks.findLastIndex((block) => block.start <= to);
  let begin = blocks[last];
  // A heading stays with the text below it.
  const above = blocks[last - 1];
  if (above?.kind === 'heading' && above.start >= least) begin = above;
  if (begin !== undefined && begin.start > start && begin.start >= least) return begin.start;
  return insideBlock(text, start, to, begin);
}

/** An offset inside a block that is too long to be kept whole. */
function insideBlock(text: string, start: number, to: number, block: TextBlock | undefined): number {
  if (block === undefined || block.end <= to) return characterPlace(text, start, to);
  const from = Math.max(start, block.start);
  if (block.kind === 'code' || block.kind === 'table') {
    const line = lineBefore(text, block, to);
    // A table head or a code fence alone is useless.
    if (line <= headEnd(text, block) && block.start > start) return block.start;
    if (line > from) return line;
  }
  return from < to ? cutPlace(text, from, to) : characterPlace(text, start, to);
}

/**
 * The start of the line at an offset in code or a table. The closing fence is not left alone for the next
 * part.
 */
function lineBefore(text: string, block: TextBlock, to: number): number {
  const line = text.lastIndexOf('\n', to - 1) + 1;
  const isLast = block.kind === 'code' && !text.slice(line, block.end).trimEnd().includes('\n');
  return isLast ? text.lastIndexOf('\n', line - 2) + 1 : line;
}
