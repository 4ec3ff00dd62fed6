// The rules of budgets, pure. A budget limits what one workspace, agent, key or person uses in a period. It is decided in the
// same step as the hold, under the lock of the account: every budget belongs to one workspace, and so to one account.
import { HOUR_MS } from '../../core/window.ts';
import { calendarPeriod } from './calendar.ts';

export const BUDGET_LEVELS = ['workspace', 'agent', 'key', 'person'] as const;
export type BudgetLevel = (typeof BUDGET_LEVELS)[number];
/** `money` is credits times the price of the provider, in millionths of a dollar. */
export const BUDGET_UNITS = ['credits', 'money'] as const;
export type BudgetUnit = (typeof BUDGET_UNITS)[number];

/** Percentages of a budget that are reported, once per period. */
export const BUDGET_THRESHOLDS = [50, 80, 100] as const;

/** The stored row of a budget. */
export interface BudgetRow {
  id: string;
  subscription: string;
  workspace: string;
  level: BudgetLevel;
  /** The ID of the workspace, agent or key, or the name of the person. */
  subject: string;
  unit: BudgetUnit;
  /** Credits, or millionths of a dollar. */
  amount: number;
  /** `day`, `month`, or a rolling number of hours such as `72h`. */
  period: string;
  /** The time zone of days and months. */
  zone: string;
  /** 1 refuses what goes beyond; 0 only reports it. */
  hard: number;
}

/** What was used of a budget, in its current period. */
export type BudgetUse = [
  /** Start of the slot, what was settled in it, what open holds reserve in it. A calendar period is one slot. */
  slots: [start: number, settled: number, held: number][],
  /** When the calendar period ends; 0 for a rolling one. */
  ends: number,
  /** The period of the last report, its highest threshold, and whether its exhaustion was reported. */
  told: [period: number, threshold: number, exhausted: number],
];

/**
 * What was used of the budgets of an account, by their IDs. It is a text on the account, because that row is
 * read and written by every booking anyway: a row per budget made a charge a third slower.
 */
export type BudgetUses = Record<string, BudgetUse>;

export const parseUses = (text: string): BudgetUses => (text === '' ? {} : (JSON.parse(text) as BudgetUses));

/** Where a budget stands. */
export interface BudgetStanding extends Pick<
  BudgetRow,
  'id' | 'level' | 'subject' | 'unit' | 'amount' | 'period' | 'zone' | 'hard'
> {
  /** Settled and reserved. */
  used: number;
  /** How long until it renews: the end of its day or month, or when a rolling one has room again; null when waiting does not help. */
  renewsInMs: number | null;
}

/** What a hold took from a budget, to be given back to the same slot. */
export type BudgetPart = [budget: string, slot: number];

/** A budget at a moment. */
export interface OpenBudget {
  row: BudgetRow;
  /** What a number of credits counts in its unit. */
  weigh(credits: number, price: number): number;
  /** Settled and reserved. */
  used(): number;
  standing(needed?: number): BudgetStanding;
  /** Reserves in the current slot. */
  hold(weight: number): BudgetPart;
  /** Moves what a hold reserved: some is given back, some is settled. */
  move(slot: number, held: number, settled: number): void;
  /** The thresholds that have been reached and not been reported in this period. */
  crossed(): { period: number; threshold: number }[];
  /** The period, when its exhaustion was not reported yet. */
  exhausted(): number | undefined;
  /** What is to be written. */
  use(): BudgetUse;
}

/** The hours of a rolling period; undefined for a day or a month. */
export const rollingHours = (period: string): number | undefined =>
  /^\d+h$/.test(period) ? Number(period.slice(0, -1)) : undefined;

/** A rolling period has at most this many slots, and one more that is partly over. */
const ROLLING_SLOTS = 24;

export function openBudget(row: BudgetRow, used: BudgetUse | undefined, now: number): OpenBudget {
  const [slots, ends, told] = used ?? [[], 0, [0, 0, 0]];
  const use = { slots, ends, told };
  const hours = rollingHours(row.period);
  const slotMs = hours === undefined ? 0 : Math.ceil(hours / ROLLING_SLOTS) * HOUR_MS;
  /** A slot of a rolling period counts for at least its hours after the last moment in it. */
  const lastsMs = slotMs + (hours ?? 0) * HOUR_MS;
  const current = ((): number => {
    if (hours !== undefined) return Math.floor(now / slotMs) * slotMs;
    const [known] = use.slots;
    if (known !== undefined && known[0] <= now && use.ends > now) return known[0];
    const period = calendarPeriod(row.period === 'day' ? 'day' : 'month', row.zone, now);
    use.ends = period.end;
    return period.start;
  })();
  use.slots = use.slots.filter(([start]) =>
    hours === undefined ? start === current : start + lastsMs > now,
  );
  const sum = (index: 1 | 2): number => use.slots.reduce((total, slot) => total + slot[index], 0);
  const usedNow = (): number => sum(1) + sum(2);
  const slotAt = (start: number) => use.slots.find((slot) => slot[0] === start);
  /** A rolling budget is reported at most once per stretch of its own length. */
  const reported = hours === undefined ? current : Math.floor(now / (hours * HOUR_MS)) * hours * HOUR_MS;
  if (use.told[0] !== reported) use.told = [reported, 0, 0];

  const renewsIn = (needed: number): number | null => {
    if (needed > row.amount) return null;
    if (hours === undefined) return use.ends - now;
    let left = usedNow() + needed;
    for (const [start, settled, held] of use.slots.toSorted((a, b) => a[0] - b[0])) {
      left -= settled + held;
      if (left <= row.amount) return start + lastsMs - now;
    }
    return 0;
  };
  return {
    row,
    weigh: (credits, price) => (row.unit === 'credits' ? credits : credits * price),
    used: usedNow,
    standing: (needed = 1) => {
      const { id, level, subject, unit, amount, period, zone, hard } = row;
      const renewsInMs = renewsIn(needed);
      return { id, level, subject, unit, amount, period, zone, hard, used: usedNow(), renewsInMs };
    },
    hold: (weight) => {
      const slot = slotAt(current);
      if (slot === undefined) use.slots.push([current, 0, weight]);
      else slot[2] += weight;
      return [row.id, current];
    },
    move: (start, held, settled) => {
      const slot = slotAt(start);
      // Its period is over: nothing of it counts any more.
      if (slot === undefined) return;
      slot[1] += settled;
      slot[2] -= held;
    },
    crossed: () => {
      const settled = sum(1) * 100;
      const reached = BUDGET_THRESHOLDS.filter((one) => one > use.told[1] && settled >= one * row.amount);
      use.told[1] = reached.at(-1) ?? use.told[1];
      return reached.map((threshold) => ({ period: reported, threshold }));
    },
    exhausted: () => {
      if (use.told[2] === 1) return undefined;
      use.told[2] = 1;
      return reported;
    },
    use: () => [use.slots, use.ends, use.told],
  };
}
