import { LIMITS } from '../core/limits.ts';
import { framed } from '../operations/fit.ts';
import type { ToolEngine } from './engine.ts';

/** How a toolset says that a page goes on, and how to get there. */
export type Continuation = (rest: { cursor: string; tokens: number }) => string;

/** What stands around a page's text at most: the frame of a table or code that was cut, and the way on. */
const AROUND_CHARS = 600;

/**
 * The texts of pages, cut to what an answer may hold beside `taken` characters that stand in it anyway. Short pages leave their
 * room to the long ones; a page that is cut ends with the way on. `cursor` continues a single page.
 */
export async function fitPages(
  texts: string[],
  options: { taken: number; cursor?: string | undefined; more: Continuation },
  engine: ToolEngine,
): Promise<string[]> {
  const room = LIMITS.toolTextCharsMax - options.taken - texts.length * AROUND_CHARS;
  const shares = shareRoom(
    texts.map((text) => text.length),
    room,
  );
  return Promise.all(
    texts.map(async (text, index) => {
      const share = shares[index] ?? 0;
      if (options.cursor === undefined && text.length <= share) return text;
      const part = await fitChars(text, share, options.cursor, engine);
      const { cursor } = part;
      if (cursor === undefined) return framed(part);
      return `${framed(part)}\n\n${options.more({ cursor, tokens: part.remainingTokens })}`;
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
