import type { Time } from './time.ts';

/** A moment: what had really passed, and what could be believed to have passed. */
export interface Moment {
  passed: number;
  believed: number;
  /** The sum of all steps of the clock forward until then. */
  forward: number;
}

/**
 * How much time may be believed to have passed. A clock that is set forward is believed, unless somebody remembers that it was there
 * before: a process that has run since then, or an account that was booked then.
 */
export interface Belief {
  /** A process starts, and knows of no time before. */
  started(): void;
  /** The clock was set by so much. */
  stepped(ms: number): void;
  /** A moment as a process sees it. */
  ofProcess(passed?: number): Moment;
  /** A moment as an account sees it, which remembers it if it is booked then. */
  ofAccount(subscription: string, passed: number, isBooked: boolean): Moment;
  /** The most that may be believed to have passed between two moments. */
  between(from: Moment, to: Moment): number;
  /** The same when somebody in between may have believed more and acted upon it, as who removes what is old. */
  betweenForAny(from: Moment, to: Moment): number;
}

export function createBelief(
  time: Time,
  /** The clock is set back by more than a window: then nobody can tell which steps forward are corrections. */
  isSetFarBack: boolean,
): Belief {
  const offset = (): number => time.wall - time.passed;
  /** By how much the clock was ahead of real time at most, since a process began. */
  const known = [{ at: -Infinity, latest: offset(), forward: 0 }];
  const last = () => known.at(-1) as (typeof known)[number];
  const accounts = new Map<string, number>();
  const ofProcess = (passed = time.passed): Moment => {
    const { latest, forward } = known.findLast(({ at }) => at <= passed) ?? last();
    return { passed, believed: passed + latest, forward };
  };
  const between = (from: Moment, to: Moment): number => {
    const passed = to.passed - from.passed;
    return isSetFarBack ? passed + to.forward - from.forward : Math.max(passed, to.believed - from.believed);
  };
  return {
    between,
    betweenForAny: (from, to) =>
      Math.max(
        between(from, to),
        ...known.flatMap(({ at, latest }, index) => {
          const until = Math.min(known[index + 1]?.at ?? to.passed, to.passed);
          return until > from.passed && at < to.passed ? [until + latest - from.believed] : [];
        }),
      ),
    started: () => void known.push({ ...last(), at: time.passed, latest: offset() }),
    stepped: (ms) =>
      void known.push({
        at: time.passed,
        latest: Math.max(last().latest, offset()),
        forward: last().forward + Math.max(0, ms),
      }),
    ofProcess,
    ofAccount: (subscription, passed, isBooked) => {
      const moment = ofProcess(passed);
      const believed = Math.max(accounts.get(subscription) ?? -Infinity, moment.believed);
      if (isBooked) accounts.set(subscription, believed);
      return { ...moment, believed };
    },
  };
}
