import type { Clock } from './clock.ts';

/** At most so many requests in any stretch of this length. */
export interface RequestWindow {
  requests: number;
  perMs: number;
  /** Whether a crash of the server begins it anew; otherwise it counts as full for its length. */
  forgets?: true;
}

/** Why not now: how long to wait. */
export interface Refused {
  retryAfterMs: number;
}

/** A turn in a queue, in the monotonic time of this process. */
export interface PacedTurn {
  /** Not to be used earlier, nor later. */
  at: number;
  by: number;
  /** Gives the turn to the next one, unless somebody has already queued behind it. */
  giveBack(): void;
}

/** Something that is true of a name until a time, in the monotonic time of this process. */
export interface Mark {
  endsAt: number;
  /** Plain JSON. */
  value: object;
}

/**
 * What gateways have in common beside the ledger. In memory it is the state of one process; on PostgreSQL, that of all
 * gateways, by the database's clock. Where the database cannot be reached, methods reject with `storage_unavailable`.
 */
export interface Shared {
  /** Takes one request of a sliding window, or returns how long to wait. With `isPeek` nothing is taken. */
  take(name: string, window: RequestWindow, isPeek?: boolean): Promise<Refused | undefined>;
  /**
   * Queues for the next turn of a name, `intervalMs` after the one before, unless that is more than `withinMs` away. Who was late for
   * a turn asks for one that is at least `aheadMs` away.
   */
  turn(name: string, intervalMs: number, withinMs: number, aheadMs?: number): Promise<PacedTurn | Refused>;
  /**
   * The right to send a request now, or how long to wait: `intervalMs` after the last one of a name was written. Call the result when this one is
   * written; one whose gateway dies counts from the end of the time that it has for that.
   */
  begin(name: string, intervalMs: number): Promise<(() => void) | Refused>;
  /** The right to do something that only one may do at a time; undefined while somebody else has it. It ends 5 seconds after its process. */
  lease(name: string): Promise<(() => void) | undefined>;
  /** Sets or removes a mark here at once, and everywhere within half a second. */
  mark(name: string, mark: Mark | undefined): void;
  /** The mark of a name, while it lasts. */
  marked(name: string): Mark | undefined;
  /** What an operator sees. */
  status(): SharedStatus;
  close(): Promise<void>;
}

export interface SharedStatus {
  /** How many gateways share limits; 1 where nothing is shared. */
  gateways: number;
  /** `lost` while the database cannot be reached. */
  state: 'local' | 'shared' | 'lost';
  /** Statements sent to the database for shared state since the start. */
  operations: number;
}

export const SHARED_LIMITS = {
  /** How many names one process tracks for each purpose; the least recently used is dropped. */
  namesMax: 10_000,
  /** The parts into which a window is divided where many requests are counted. */
  windowParts: 128,
  /** How often a gateway reads what the others have marked. */
  readMs: 250,
  /** Questions in one statement. */
  batchMax: 200,
  /** What a gateway holds ends this long after it, if it dies. */
  leaseMs: 5_000,
  leaseMsMin: 250,
  /** Keys with at most this many requests take each by itself; larger limits are leased in tenths. */
  singleMax: 50,
  /** A turn may be used this share of the interval late, and the next one comes that much later. */
  turnSlack: 0.05,
  turnSlackMsMin: 20,
  turnSlackMsMax: 50,
  /** Requests this far apart are counted from when they were written, not from their turns; they are given so long for it, and looked for so often. */
  writtenPaceMs: 1_000,
  writtenMsMax: 10_000,
  writtenLookMs: 25,
} as const;

/** The state of one process. */
export function createMemoryShared({ clock }: { clock: Clock }): Shared {
  const windows = createNames<SlidingWindow>();
  const lanes = createNames<{ nextAt: number }>();
  const marks = createNames<Mark>();
  const leases = new Set<string>();
  return {
    take: async (name, window, isPeek = false) => {
      const log = windows.get(name) ?? [];
      const refused = refusalOf(log, window, clock.monotonic());
      if (refused !== undefined || isPeek) return refused;
      noteRequest(log, window, clock.monotonic());
      windows.set(name, log);
      return undefined;
    },
    turn: async (name, intervalMs) => {
      const lane = lanes.get(name) ?? { nextAt: 0 };
      const at = Math.max(clock.monotonic(), lane.nextAt);
      lane.nextAt = at + intervalMs;
      lanes.set(name, lane);
      const giveBack = () => {
        if (lane.nextAt === at + intervalMs) lane.nextAt = at;
      };
      return { at, by: Infinity, giveBack };
    },
    begin: async () => () => undefined,
    lease: async (name) => {
      if (leases.has(name)) return undefined;
      leases.add(name);
      return () => void leases.delete(name);
    },
    mark: (name, mark) => (mark === undefined ? marks.delete(name) : marks.set(name, mark)),
    marked: (name) => {
      const mark = marks.get(name);
      return mark !== undefined && mark.endsAt > clock.monotonic() ? mark : undefined;
    },
    status: () => ({ gateways: 1, state: 'local', operations: 0 }),
    close: async () => undefined,
  };
}

/** Requests of one name, oldest first. Those of a moment are counted together, at the time of the last one. */
type SlidingWindow = { from: number; at: number; requests: number }[];

/** How long to wait before one more request fits into the window. */
function refusalOf(log: SlidingWindow, window: RequestWindow, now: number): Refused | undefined {
  while (log[0] !== undefined && log[0].at + window.perMs <= now) log.shift();
  const used = log.reduce((sum, one) => sum + one.requests, 0);
  if (used < window.requests) return undefined;
  return { retryAfterMs: Math.ceil((log[0]?.at ?? now) + window.perMs - now) };
}

function noteRequest(log: SlidingWindow, { perMs }: RequestWindow, now: number): void {
  const last = log.at(-1);
  if (last !== undefined && now - last.from < perMs / SHARED_LIMITS.windowParts) {
    last.at = now;
    last.requests += 1;
  } else log.push({ from: now, at: now, requests: 1 });
}

/** A map in order of use that drops the least recently used of too many names. */
export function createNames<Value>(max: number = SHARED_LIMITS.namesMax) {
  const values = new Map<string, Value>();
  return {
    get: (name: string) => values.get(name),
    set: (name: string, value: Value) => {
      values.delete(name);
      values.set(name, value);
      const [oldest] = values.keys();
      if (values.size > max && oldest !== undefined) values.delete(oldest);
    },
    delete: (name: string) => void values.delete(name),
    entries: () => values.entries(),
  };
}
