import type { SafeText } from '../core/text.ts';
import { LIMITS } from '../core/limits.ts';
import { framed } from '../rank/frame.ts';
import type { ToolEngine } from './engine.ts';
import { bytesFit } from '../rank/tokens.ts';

/** The text of a page, and the cursor if it was cut. */
export interface FittedPage<Text extends string = SafeText> {
  text: Text;
  rest?: { cursor: string; tokens: number };
}

/** The most characters around a page's text: repeated table head or code fence, and the cursor. */
const AROUND_CHARS = 600;

/**
 * Escapes the texts of pages and cuts them to the room that `taken` characters leave in the answer. Short
 * pages leave their room to long ones. `cursor` continues a single page.
 */
export async function fitPageTexts<Text extends string>(
  pages: { raw_content: string }[],
  options: {
    taken: number;
    cursor?: string | undefined;
    escape(text: string): Text;
  },
  engine: ToolEngine,
): Promise<FittedPage<Text>[]> {
  const texts = pages.map((page) => options.escape(page.raw_content));
  const room = LIMITS.toolTextCharsMax - options.taken - texts.length * AROUND_CHARS;
  const shares = shareRoom(
    texts.map((text) => text.length),
    room,
  );
  return Promise.all(
    texts.map(async (text, index) => {
      const share = shares[index] ?? 0;
      if (options.cursor === undefined && text.length <= share) return { text };
      const part = await fitChars(text, share, options.cursor, engine);
      // A part may begin within a line, with words that look like ours.
      const shown = options.escape(framed(part));
      const { cursor, remainingTokens: tokens } = part;
      return cursor === undefined ? { text: shown } : { text: shown, rest: { cursor, tokens } };
    }),
  );
}

/** Divides room: each gets what it needs, or an equal share of what the smaller ones leave. */
export function shareRoom(needs: number[], room: number): number[] {
  const shares: number[] = [];
  let left = Math.max(0, room);
  const order = needs.map((need, index) => ({ need, index })).sort((a, b) => a.need - b.need);
  for (const [done, { need, index }] of order.entries()) {
    const share = Math.min(need, Math.floor(left / (order.length - done)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}

/** Cuts a text to a number of characters. Limits are in tokens, so the ratio is taken from the text itself. */
async function fitChars(text: string, charsMax: number, cursor: string | undefined, engine: ToolEngine) {
  let tokensMax = Math.max(LIMITS.fitTokensMin, charsMax);
  for (;;) {
    const part = await engine.fitText(text, { tokensMax, ...(cursor === undefined ? {} : { cursor }) });
    if (part.text.length <= charsMax || tokensMax === LIMITS.fitTokensMin) return part;
    const tokens = Math.min(tokensMax, await engine.countTokens(part.text));
    tokensMax = Math.max(LIMITS.fitTokensMin, Math.floor((tokens * charsMax * 0.97) / part.text.length));
  }
}

/** Whether a text fits. The tokenizer, which takes long to load, is asked only when the length does not settle it. */
export const fits = async (text: string, tokensMax: number, engine: ToolEngine): Promise<boolean> =>
  bytesFit(text, tokensMax) || (await engine.countTokens(text)) <= tokensMax;
