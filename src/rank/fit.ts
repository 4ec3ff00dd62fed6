import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { ContentFormat } from '../core/query.ts';
import { blocksOf, type Block } from './blocks.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { characterPlace, cutPlace } from './cut.ts';
import { bytesFit, countTokens, estimateTokens, placeOfTokens } from './tokens.ts';

export interface FitOptions {
  /** A hard cap: the text never has more tokens (o200k). */
  tokensMax: number;
  /** Continues exactly where an earlier answer stopped. */
  cursor?: string | undefined;
  format?: ContentFormat;
}

export interface FittedText {
  text: string;
  truncated: boolean;
  /** What comes behind this text: characters exactly, tokens as a guess. */
  remainingChars: number;
  remainingTokens: number;
  /** Give it back to read on; the pieces put together are the whole text. Absent at the end. */
  cursor?: string;
}

/** As much of a text as the budget allows, cut between blocks, lines, sentences or words, in this order of preference. */
export async function fitText(text: string, options: FitOptions): Promise<FittedText> {
  if (!(options.tokensMax >= LIMITS.fitTokensMin)) {
    throw new HeadgateError('invalid_request', `The token budget must be at least ${LIMITS.fitTokensMin}.`);
  }
  const start = options.cursor === undefined ? 0 : readCursor(text, options.cursor);
  const end = await fittingEnd(text, start, options);
  const rest = text.length - end;
  return {
    text: text.slice(start, end),
    truncated: rest > 0,
    remainingChars: rest,
    remainingTokens: rest === 0 ? 0 : estimateTokens(text.slice(end)),
    ...(rest > 0 && { cursor: writeCursor(text, end) }),
  };
}

/** How often the exact count may correct the guess before the cut is made by bytes, which cannot be wrong. */
const CORRECTIONS_MAX = 6;
/** A guess this much above the budget is not worth counting whole. */
const HOPELESS = 1.5;
/** A piece that uses this share of its budget is full enough. */
const FULL = 0.85;

async function fittingEnd(text: string, start: number, { tokensMax, format }: FitOptions): Promise<number> {
  const whole = text.slice(start);
  if (bytesFit(whole, tokensMax)) return text.length;
  const places = createPlaces(text, format ?? 'markdown');
  const guess = start + placeOfTokens(whole, tokensMax * HOPELESS);
  let end =
    guess >= text.length ? text.length : places.before(start, start + placeOfTokens(whole, tokensMax));
  let best: number | undefined;
  for (let correction = 0; correction < CORRECTIONS_MAX; correction += 1) {
    const piece = text.slice(start, end);
    if (bytesFit(piece, tokensMax)) return end;
    const tokens = await countTokens(piece);
    if (tokens <= tokensMax) {
      best = end;
      if (end === text.length || tokens >= tokensMax * FULL) return end;
    }
    // A little less than the proportion says, so that one correction is nearly always enough.
    end = places.before(start, start + Math.floor((piece.length * tokensMax * 0.97) / tokens));
    if (best !== undefined && end <= best) return best;
  }
  // There are never more tokens than bytes, and a UTF-16 unit has at most three.
  return best ?? characterPlace(text, start, start + Math.max(1, Math.floor(tokensMax / 3)));
}

/** Finds the best place to cut at or before an offset, always behind `start`. */
function createPlaces(text: string, format: ContentFormat) {
  const blocks = blocksOf(text, format);
  return {
    before: (start: number, wanted: number): number => {
      if (wanted >= text.length) return text.length;
      const to = Math.max(wanted, start + 1);
      const least = start + (to - start) / 2;
      const last = blocks.findLastIndex((block) => block.start <= to);
      let begin = blocks[last];
      // A heading goes with what it is the heading of.
      const above = blocks[last - 1];
      if (above?.kind === 'heading' && above.start >= least) begin = above;
      if (begin !== undefined && begin.start > start && begin.start >= least) return begin.start;
      return insideBlock(text, start, to, begin);
    },
  };
}

/** A place inside a block that is too long to be kept whole. */
function insideBlock(text: string, start: number, to: number, block: Block | undefined): number {
  if (block === undefined || block.end <= to) return characterPlace(text, start, to);
  const from = Math.max(start, block.start);
  if (block.kind === 'code' || block.kind === 'table') {
    const line = text.lastIndexOf('\n', to - 1) + 1;
    if (line > from) return line;
  }
  return from < to ? cutPlace(text, from, to) : characterPlace(text, start, to);
}
