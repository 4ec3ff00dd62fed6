import { LIMITS } from '../../core/limits.ts';
import type { Recent, RecentCall } from './recent.ts';

/** The counts of one minute. */
export interface Minute {
  /** Its start. */
  at: number;
  calls: number;
  credits: number;
  outcomes: Record<string, number>;
}

/** Counts of the last day per minute, for the charts; in memory only. */
export interface History {
  add(call: Pick<RecentCall, 'at' | 'outcome' | 'credits'>): void;
  /** Minutes with calls, oldest first. */
  minutes(from: number): Minute[];
}

const MINUTE_MS = 60_000;

export function createHistory(): History {
  const minutes = new Map<number, Minute>();
  return {
    add: ({ at, outcome, credits }) => {
      const start = Math.floor(at / MINUTE_MS) * MINUTE_MS;
      const minute = minutes.get(start) ?? { at: start, calls: 0, credits: 0, outcomes: {} };
      minute.calls += 1;
      minute.credits += credits;
      minute.outcomes[outcome] = (minute.outcomes[outcome] ?? 0) + 1;
      minutes.set(start, minute);
      const [oldest] = minutes.keys();
      if (minutes.size > LIMITS.historyMinutesMax && oldest !== undefined) minutes.delete(oldest);
    },
    minutes: (from) =>
      [...minutes.values()].filter((minute) => minute.at >= from).sort((a, b) => a.at - b.at),
  };
}

/** Also counts recent calls in the history. */
export const counted = (recent: Recent, history: History): Recent => ({
  ...recent,
  add: (call) => {
    recent.add(call);
    history.add(call);
  },
});
