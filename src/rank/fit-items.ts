import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { fitText } from './fit.ts';
import { framed } from './frame.ts';
import { bytesFit, countTokens } from './tokens.ts';

export interface FitItemsOptions<Item> {
  tokensMax: number;
  /** The text of an item as the caller will send it. */
  render(item: Item): string;
  /** The same item with a shorter text, which already ends in the mark. */
  shorten(item: Item, text: string): Item;
  mark?: string;
}

export interface FittedItems<Item> {
  items: Item[];
  truncated: boolean;
  /** How many items were left out, and whether the last one kept was shortened. */
  omitted: number;
  shortened: boolean;
}

/** Marks the place where an item was cut. */
export const CUT_MARK = '\n[… cut to fit the token budget]';

/** A smaller rest of the budget stays unused. */
const ROOM_MIN = 64;
/** The tokens between two joined items. */
const JOINT_TOKENS = 4;

/**
 * Fits as many items as possible into a token budget, in order. The first one is always included, shortened
 * if necessary, and so is the first that does not fit if there is enough room. The total never exceeds the
 * budget.
 */
export async function fitItems<Item>(
  items: Item[],
  options: FitItemsOptions<Item>,
): Promise<FittedItems<Item>> {
  const { tokensMax, render, shorten, mark = CUT_MARK } = options;
  if (!(tokensMax >= ROOM_MIN)) {
    throw new HeadgateError('invalid_request', `The token budget must be at least ${ROOM_MIN}.`);
  }
  const texts = items.map(render);
  const joint = JOINT_TOKENS * items.length;
  if (bytesFit(texts.join(''), tokensMax - joint))
    return { items, truncated: false, omitted: 0, shortened: false };
  const kept: Item[] = [];
  let room = tokensMax;
  for (const [at, item] of items.entries()) {
    const text = texts[at] ?? '';
    const tokens = (await countTokens(text)) + JOINT_TOKENS;
    if (tokens <= room) {
      kept.push(item);
      room -= tokens;
      continue;
    }
    const roomForText = room - (await countTokens(mark)) - JOINT_TOKENS;
    const usable = roomForText >= (kept.length === 0 ? LIMITS.fitTokensMin : ROOM_MIN);
    if (usable)
      kept.push(shorten(item, framed(await fitText(text, { tokensMax: roomForText })).trimEnd() + mark));
    return { items: kept, truncated: true, omitted: items.length - kept.length, shortened: usable };
  }
  return { items: kept, truncated: false, omitted: 0, shortened: false };
}
