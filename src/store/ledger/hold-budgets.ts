import { createHash } from 'node:crypto';
import type { LedgerBook } from './book.ts';
import type { BudgetRow, BudgetStanding, OpenBudget } from './budget.ts';
import type { Account, HoldOperation, HoldRow, LedgerAnswer } from './types.ts';

/** The budgets that a call counts against: those of its workspace, agent, key and person in this workspace. */
export function budgetsFor(book: LedgerBook, account: Account, operation: HoldOperation): OpenBudget[] {
  if (!operation.counted) return [];
  const { workspace } = operation;
  return book.budgets(account, (row) => row.workspace === workspace && operation[row.level] === row.subject);
}

/** The refusal of the hard budget with the least left, where one has less left than a call needs. */
export function refusalOfBudgets(
  book: LedgerBook,
  budgets: OpenBudget[],
  operation: HoldOperation,
  /** Writes down the time of the account, by which the budget is saved. */
  pass: () => void,
): Extract<LedgerAnswer, { status: 'budget' }> | undefined {
  const short = budgets.filter(({ row, weigh, used }) => {
    const needed = weigh(operation.credits, operation.price);
    return row.hard === 1 && used() + needed > row.amount;
  });
  const least = leastLeft(short, operation.price);
  if (least === undefined) return undefined;
  const required = least.weigh(operation.credits, operation.price);
  const budget = least.standing(required);
  const period = least.exhausted();
  if (period !== undefined) {
    // Otherwise a clock that was ahead has forgotten what was used when it is set back.
    pass();
    book.touchBudget(least);
    book.addEvent(eventOf(book, least.row, budget, { kind: 'budget.exhausted', period, threshold: 100 }));
  }
  return { status: 'budget', budget, required };
}

/** Reserves what a hold may cost in each budget. */
export function takeFromBudgets(book: LedgerBook, budgets: OpenBudget[], hold: HoldRow): void {
  if (budgets.length === 0) return;
  const parts = budgets.map((budget) => budget.hold(budget.weigh(hold.estimate, hold.price)));
  for (const budget of budgets) book.touchBudget(budget);
  hold.budgets = JSON.stringify(parts);
}

/** Gives back what a hold reserved, and counts what was settled. */
export function moveInBudgets(
  book: LedgerBook,
  account: Account,
  hold: HoldRow,
  moved: { wasHeld: boolean; credits: number | null },
): void {
  for (const [budget, slot] of budgetsOf(book, account, hold)) {
    const held = moved.wasHeld ? budget.weigh(hold.estimate, hold.price) : 0;
    const settled = moved.credits === null ? 0 : budget.weigh(moved.credits, hold.price);
    budget.move(slot, held, settled);
    for (const reached of settled === 0 ? [] : budget.crossed())
      book.addEvent(eventOf(book, budget.row, budget.standing(), { kind: 'budget.threshold', ...reached }));
    book.touchBudget(budget);
  }
}

/** Of the budgets of some holds, the one with the least left; a hard one before a soft one. */
export function standingOfBudgets(
  book: LedgerBook,
  account: Account,
  holds: HoldRow[],
): { budget?: BudgetStanding } {
  const [hold] = holds;
  if (hold === undefined) return {};
  const all = holds.flatMap((one) => budgetsOf(book, account, one).map(([budget]) => budget));
  const hard = all.filter(({ row }) => row.hard === 1);
  const least = leastLeft(hard.length > 0 ? hard : all, hold.price);
  return least === undefined ? {} : { budget: least.standing() };
}

function budgetsOf(book: LedgerBook, account: Account, hold: HoldRow): [OpenBudget, number][] {
  const parts = book.partsOf(hold);
  if (parts.length === 0) return [];
  const slotOf = (id: string): number | undefined => parts.find((part) => part[0] === id)?.[1];
  // A budget that was removed or replaced since has nothing to give back to.
  const budgets = book.budgets(account, (row) => slotOf(row.id) !== undefined);
  return budgets.map((budget) => [budget, slotOf(budget.row.id) ?? 0]);
}

/** Compared in credits, of which money buys as many as the price says. */
function leastLeft(budgets: OpenBudget[], price: number): OpenBudget | undefined {
  const left = ({ row, weigh, used }: OpenBudget): number =>
    (row.amount - used()) / Math.max(1, weigh(1, price));
  return budgets.reduce<OpenBudget | undefined>(
    (least, one) => (least === undefined || left(one) < left(least) ? one : least),
    undefined,
  );
}

function eventOf(
  book: LedgerBook,
  { id, workspace }: BudgetRow,
  { renewsInMs, ...budget }: BudgetStanding,
  about: { kind: string; period: number; threshold: number },
) {
  const renews = renewsInMs === null ? null : new Date(book.now + renewsInMs).toISOString();
  const data = JSON.stringify({ ...budget, hard: budget.hard === 1, renews, threshold: about.threshold });
  const key = eventId(id, about.kind, about.period, about.threshold);
  return { id: key, subject: id, ...about, workspace, data, at: book.now };
}

/** The ID is made of what makes an event unique, so that the same event has the same ID wherever it is noticed. */
export const eventId = (subject: string, kind: string, period: number, threshold: number): string =>
  `evt_${createHash('sha256').update([subject, kind, period, threshold].join('\n')).digest('hex').slice(0, 32)}`;

const DAY_MS = 86_400_000;

/** Reports, once a day, that the balance does not cover another credit. */
export function noteBalance(book: LedgerBook, account: Account, hold: HoldRow): void {
  if (account.balance - account.reserved >= hold.price) return;
  const about = { kind: 'balance.exhausted', period: Math.floor(account.clock / DAY_MS), threshold: 0 };
  const data = JSON.stringify({ balance: account.balance });
  const id = eventId(account.id, about.kind, about.period, 0);
  book.addEvent({ id, subject: account.id, ...about, workspace: hold.workspace, data, at: book.now });
}
