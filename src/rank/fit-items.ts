import { HeadgateError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { fitText } from './fit.ts';
import { framed } from './frame.ts';
import { bytesFit, countTokens } from './tokens.ts';

export interface FitItemsOptions<Item> {
  tokensMax: number;
  /** The text of an item as the caller will send it. */
  render(item: Item): string;
  /** The same item with a shorter rendering; `text` already ends in the mark. */
  shorten(item: Item, text: string): Item;
  mark?: string;
}

export interface FittedItems<Item> {
  items: Item[];
  truncated: boolean;
  /** How many items were left out whole, and whether the last of those kept was shortened. */
  omitted: number;
  shortened: boolean;
}

/** Stands where an item was cut, so that nobody takes the beginning for the whole. */
export const CUT_MARK = '\n[… cut to fit the token budget]';

/** Less room than this is left empty rather than filled with the beginning of another item. */
const ROOM_MIN = 64;
/** What may come between two items when they are joined. */
const JOINT_TOKENS = 4;

/**
 * As many items as fit, in order: the first is always there, shortened when it must be, and so is the first that does not fit when there is
 * room worth using. The sum of all renderings never exceeds the budget.
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
