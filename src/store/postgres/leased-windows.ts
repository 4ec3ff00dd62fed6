import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../core/clock.ts';
import { createNames, SHARED_LIMITS, type Refused, type RequestWindow } from '../../core/shared.ts';
import type { Ask, SharedLink } from './shared-link.ts';

/** Requests that were leased from a window, to be spent here before the lease ends. */
interface Block {
  id: string;
  size: number;
  left: number;
  /** In monotonic time, counted from before the question was sent: never later than the server's end of the lease. */
  endsAt: number;
}

type Link = Pick<SharedLink, 'ask' | 'status'>;

interface Held {
  window: RequestWindow;
  block: Block | undefined;
  /** How much of blocks that are over was spent, by id, until the server has heard it. */
  spent: Record<string, number>;
  /** What was admitted without a lease while the server could not be reached. */
  owed: number;
  leasing: Promise<boolean> | undefined;
  waiting: number;
  refusal: { until: number; freeAt: number } | undefined;
}

/**
 * Sliding windows over all gateways. The server keeps a log of blocks: each counts from its lease until a window after the end of
 * its possible use, so no window ever holds more than the limit. A block that was used up or given back counts what was spent of it.
 */
export function createLeasedWindows({ clock, link }: { clock: Clock; link: Link }) {
  const names = createNames<Held>();
  const heldOf = (name: string, window: RequestWindow): Held => {
    const held = names.get(name) ?? newHeld(window);
    held.window = window;
    names.set(name, held);
    return held;
  };
  const lease = createLease(clock, link);
  /** When a request was last admitted that the server had not decided by itself just then. */
  let spentAt = -Infinity;
  return {
    /** `lost` when the server cannot be asked and nothing is leased. */
    take: async (
      name: string,
      window: RequestWindow,
      isPeek: boolean,
    ): Promise<Refused | undefined | 'lost'> => {
      const held = heldOf(name, window);
      for (let tries = 0; tries < TRIES_MAX; tries += 1) {
        const now = clock.monotonic();
        const { block, refusal } = held;
        if (block !== undefined && block.left > 0 && now < block.endsAt) {
          if (isPeek) return undefined;
          block.left -= 1;
          spentAt = now;
          return undefined;
        }
        if (refusal !== undefined && now < refusal.until)
          return { retryAfterMs: Math.max(1, Math.ceil(refusal.freeAt - now)) };
        held.waiting += 1;
        held.leasing ??= lease(name, held).finally(() => {
          held.leasing = undefined;
        });
        const isHeard = await held.leasing;
        held.waiting -= 1;
        if (!isHeard) return 'lost';
      }
      return { retryAfterMs: SHARED_LIMITS.readMs };
    },
    /** Counts a request that was admitted without the server. */
    owe: (name: string): void => {
      const held = names.get(name);
      if (held === undefined) return;
      held.owed += 1;
      spentAt = clock.monotonic();
    },
    /** Drops what was leased before the server lost everything at a time of this process; true when nothing of it was spent since. */
    emptied: (at: number): boolean => {
      for (const [, held] of names.entries()) Object.assign(held, { block: undefined, spent: {} });
      return spentAt < at;
    },
    /** Reports blocks that are used up or have ended; with `isAll`, every block. */
    spent: (isAll = false): Ask[] => {
      const asks: Ask[] = [];
      for (const [name, held] of names.entries()) {
        if (asks.length >= SHARED_LIMITS.batchMax) break;
        const { block } = held;
        const isOver =
          block !== undefined && (isAll || block.left === 0 || clock.monotonic() >= block.endsAt);
        if (held.leasing !== undefined || !(isOver || hasEntries(held.spent))) continue;
        retire(held);
        // If this is not heard, the blocks count in full.
        asks.push(takeAsk(name, held, { want: 0, id: '', spent: held.spent, debt: 0 }));
        held.spent = {};
      }
      return asks;
    },
    /** Gives back what is leased of names that other gateways have been refused. */
    wanted: (marks: string[]): void => {
      for (const mark of marks) {
        const held = mark.startsWith(WANTED) ? names.get(mark.slice(WANTED.length)) : undefined;
        if (held?.block !== undefined && held.waiting === 0) retire(held);
      }
    },
  };
}

/** Leases the next block of a name; false when the server could not be asked. */
function createLease(clock: Clock, link: Link) {
  let blocks = 0;
  return async (name: string, held: Held): Promise<boolean> => {
    const { requests } = held.window;
    const block = requests <= SHARED_LIMITS.singleMax ? 1 : Math.max(5, Math.ceil(requests / 10));
    const id = `${link.status.id}-${++blocks}`;
    // Who is asking at once goes on asking: their next requests are leased with these, instead of one block after the other.
    await nextTurn();
    const ahead = block === 1 || held.waiting === 1 ? 1 : REQUESTS_AHEAD;
    const want = Math.max(block, held.waiting * ahead);
    const sent = report(held);
    const ask = takeAsk(name, held, { want, id, ...sent });
    try {
      const { granted = 0, retryAfterMs = 1, sentAt } = await link.ask(ask);
      if (granted > 0) held.block = { id, size: granted, left: granted, endsAt: sentAt + leaseMsOf(held) };
      const now = clock.monotonic();
      held.refusal =
        granted > 0
          ? undefined
          : { until: now + Math.min(retryAfterMs, SHARED_LIMITS.readMs), freeAt: now + retryAfterMs };
      return true;
    } catch {
      held.spent = { ...sent.spent, ...held.spent };
      held.owed += sent.debt;
      return false;
    }
  };
}

const TRIES_MAX = 20;
/** How many requests are leased for each caller that waits. */
const REQUESTS_AHEAD = 3;
/** Longer names share a limit. */
const NAME_CHARS_MAX = 200;
const WANTED = 'wanted limit ';

const newHeld = (window: RequestWindow): Held => ({
  window,
  block: undefined,
  spent: {},
  owed: 0,
  leasing: undefined,
  waiting: 0,
  refusal: undefined,
});

/** A lease must outlast the way to the server and back, and is short beside the window. */
const leaseMsOf = ({ window }: Held): number =>
  Math.min(SHARED_LIMITS.leaseMs, Math.max(SHARED_LIMITS.leaseMsMin, window.perMs / 12));

const takeAsk = (
  name: string,
  held: Held,
  rest: { want: number; id: string; spent: object; debt: number },
): Ask => ({
  kind: 'take',
  name: `limit ${name}`.slice(0, NAME_CHARS_MAX),
  ...held.window,
  leaseMs: leaseMsOf(held),
  ...rest,
});

const hasEntries = (record: object): boolean => {
  for (const _ in record) return true;
  return false;
};

function retire(held: Held): void {
  const { block } = held;
  if (block !== undefined) held.spent[block.id] = block.size - block.left;
  held.block = undefined;
}

/** Takes what is to be reported; a block that still has something left is given back. */
function report(held: Held): { spent: Record<string, number>; debt: number } {
  retire(held);
  const { spent, owed: debt } = held;
  held.spent = {};
  held.owed = 0;
  return { spent, debt };
}
