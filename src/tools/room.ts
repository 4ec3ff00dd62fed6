import type { SafeText } from '../core/text.ts';
import { LIMITS } from '../core/limits.ts';
import { framed } from '../operations/fit.ts';
import type { ToolEngine } from './engine.ts';

/** A page's text, and where it goes on when it was cut. */
export interface FittedPage<Text extends string = SafeText> {
  text: Text;
  rest?: { cursor: string; tokens: number };
}

/** What stands around a page's text at most: the frame of a table or code that was cut, and the way on. */
const AROUND_CHARS = 600;

/**
 * The texts of pages, escaped and cut to what an answer may hold beside `taken` characters that stand in it anyway. Short pages
 * leave their room to the long ones. `cursor` continues a single page.
 */
export async function fitPages<Text extends string>(
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
      // A part may begin in the middle of a line, with words that would read as ours.
      const shown = options.escape(framed(part));
      const { cursor, remainingTokens: tokens } = part;
      return cursor === undefined ? { text: shown } : { text: shown, rest: { cursor, tokens } };
    }),
  );
}

/** How much of a common room each may take: what it needs, or an equal share of what the smaller ones leave. */
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

/** As much of a text as fits into so many characters. Budgets are in tokens, so the text itself says how many those are. */
async function fitChars(text: string, charsMax: number, cursor: string | undefined, engine: ToolEngine) {
  let tokensMax = Math.max(LIMITS.fitTokensMin, charsMax);
  for (;;) {
    const part = await engine.fitText(text, { tokensMax, ...(cursor === undefined ? {} : { cursor }) });
    if (part.text.length <= charsMax || tokensMax === LIMITS.fitTokensMin) return part;
    const tokens = Math.min(tokensMax, await engine.countTokens(part.text));
    tokensMax = Math.max(LIMITS.fitTokensMin, Math.floor((tokens * charsMax * 0.97) / part.text.length));
  }
}
