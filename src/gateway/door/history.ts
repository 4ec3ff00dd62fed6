import type { Clock } from '../../core/clock.ts';
import { LIMITS } from '../../core/limits.ts';
import type { CallMinute, Calls } from '../../store/calls.ts';

/** The counts of one minute. */
export interface Minute {
  /** Its start. */
  at: number;
  calls: number;
  credits: number;
  outcomes: Record<string, number>;
}

/** Counts of the last day per minute, for the charts; of all gateways that share the store. */
export interface History {
  /** Minutes with calls, oldest first. */
  minutes(): Promise<Minute[]>;
}

const DAY_MS = 24 * 3_600_000;
/** Rows that another gateway has numbered are committed by then. */
const SETTLED_MS = 5_000;

/** Reads each row of the call log once: what was read is kept in memory, and only newer rows are read again. */
export function createHistory(calls: Calls, clock: Clock): History {
  const known = new Map<number, Minute>();
  let folded: number | undefined;
  let seen = { seq: 0, at: 0 };
  let reading: Promise<Minute[]> | undefined;

  const fold = async (upTo: number): Promise<void> => {
    while (folded !== undefined && folded < upTo) {
      const end = Math.min(folded + LIMITS.callsFoldedMax, upTo);
      for (const row of await calls.minutes(folded, end)) addTo(known, row);
      folded = end;
    }
  };
  const read = async (): Promise<Minute[]> => {
    const now = clock.now();
    const from = now - DAY_MS;
    const latest = await calls.latest();
    folded ??= await calls.lastBefore(from);
    if (seen.at <= now - SETTLED_MS) {
      await fold(seen.seq);
      seen = { seq: latest, at: now };
    }
    for (const at of known.keys()) if (at < from) known.delete(at);
    const all = new Map(
      [...known].map(([at, minute]) => [at, { ...minute, outcomes: { ...minute.outcomes } }]),
    );
    for (let after = folded; after < latest; after += LIMITS.callsFoldedMax) {
      const end = Math.min(after + LIMITS.callsFoldedMax, latest);
      for (const row of await calls.minutes(after, end)) addTo(all, row);
    }
    return [...all.values()].filter((minute) => minute.at >= from).sort((a, b) => a.at - b.at);
  };
  return {
    minutes: () => {
      reading ??= read().finally(() => (reading = undefined));
      return reading;
    },
  };
}

function addTo(minutes: Map<number, Minute>, { at, outcome, calls, credits }: CallMinute): void {
  const minute = minutes.get(at) ?? { at, calls: 0, credits: 0, outcomes: {} };
  minute.calls += calls;
  minute.credits += credits;
  minute.outcomes[outcome] = (minute.outcomes[outcome] ?? 0) + calls;
  minutes.set(at, minute);
}
