import { HOUR_MS } from '../../../src/core/window.ts';
import { type BudgetRow, type BudgetUses, parseUses } from '../../../src/store/ledger/budget.ts';
import type { Account, EventRow, HoldOperation, HoldRow } from '../../../src/store/ledger/types.ts';
import { type Commit, type Disk, rowsOf } from './disk.ts';

const DAY_MS = 24 * HOUR_MS;

/** When a slot of a budget no longer counts, from the calendar and not from the budget. */
function endOf(period: string, start: number): number {
  if (period === 'day') return start + DAY_MS;
  if (period === 'month')
    return Date.UTC(new Date(start).getUTCFullYear(), new Date(start).getUTCMonth() + 1);
  const hours = Number.parseInt(period, 10);
  // Whole hours, at most 24 slots: use counts for the whole time after the last moment of its slot.
  return start + (Math.ceil(hours / 24) + hours) * HOUR_MS;
}

/** The period for which a threshold is reported once. */
function reportedFor(period: string, now: number): number {
  if (period === 'day') return Math.floor(now / DAY_MS) * DAY_MS;
  if (period === 'month') return Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth());
  const length = Number.parseInt(period, 10) * HOUR_MS;
  return Math.floor(now / length) * length;
}

const THRESHOLDS = [50, 80, 100];
const weightOf = ({ unit }: BudgetRow, credits: number, price: number): number =>
  unit === 'credits' ? credits : credits * price;

/** The budgets of a caller. */
const isFor = (budget: BudgetRow, { workspace, agent, key }: Pick<HoldRow, 'workspace' | 'agent' | 'key'>) =>
  budget.workspace === workspace && { workspace, agent, key, person: null }[budget.level] === budget.subject;

/**
 * A second account of the budgets, made of the holds alone: what each has used, whom it refuses, and which thresholds must have been
 * reported, each once.
 */
export function checkBudgets(disk: Disk, say: (what: string) => void) {
  const settled = new Set<string>();
  const owed = new Set<string>();
  const decided = new Set<string>();
  const rows = (): BudgetRow[] => [...rowsOf<BudgetRow>(disk.tables, 'budgets').values()];
  /** As they were before a transaction: what the operator changes in the same one is decided upon later. */
  let before = rows();
  const partsOf = (hold: HoldRow): [string, number][] =>
    hold.budgets === null ? [] : (JSON.parse(hold.budgets) as [string, number][]);

  /** What holds took from a budget, by slot. */
  const takenFrom = (budget: BudgetRow): Map<number, { settled: number; held: number }> => {
    const slots = new Map<number, { settled: number; held: number }>();
    for (const hold of disk.holds().values()) {
      const part = partsOf(hold).find(([id]) => id === budget.id);
      if (part === undefined) continue;
      const slot = slots.get(part[1]) ?? { settled: 0, held: 0 };
      slots.set(part[1], slot);
      if (hold.state === 'settled') slot.settled += weightOf(budget, hold.credits ?? 0, hold.price);
      if (hold.state === 'open') slot.held += weightOf(budget, hold.estimate, hold.price);
    }
    return slots;
  };
  const sumOf = (budget: BudgetRow, now: number): { settled: number; held: number } => {
    const sum = { settled: 0, held: 0 };
    for (const [start, slot] of takenFrom(budget)) {
      if (endOf(budget.period, start) <= now) continue;
      sum.settled += slot.settled;
      sum.held += slot.held;
    }
    return sum;
  };

  /** What a budget says that it has used, against the holds. */
  const checkUse = (budget: BudgetRow, uses: BudgetUses, now: number): void => {
    const taken = takenFrom(budget);
    const [slots] = uses[budget.id] ?? [[]];
    for (const [start, used, held] of slots) {
      const own = taken.get(start) ?? { settled: 0, held: 0 };
      taken.delete(start);
      // What comes late for a period that is over no longer counts.
      if (endOf(budget.period, start) <= now) continue;
      if (own.settled !== used || own.held !== held)
        say(`${budget.id} says ${used} used and ${held} held, holds say ${own.settled} and ${own.held}`);
    }
    for (const [start, own] of taken)
      if (endOf(budget.period, start) > now && own.settled + own.held > 0)
        say(`${budget.id} has forgotten ${own.settled + own.held}`);
  };

  const checkHeld = (operation: HoldOperation, budgets: BudgetRow[], now: number, isAlone: boolean): void => {
    const hold = disk.holds().get(operation.id);
    if (hold === undefined || decided.has(hold.id)) return;
    decided.add(hold.id);
    const wanted = hold.counted === 0 ? [] : budgets.filter((budget) => isFor(budget, hold));
    const taken = partsOf(hold).map(([id]) => id);
    if (String(taken.toSorted()) !== String(wanted.map(({ id }) => id).toSorted()))
      say(`${hold.id} counts against ${taken.length} budgets, it has ${wanted.length}`);
    if (!isAlone || hold.state !== 'open') return;
    for (const budget of wanted) {
      const { settled: used, held } = sumOf(budget, now);
      if (budget.hard === 1 && used + held > budget.amount)
        say(`${budget.id} of ${budget.amount} has let ${used + held} pass`);
    }
  };

  const checkRefused = (operation: HoldOperation, budgets: BudgetRow[], now: number): void => {
    const isShort = budgets.some((budget) => {
      const { settled: used, held } = sumOf(budget, now);
      const needed = weightOf(budget, operation.credits, operation.price);
      return budget.hard === 1 && isFor(budget, operation) && used + held + needed > budget.amount;
    });
    if (!isShort) say('a budget refuses a call that fits');
  };

  /** The thresholds that a charge may have reached. */
  const noteSettled = (hold: HoldRow, budgets: BudgetRow[], now: number): void => {
    if (settled.has(hold.id)) return;
    settled.add(hold.id);
    const parts = hold.credits === 0 ? [] : partsOf(hold).map(([id]) => id);
    for (const budget of budgets.filter(({ id }) => parts.includes(id))) {
      const used = sumOf(budget, now).settled * 100;
      for (const threshold of THRESHOLDS.filter((one) => used >= one * budget.amount))
        owed.add(`${budget.id} ${reportedFor(budget.period, now)} ${threshold}`);
    }
  };

  return {
    /** One account, right after a transaction of it is on the disk. */
    check({ operations, answers }: Commit, { id, clock, budget_use }: Account): void {
      const budgets = before.filter((row) => row.subscription === id);
      if (budgets.length === 0) return;
      const uses = parseUses(budget_use);
      for (const budget of rows()) if (budget.subscription === id) checkUse(budget, uses, clock);
      const isAlone = operations.length === 1;
      for (const [index, operation] of operations.entries()) {
        if (operation.subscription !== id || operation.kind !== 'hold') continue;
        const status = answers[index]?.status;
        if (status === 'held') checkHeld(operation, budgets, clock, isAlone);
        // Who is refused does not move the account's time on.
        else if (status === 'budget' && isAlone) checkRefused(operation, budgets, clock);
      }
      for (const hold of disk.holds().values())
        if (hold.subscription === id && hold.state === 'settled') noteSettled(hold, budgets, clock);
      const told = [...rowsOf<EventRow>(disk.tables, 'events').values()]
        .filter((event) => event.kind === 'budget.threshold')
        .map(({ subject, period, threshold }) => `${subject} ${period} ${threshold}`);
      for (const one of told) if (!owed.has(one)) say(`reported and not reached: ${one}`);
      for (const one of owed) if (!told.includes(one)) say(`reached and not reported: ${one}`);
    },
    /** A transaction has been looked at. */
    passed(): void {
      before = rows();
    },
  };
}
